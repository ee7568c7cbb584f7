import type { PartnerClient } from '../../client.js';
import type { Transaction } from '../../resources/transactions.js';

/** What the checks have to work with. */
export interface ConformanceTarget {
  readonly client: PartnerClient;
  readonly signal: AbortSignal;
  readonly merchantId: string | undefined;
  readonly partnerName: string | undefined;
  readonly scheduleId: string | undefined;
  readonly webhookUrl: string | undefined;
  /** Stores the key of a webhook that a check creates. */
  readonly keyFile: string | undefined;
  /** The newest transactions, read once. */
  readonly newest: readonly Transaction[];
}

/** A promise of the provider's document, and how it is tried. */
export interface ConformanceCheck {
  readonly section: string;
  readonly title: string;
  readonly kind: 'read' | 'write';
  readonly run: (target: ConformanceTarget) => void | Promise<void>;
}

/** The check cannot be made with what there is. */
export class Skipped extends Error {
  static {
    this.prototype.name = 'Skipped';
  }
}

/** The provider does something else than its document says. Messages quote no values. */
export class Deviation extends Error {
  static {
    this.prototype.name = 'Deviation';
  }
}

export function expectThat(condition: boolean, otherwise: string): void {
  if (!condition) throw new Deviation(otherwise);
}

/** A setting that a check needs, or the reason to skip it. */
export function need(value: string | undefined, flag: string): string {
  if (value === undefined) throw new Skipped(`give ${flag}`);
  return value;
}

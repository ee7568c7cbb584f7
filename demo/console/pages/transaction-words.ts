/** A transaction in words. */
import type { ProviderFields } from '../console-view.js';
import { formatMoney, isAmount } from './formatting.js';

const STATUS_WORDS = new Map([
  ['SUCCESS', 'Succeeded'],
  ['REFUNDED', 'Refunded'],
]);

export function describeStatus(row: ProviderFields): string {
  const status = row['status'] ?? '';
  return STATUS_WORDS.get(status) ?? (status === '' ? 'No status' : status);
}

/** What was given back, or nothing. */
export function describeRefund(row: ProviderFields): string | undefined {
  const refunded = row['amountRefunded'];
  if (!isAmount(refunded)) return undefined;
  return `${formatMoney(refunded, row['currencyCode'] ?? '')} given back`;
}

export function describeAmount(row: ProviderFields): string {
  return formatMoney(row['amount'] ?? '–', row['currencyCode'] ?? '');
}

export function describeMethod(row: ProviderFields): string {
  const digits = row['last4Digits'];
  return [row['paymentMethod'], digits && `•••• ${digits}`].filter(Boolean).join(' ') || '–';
}

/** A moment in the given zone; a zone that this browser does not know is said in UTC. */
export class MomentWords {
  readonly zone: string;
  readonly #format: Intl.DateTimeFormat;

  constructor(zone: string | undefined) {
    this.zone = zone !== undefined && isZone(zone) ? zone : 'UTC';
    this.#format = new Intl.DateTimeFormat('en-GB', {
      ...{ dateStyle: 'medium', timeStyle: 'short' },
      timeZone: this.zone,
    });
  }

  describe(text: string | undefined): string {
    const time = Date.parse(text ?? '');
    return Number.isNaN(time) ? (text ?? '–') : this.#format.format(time);
  }
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** The page with everything about a transaction; its day makes the search for it a short one. */
export function pathOfTransaction(row: ProviderFields): string {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(row['transactionTime'] ?? '')?.[0];
  const query = new URLSearchParams({ id: row['id'] ?? '', ...(day !== undefined && { day }) });
  return `/transaction?${query}`;
}

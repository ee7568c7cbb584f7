import { OPERATIONS } from '../client.js';
import type { PartnerApiError } from '../errors.js';

/** What `pay-partner` ends with; `docs/pay-partner.md` lists them for scripts. */
export const EXIT = {
  ok: 0,
  /** The answer is no: the provider refused, or a delivery does not verify. */
  refused: 1,
  /** A command, an option or a setting that cannot be right. Nothing was sent. */
  usage: 2,
  /** Something was sent, and it is not known whether it was carried out. */
  unknown: 3,
  /** Nothing reached the provider. */
  notSent: 4,
  /** `doctor` or `conformance` found something. */
  checksFailed: 5,
  /** A file of this machine could not be read or written. */
  local: 6,
  interrupted: 130,
} as const;

/** A command, an option or a setting that cannot be right. */
export class UsageError extends Error {
  static {
    this.prototype.name = 'UsageError';
  }
}

/** A file of this machine that could not be read or written. */
export class LocalError extends Error {
  static {
    this.prototype.name = 'LocalError';
  }
}

/** Ctrl-C, where nothing can have been carried out. */
export class InterruptedError extends Error {
  static {
    this.prototype.name = 'InterruptedError';
  }

  constructor() {
    super('interrupted');
  }
}

/** Ends a command between two steps when it was interrupted. */
export function throwIfInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw new InterruptedError();
}

const READS = new Set<string>([
  'transactions.iterate',
  ...OPERATIONS.filter(({ effect }) => effect === 'read').map(({ name }) => name),
]);

/** The exit code for an error of the client. */
export function exitCodeOf(error: PartnerApiError): number {
  if (error.name === 'InvalidRequestError') return EXIT.usage;
  const mayHaveDone = error.outcome === 'unknown' && !READS.has(error.operation);
  if (error.name === 'CallAbortedError' && !mayHaveDone) return EXIT.interrupted;
  switch (error.outcome) {
    case 'refused':
      return EXIT.refused;
    case 'unknown':
      return EXIT.unknown;
    case 'not_sent':
      return EXIT.notSent;
  }
}

import type { PartnerApiError } from '../errors.js';

/** What `pay-partner` ends with; `docs/pay-partner.md` lists them for scripts. */
export const EXIT = {
  ok: 0,
  /** The answer is no: the provider refused, or a delivery does not verify. */
  refused: 1,
  /** A command, an option or a setting that cannot be right. Nothing was sent. */
  usage: 2,
  /** A create was sent and may have taken effect. */
  unknown: 3,
  /** It failed, and may be repeated freely: nothing was sent, or doing it twice changes nothing. */
  repeat: 4,
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

/** What a failed call left behind at the provider, as far as a person has to know. */
export type Aftermath = 'refused' | 'nothing_sent' | 'nothing_changed' | 'may_be_set' | 'may_exist';

export function aftermathOf({ outcome, effect }: PartnerApiError): Aftermath {
  if (outcome === 'refused') return 'refused';
  if (outcome === 'not_sent') return 'nothing_sent';
  if (effect === 'read') return 'nothing_changed';
  return effect === 'set' ? 'may_be_set' : 'may_exist';
}

/** The exit code for an error of the client. */
export function exitCodeOf(error: PartnerApiError): number {
  if (error.name === 'InvalidRequestError') return EXIT.usage;
  const aftermath = aftermathOf(error);
  if (aftermath === 'may_exist') return EXIT.unknown;
  if (error.name === 'CallAbortedError') return EXIT.interrupted;
  return aftermath === 'refused' ? EXIT.refused : EXIT.repeat;
}

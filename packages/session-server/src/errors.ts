import type { OrderState } from './contract.js';

/**
 * What can go wrong in front of a caller: a status, a stable code, and a sentence that says what to do.
 *
 * Codes are snake_case, never renamed, and listed in `docs/error-codes.md`. Anything that is not an
 * `AppError` is answered as a plain 500; its detail goes to the log only.
 */
export interface FieldError {
  /** Path of the field as the caller spells it, for example `avs.postcode`. */
  readonly field: string;
  /** What was expected, and what to do. */
  readonly message: string;
}

export interface AppErrorOptions {
  readonly cause?: unknown;
  readonly errors?: readonly FieldError[];
  /** Sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Of the order, for its merchant's back end. */
  readonly state?: OrderState;
  /** Id of the merchant whose shop or entry needs attention: for the log only. */
  readonly merchant?: string;
}

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly errors: readonly FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly merchant: string | undefined;
  readonly state: OrderState | undefined;
  /** Whether it is certain that nothing was paid for the order that was asked for. */
  unpaid = false;

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    options: AppErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.merchant = options.merchant;
    this.state = options.state;
  }
}

/** 400: the body or query is not what the route takes; every wrong field is named. */
export function invalidRequest(errors: readonly FieldError[]): AppError {
  const named = errors.map(({ field, message }) => `${field}: ${message}`).join('; ');
  return new AppError(400, 'invalid_request', `The request was not accepted. ${named}`, { errors });
}

/** 404 for an unknown order and for a token that is not authentic alike: neither is confirmed. */
export function orderNotFound(): AppError {
  return new AppError(
    404,
    'order_not_found',
    'No such order for this merchant. Check merchant, order and order token.',
  );
}

/** 403 for a merchant whose entry is disabled: nothing new is opened. */
export function merchantDisabled(): AppError {
  return new AppError(403, 'merchant_disabled', 'This merchant takes no payments at the moment.');
}

/** 404 for a checkout id that was never given out. */
export function checkoutNotFound(): AppError {
  return new AppError(404, 'checkout_not_found', 'No such checkout.');
}

/** Configuration that cannot be started with: every mistake at once, a line each where there are several. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(
    readonly source: string,
    readonly mistakes: readonly string[],
    /** Whether only a change of the configuration can fix it: restarting is pointless. */
    readonly isFinal = false,
  ) {
    const [first = '', ...more] = mistakes;
    const lines = mistakes.map((mistake) => `\n  - ${mistake}`).join('');
    super(more.length > 0 ? `${source}:${lines}` : `${source}: ${first}`);
  }
}

/** Why a file of the operator's cannot be read. */
export function describeFileError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'there is no such file';
    case 'EACCES':
    case 'EPERM':
      return 'this user may not read it';
    case 'EISDIR':
      return 'it is a folder';
    default:
      return `it cannot be read (${code || 'for a reason that the system does not name'})`;
  }
}

/** What a start that failed says first. */
export const NOT_STARTED = 'the server did not start';

/** Errors whose message is written for an operator. */
export function isOurs(error: unknown): error is Error {
  return (
    error instanceof ConfigError ||
    (error instanceof Error &&
      ['DatabaseInUseError', 'DataFileError', 'AppError'].includes(error.name))
  );
}

/** The details of an error, in addition to its code. */
interface ErrorDetails {
  /** The option, argument or answer of a callback that is wrong. */
  readonly field?: string | undefined;
  /** Of the session server's answer. Not `status`: Express would answer a shopper with it. */
  readonly httpStatus?: number | undefined;
  /** Each field of the body that the session server refused. */
  readonly errors?: readonly FieldError[] | undefined;
  /** Of `order_already_paid`: the state of the order. */
  readonly state?: string | undefined;
  /** The session server's id of the request, to find it in its log. */
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/**
 * Every error of this package. `code` is the session server's or one of ours: `docs/error-codes.md` lists both. It
 * never holds a secret.
 */
export class PayCheckoutError extends Error {
  override readonly name = 'PayCheckoutError';
  readonly code: string;
  declare readonly field?: string | undefined;
  declare readonly httpStatus?: number | undefined;
  declare readonly errors?: readonly FieldError[] | undefined;
  declare readonly state?: string | undefined;
  declare readonly requestId?: string | undefined;

  constructor(code: string, message: string, { cause, ...details }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    const known = Object.entries(details).filter(([, value]) => value !== undefined);
    Object.assign(this, Object.fromEntries(known));
  }
}

/** Whether this is an error of this package, with this code if one is given; also from another copy of it. */
export function isPayCheckoutError(error: unknown, code?: string): error is PayCheckoutError {
  return (
    error instanceof Error &&
    error.name === 'PayCheckoutError' &&
    'code' in error &&
    (code === undefined || error.code === code)
  );
}

/** Names the field that is wrong, never its value: it may be a secret. */
export function invalidArgument(field: string, expected: string): PayCheckoutError {
  return new PayCheckoutError('invalid_argument', `${field}: expected ${expected}`, { field });
}

/** @throws {PayCheckoutError} `invalid_argument`: a misspelt option would be left out in silence */
export function checkNames(options: unknown, names: readonly string[]): void {
  const unknown = Object.keys(Object(options) as object).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw invalidArgument(unknown, `no such option, but ${names.join(', ')}`);
}

export function orderUnknown(order: string): PayCheckoutError {
  return new PayCheckoutError('order_unknown', `The shop has no order ${order}.`);
}

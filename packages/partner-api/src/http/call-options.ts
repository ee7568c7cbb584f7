import { InvalidRequestError } from '../errors.js';
import type { CallOptions } from './operation.js';

/** Timers of JavaScript cannot be longer (2^31 − 1 ms): a longer one would end at once. */
const MAX_SECONDS = 2_147_483;

/** Headers that belong to the client or to the transport. */
const OWN_HEADERS = new Set([
  'api_key',
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'host',
  'transfer-encoding',
  'user-agent',
]);

export function checkSeconds(field: string, value: unknown, operation: string): void {
  if (typeof value === 'number' && value > 0 && value <= MAX_SECONDS) return;
  const advice = `must be a number of seconds above 0 and at most ${MAX_SECONDS}`;
  throw new InvalidRequestError(field, advice, operation);
}

export function checkRetries(field: string, value: unknown, operation: string): void {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return;
  throw new InvalidRequestError(field, 'must be a whole number, 0 or more', operation);
}

/** A text such as `'no'` counts as yes in JavaScript. */
export function checkRetryRateLimited(value: unknown, operation: string): void {
  if (typeof value === 'boolean') return;
  throw new InvalidRequestError('retryRateLimited', 'must be true or false', operation);
}

export function checkValidation(value: unknown, operation: string): void {
  if (value === 'off' || value === 'warn' || value === 'strict') return;
  throw new InvalidRequestError('validation', "must be 'off', 'warn' or 'strict'", operation);
}

/** Refuses what is no object of options, and a name that none of them has. */
export function checkOptionNames(
  options: unknown,
  known: Readonly<Record<string, true>>,
  operation: string,
): void {
  const names = Object.keys(known).join(', ');
  if (typeof options !== 'object' || options === null) {
    throw new InvalidRequestError('options', `must be an object; there are ${names}`, operation);
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  throw new InvalidRequestError(unknown, `is not an option; there are ${names}`, operation);
}

const CALL_OPTION_NAMES: Readonly<Record<keyof CallOptions, true>> = {
  signal: true,
  timeoutSeconds: true,
  maxRetries: true,
  retryRateLimited: true,
  validation: true,
  headers: true,
  extraFields: true,
};

/** Checks what a caller set for one call. */
export function checkCallOptions(operation: string, fields: object, options: CallOptions): void {
  checkOptionNames(options, CALL_OPTION_NAMES, operation);
  const { timeoutSeconds, maxRetries, retryRateLimited, validation, signal } = options;
  if (timeoutSeconds !== undefined) checkSeconds('timeoutSeconds', timeoutSeconds, operation);
  if (maxRetries !== undefined) checkRetries('maxRetries', maxRetries, operation);
  if (retryRateLimited !== undefined) checkRetryRateLimited(retryRateLimited, operation);
  if (validation !== undefined) checkValidation(validation, operation);
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new InvalidRequestError('signal', 'must be an AbortSignal', operation);
  }
  for (const name of Object.keys(options.extraFields ?? {})) {
    const value: unknown = Object.getOwnPropertyDescriptor(fields, name)?.value;
    if (value === undefined) continue;
    const advice = `is set twice: leave it out of extraFields`;
    throw new InvalidRequestError(name, advice, operation);
  }
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    checkHeader(name, value, operation);
  }
}

function checkHeader(name: string, value: unknown, operation: string): void {
  const field = `headers.${name}`;
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || OWN_HEADERS.has(name.toLowerCase())) {
    throw new InvalidRequestError(field, 'cannot be set for a call', operation);
  }
  if (typeof value !== 'string' || !/^[\t -~]*$/.test(value)) {
    throw new InvalidRequestError(field, 'must be printable ASCII text', operation);
  }
}

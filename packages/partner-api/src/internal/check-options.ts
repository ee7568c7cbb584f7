import { InvalidRequestError } from '../errors.js';
import type { CallOptions, JsonObject } from './operation.js';

/** Timers of JavaScript cannot be longer (2^31 − 1 ms): a longer one would end at once. */
const MAX_SECONDS = 2_147_483;

export function checkSeconds(field: string, value: unknown, operation: string): void {
  if (typeof value === 'number' && value > 0 && value <= MAX_SECONDS) return;
  const advice = `must be a number of seconds above 0 and at most ${MAX_SECONDS}`;
  throw new InvalidRequestError(field, advice, operation);
}

export function checkRetries(field: string, value: unknown, operation: string): void {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return;
  throw new InvalidRequestError(field, 'must be a whole number, 0 or more', operation);
}

/** Checks what a caller set for one call. */
export function checkCallOptions(
  operation: string,
  fields: JsonObject,
  options: CallOptions,
): void {
  const { timeoutSeconds, maxRetries, signal, extraFields = {} } = options;
  if (timeoutSeconds !== undefined) checkSeconds('timeoutSeconds', timeoutSeconds, operation);
  if (maxRetries !== undefined) checkRetries('maxRetries', maxRetries, operation);
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new InvalidRequestError('signal', 'must be an AbortSignal', operation);
  }
  for (const name of Object.keys(extraFields)) {
    if (fields[name] === undefined) continue;
    const advice = `is set twice: leave it out of extraFields`;
    throw new InvalidRequestError(name, advice, operation);
  }
}

import { InvalidRequestError } from '../errors.js';
import type { JsonObject } from './operation.js';

/** Looks at one value; says what is wrong as advice to the caller, or nothing. */
export type FieldCheck = (value: unknown) => string | undefined;

/** A check for each field of a request that the spec shows. */
export type FieldChecks<Params> = { readonly [Field in keyof Required<Params>]: FieldCheck };

/**
 * Checks a request before it is sent and gives its fields without the undefined ones. A field that
 * the spec does not show is refused, because a misspelt one would be lost without a word.
 */
export function checkFields<Params extends object>(
  operation: string,
  params: Params,
  checks: FieldChecks<Params>,
  required: readonly (keyof Params & string)[] = [],
): JsonObject {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) {
    throw new InvalidRequestError('the first argument', 'must be an object', operation);
  }
  const fields: JsonObject = {};
  for (const name of Object.keys(params)) {
    const value = params[name as keyof Params];
    if (!Object.hasOwn(checks, name)) {
      const advice =
        'is not a field of this operation; a field that is not in the spec goes into extraFields';
      throw new InvalidRequestError(name, advice, operation);
    }
    if (value === undefined) continue;
    const advice = checks[name as keyof Params](value);
    if (advice !== undefined) throw new InvalidRequestError(name, advice, operation);
    fields[name] = value;
  }
  for (const name of required) {
    if (fields[name] === undefined) throw new InvalidRequestError(name, 'is missing', operation);
  }
  return fields;
}

export const isText: FieldCheck = (value) =>
  typeof value === 'string' ? undefined : 'must be a text; leave it out when it is not known';

export const isFilledText: FieldCheck = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'must be a text that is not empty';

export const isInteger: FieldCheck = (value) =>
  Number.isSafeInteger(value) ? undefined : 'must be a whole number (not a text)';

export const isPositiveInteger: FieldCheck = (value) =>
  Number.isSafeInteger(value) && (value as number) > 0
    ? undefined
    : 'must be a whole number above 0';

export const isAddress: FieldCheck = (value) =>
  typeof value === 'string' && /^[a-z][a-z0-9+.-]*:\/\//i.test(value) && URL.canParse(value)
    ? undefined
    : 'must be an absolute address such as https://shop.example/result';

/** A day that exists, as `YYYY-MM-DD`. */
export const isCalendarDate: FieldCheck = (value) => {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) {
    return "must be a calendar date such as '2026-03-31': a text, never a Date (whose day depends on the time zone)";
  }
  const time = Date.parse(`${value}T00:00:00Z`);
  const exists = !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
  return exists ? undefined : 'is a day that does not exist';
};

/** A list whose items all pass a check. */
export function isListOf(check: FieldCheck): FieldCheck {
  return (value) => {
    if (!Array.isArray(value)) return 'must be a list (an array)';
    const index = value.findIndex((item) => check(item) !== undefined);
    return index === -1
      ? undefined
      : `has a wrong item, number ${index + 1}: it ${check(value[index])}`;
  };
}

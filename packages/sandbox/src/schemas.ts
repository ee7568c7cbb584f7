/** The zod schemas that several operations share. OpenAPI is made from the same schemas. */
import { z } from 'zod';

export const text = z.string('expected a string');
export const integer = z.int('expected an integer');
export const date = z.iso.date('expected a date as YYYY-MM-DD');
export const webAddress = z.url({
  protocol: /^https?$/,
  error: 'expected an absolute http or https URL',
});
export const currency = text.regex(/^[A-Z]{3}$/, 'expected three capital letters');

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** A currency that exists: a misspelt one has no decimals that one could know. */
export const knownCurrency = currency.refine(
  (code) => currencies.has(code),
  'expected a currency of ISO 4217, such as GBP',
);

/** Marks what the spec leaves open: the sandbox has an assumption there. */
export function notShown(what: string | readonly string[]): Record<string, unknown> {
  return { 'x-not-shown': what };
}

/** An open set of words: the spec shows some of them, others may come. */
export function openWord(...shown: readonly string[]) {
  const examples = shown.length > 0 ? { examples: shown } : {};
  return text.meta({ ...examples, ...notShown('complete set of values') });
}

/** A timestamp whose form the spec does not show. */
export const timestamp = text.meta(notShown('form of the timestamp'));

/** A request body: fields that the spec does not list are refused by name. */
export function requestBody<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, 'expected an object');
}

/** A longer timer (2^31 − 1 ms) would end at once. */
const MAX_PAUSE_SECONDS = 2_147_483;

export const seconds = z
  .number('expected a number of seconds')
  .min(0, 'expected at least 0 seconds');

export const pauseSeconds = seconds.max(
  MAX_PAUSE_SECONDS,
  `expected at most ${MAX_PAUSE_SECONDS} seconds`,
);

import * as z from 'zod';

import { InvalidRequestError } from './errors.js';

/*
 * What the schemas of the resources are made of. They are the only source of the types, of the
 * checks of requests and answers, and of the OpenAPI document. Answers are passed on
 * as they came, fields that the provider's document does not list included: `extraOf` gives those.
 */

/** Marks what the document leaves open, in its own words. */
export function notShown(what: string): { 'x-not-shown': string } {
  return { 'x-not-shown': what };
}

export const FIELDS_NOT_SHOWN = notShown('Which fields are required.');

/** A text with known values; others may come. */
export function openEnum<const Known extends string>(
  known: readonly Known[],
  open?: string,
): z.ZodType<Known | (string & {})> {
  return z.string().meta({ examples: [...known], ...(open === undefined ? {} : notShown(open)) });
}

/** A date of an answer, `YYYY-MM-DD`. */
export const replyDate = z.string().meta({ description: 'Date, YYYY-MM-DD.' });

/** Says what is wrong with a field of a request. */
export function must(advice: string): { error: (issue: { input?: unknown }) => string } {
  return { error: ({ input }) => (input === undefined ? 'is missing' : advice) };
}

export const text = z.string(must('must be a text; leave it out when it is not known'));

const FILLED = 'must be a text that is not empty';
export const filledText = z.string(must(FILLED)).min(1, FILLED);

export const wholeNumber = z.int(must('must be a whole number (not a text)'));

const ADDRESS = 'must be an absolute address such as https://shop.example/result';
/** What a browser would run or read, and not visit. */
const NO_PAGE = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:']);

/** An address that a shopper may be sent to; that of an app counts. */
export const address = z
  .string(must(ADDRESS))
  .refine((value) => /^[a-z][a-z0-9+.-]*:\/\//i.test(value) && URL.canParse(value), ADDRESS)
  .refine((value) => !NO_PAGE.has(protocolOf(value)), 'must be the address of a page');

/** An address that the provider's servers send to. */
export const webAddress = address.refine(
  (value) => ['https:', 'http:'].includes(protocolOf(value)),
  'must start with https://',
);

function protocolOf(value: string): string {
  return URL.canParse(value) ? new URL(value).protocol : '';
}

/** A date of a request: a text, because the day of a `Date` depends on the time zone. */
export const requestDate = z.iso
  .date(must("must be a day that exists, written as a text such as '2026-03-31'"))
  .meta({ description: 'Date, YYYY-MM-DD.' });

/** A request with the fields that the document shows; a misspelt one is refused and not lost. */
export function requestObject<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys'
        ? 'is not a field of this operation; a field that is not in the spec goes into extraFields'
        : 'must be an object',
  });
}

/**
 * Checks a request before it is sent, or options.
 *
 * @param whole - What an error calls all of it.
 */
export function checkRequest(
  operation: string,
  schema: z.ZodType,
  params: unknown,
  whole = 'the first argument',
): void {
  const issue = schema.safeParse(params).error?.issues[0];
  if (issue === undefined) return;
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys] : issue.path;
  const [field = whole, ...inner] = path;
  const place = inner.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  const advice =
    inner.length === 0 ? issue.message : `is wrong at ${place.join('')}, which ${issue.message}`;
  throw new InvalidRequestError(String(field), advice, operation);
}

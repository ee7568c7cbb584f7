import * as z from 'zod';
import { parseJson } from '../decimal.js';
import {
  InvalidResponseError,
  type PartnerApiErrorDetails,
  type ResponseProblem,
  UnsuccessfulAnswerError,
} from '../errors.js';
import { type AttemptContext, describeBody, describeHead, failureOfStatus } from './failure.js';
import { isObject, type Operation, UnsuccessfulReply, type Validation } from './operation.js';
import type { TransportReply } from './transport.js';

/** Where answers of one operation differ from the document. Names and kinds, never values. */
export interface OperationDrift {
  /** Answers that were compared. */
  readonly answers: number;
  /** How often a field came that the document does not list: `data.transactions[].colour`. */
  readonly unknownFields: Readonly<Record<string, number>>;
  /** How often another type came: `data.transactions[].amount: text instead of number`. */
  readonly unexpectedTypes: Readonly<Record<string, number>>;
}

/** What a client has seen so far, by operation; only those that differ somewhere. */
export type DriftReport = Readonly<Record<string, OperationDrift>>;

/** A part of an answer that is not what its schema says. */
export interface Mismatch {
  /** `data.transactions[].amount`; empty for the answer itself. */
  readonly place: string;
  readonly expected: string;
  readonly kind: string;
}

/** Compares an answer with its schema. */
export function findMismatches(schema: z.ZodType, body: unknown): Mismatch[] {
  const issues = schema.safeParse(body).error?.issues ?? [];
  // A record with exact texts of numbers has a symbol of ours for a key.
  const ofProvider = issues.filter(({ path }) => !path.some((key) => typeof key === 'symbol'));
  return ofProvider.map((issue) => ({
    place: placeOf(schema, issue.path),
    expected: expectedOf(issue),
    kind: kindOf(valueAt(body, issue.path)),
  }));
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'text',
  int: 'whole number',
  array: 'list',
  record: 'object',
};

function expectedOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return EXPECTED[issue.expected] ?? issue.expected;
  return issue.code === 'too_small' && issue.origin === 'string'
    ? 'text that is not empty'
    : 'whole number';
}

/** A place without numbers of rows and names of records, which may be data. */
function placeOf(schema: z.ZodType, path: readonly PropertyKey[]): string {
  let place = '';
  let at: unknown = schema;
  for (const key of path) {
    at = unwrap(at);
    if (at instanceof z.ZodArray) {
      place += '[]';
      at = at.element;
    } else if (at instanceof z.ZodRecord) {
      place += '{}';
      at = at.valueType;
    } else if (at instanceof z.ZodObject) {
      place = join(place, String(key));
      at = (at.shape as Record<PropertyKey, unknown>)[key];
    }
  }
  return place;
}

function unwrap(schema: unknown): unknown {
  return schema instanceof z.ZodOptional ? unwrap(schema.unwrap()) : schema;
}

function join(place: string, name: string): string {
  return place === '' ? name : `${place}.${name}`;
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((value, key) => (value as Record<PropertyKey, unknown>)[key], body);
}

/** Reports each field that the schema does not list. */
function findUnlisted(
  schema: unknown,
  value: unknown,
  report: (place: string) => void,
  place = '',
): void {
  const at = unwrap(schema);
  if (at instanceof z.ZodArray && Array.isArray(value)) {
    for (const item of value) findUnlisted(at.element, item, report, `${place}[]`);
  }
  if (!(at instanceof z.ZodObject) || !isObject(value)) return;
  const names = namesOf(at);
  // A plain loop over what JSON.parse made: it runs for every row.
  for (const name in value) {
    if (!names.has(name)) report(join(place, safeName(name)));
    else if (typeof value[name] === 'object') {
      findUnlisted(at.shape[name], value[name], report, join(place, name));
    }
  }
}

const listed = new WeakMap<z.ZodObject, ReadonlySet<string>>();

function namesOf(schema: z.ZodObject): ReadonlySet<string> {
  const known = listed.get(schema) ?? new Set(Object.keys(schema.shape));
  listed.set(schema, known);
  return known;
}

/** A name that no programmer would choose may be data, such as an address used as a key. */
function safeName(name: string): string {
  return /^[A-Za-z_][\w.-]{0,63}$/.test(name) ? name : '(odd name)';
}

/** Different places that are counted one by one; the rest is counted together. */
const MAX_PLACES = 200;
const OTHERS = '(others)';

interface OperationLog {
  answers: number;
  readonly unknownFields: Map<string, number>;
  readonly unexpectedTypes: Map<string, number>;
}

/** Counts the differences of one client. */
export class DriftLog {
  readonly #operations = new Map<string, OperationLog>();

  /** Counts one more answer. */
  add(operation: string, schema: z.ZodType, body: unknown, mismatches: readonly Mismatch[]): void {
    const log = this.#operations.get(operation) ?? {
      answers: 0,
      unknownFields: new Map<string, number>(),
      unexpectedTypes: new Map<string, number>(),
    };
    this.#operations.set(operation, log);
    log.answers += 1;
    findUnlisted(schema, body, (place) => count(log.unknownFields, place));
    for (const { place, expected, kind } of mismatches) {
      count(log.unexpectedTypes, `${place}: ${kind} instead of ${expected}`);
    }
  }

  report(): DriftReport {
    const found = [...this.#operations].filter(
      ([, { unknownFields, unexpectedTypes }]) => unknownFields.size + unexpectedTypes.size > 0,
    );
    return Object.fromEntries(
      found.map(([name, { answers, unknownFields, unexpectedTypes }]) => [
        name,
        {
          answers,
          unknownFields: Object.fromEntries(unknownFields),
          unexpectedTypes: Object.fromEntries(unexpectedTypes),
        },
      ]),
    );
  }
}

function count(places: Map<string, number>, place: string): void {
  const key = places.has(place) || places.size < MAX_PLACES ? place : OTHERS;
  places.set(key, (places.get(key) ?? 0) + 1);
}

/** The kind of a JSON value, in words. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'whole number' : 'number';
  return typeof value;
}

/** `undefined` when the bytes are no valid UTF-8. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** How the fields of an answer are compared with the document. */
export interface Comparison {
  readonly validation: Validation;
  readonly drift: DriftLog;
}

/** Turns a whole answer into what the operation promises, or throws the error that says why not. */
export function readReply<Reply extends z.ZodType>(
  operation: Operation<Reply>,
  context: AttemptContext,
  answer: TransportReply,
  comparison: Comparison,
): z.infer<Reply> {
  if (answer.status < 200 || answer.status >= 300) {
    throw failureOfStatus(context, answer, new TextDecoder().decode(answer.body));
  }
  const reject = (problem: ResponseProblem, sentence: string): never => {
    const details: PartnerApiErrorDetails = {
      ...describeHead(context, answer),
      outcome: 'unknown',
    };
    throw new InvalidResponseError(`${operation.name}: ${sentence}`, details, problem);
  };
  if (answer.body.byteLength === 0)
    return reject('empty', `the answer (${answer.status}) is empty.`);
  const text = decodeUtf8(answer.body);
  if (text === undefined) return reject('encoding', 'the answer is not valid UTF-8.');
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    // The engine's own message is not kept: it quotes the body.
    const html = /html/i.test(answer.headers['content-type'] ?? '') || text.trimStart()[0] === '<';
    return html
      ? reject('html', 'the answer is a web page and not JSON. Is baseUrl the address of the API?')
      : reject('not_json', 'the answer is not valid JSON.');
  }
  try {
    return checkReply(operation, body, comparison);
  } catch (error) {
    if (error instanceof UnsuccessfulReply) {
      const details = {
        ...describeHead(context, answer),
        ...describeBody(context, text),
        outcome: 'refused',
      } as const;
      const message = `${operation.name}: the provider answered that it had no success.`;
      throw new UnsuccessfulAnswerError(message, details, error.data);
    }
    if (!(error instanceof UnexpectedShape)) throw error;
    return reject('shape', `the answer is not what was expected: ${error.message}.`);
  }
}

/** An answer whose shape is not the one of the spec: where, and what was expected. No values. */
class UnexpectedShape extends Error {
  constructor({ place, kind, expected }: Mismatch) {
    const article = expected === 'object' ? 'an' : 'a';
    super(`${place || 'the body'} (${kind}) is not ${article} ${expected}`);
  }
}

function checkReply<Reply extends z.ZodType>(
  { name, reply, needs, prepare }: Operation<Reply>,
  body: unknown,
  { validation, drift }: Comparison,
): z.infer<Reply> {
  if (isObject(body)) prepare?.(body);
  const mismatches = findMismatches(reply, body);
  const fatal = mismatches.find(({ place }) => place === '' || needs.includes(place));
  if (fatal !== undefined) throw new UnexpectedShape(fatal);
  if (validation !== 'off') drift.add(name, reply, body, mismatches);
  const [first] = mismatches;
  if (validation === 'strict' && first !== undefined) throw new UnexpectedShape(first);
  // As it came, and not zod's copy, which would have lost the exact texts of numbers.
  return body as z.infer<Reply>;
}

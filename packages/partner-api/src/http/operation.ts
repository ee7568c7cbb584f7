import * as z from 'zod';
import {
  type Effect,
  InvalidRequestError,
  type OutcomeAdvice,
  type RequestRefusedError,
} from '../errors.js';
import { checkRequest, must } from '../schemas.js';

/** Which of the provider's addresses an operation is under (spec 4, 4.3, 4.4). */
export type BaseName = 'api' | 'merchants' | 'transfers';

/** Which key an operation carries: spec 5 shows the API key on all but the scheduled transfers. */
export type KeyName = 'apiKey' | 'transfersApiKey';

/** One operation of the provider's interface: what is shown of it, and what follows from it. */
export interface Operation<Reply extends z.ZodType = z.ZodType> {
  /** Named as it is called: `transactions.list`. */
  readonly name: string;
  readonly summary: string;
  readonly section: string;
  readonly method: 'GET' | 'POST';
  readonly base: BaseName;
  /** Segments below the base address; each is encoded. */
  readonly path: readonly string[];
  readonly key: KeyName;
  readonly effect: Effect;
  readonly request: z.ZodObject;
  readonly reply: Reply;
  /** What the document does not show, in addition to that of the schemas. */
  readonly notShown?: readonly string[];
  /** Places of an answer that must have their type; in other places another type is only drift. */
  readonly needs: readonly string[];
  /** Before the comparison with the schema; throws {@link UnsuccessfulReply}. */
  readonly prepare?: (body: Record<string, unknown>) => void;
  /** Statuses that mean something of their own here. */
  readonly refusals?: ReadonlyMap<
    number,
    { readonly type: typeof RequestRefusedError; readonly advice: string }
  >;
  /** Added to messages, by outcome: what a person should do next. */
  readonly advice?: OutcomeAdvice;
  /** An answer may lawfully take this long: no default time limit is shorter. */
  readonly minTimeoutSeconds?: number;
}

/**
 * How closely answers are compared with the provider's document: not at all; counted for the drift
 * report; or a field of another type is an error. Fields that the document does not list are never
 * an error.
 */
export type Validation = 'off' | 'warn' | 'strict';

/** What a caller can set for one call. */
export interface CallOptions {
  /** Gives up at once, in a pause between attempts too. */
  readonly signal?: AbortSignal | undefined;
  /** Limit of the whole call: attempts, pauses and bodies. */
  readonly timeoutSeconds?: number | undefined;
  readonly maxRetries?: number | undefined;
  /** Whether a create or a webhook call is repeated after a 429, too. */
  readonly retryRateLimited?: boolean | undefined;
  /** How closely the answer is compared with the document. */
  readonly validation?: Validation | undefined;
  /** Headers in addition to those that the client sets, for example for a gateway. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Fields that the spec does not show, added to the request body as they are. */
  readonly extraFields?: Readonly<Record<string, unknown>> | undefined;
}

/** An answer that says of itself that it is no success. */
export class UnsuccessfulReply extends Error {
  readonly data: unknown;

  constructor(data: unknown) {
    super('the answer says that it is no success');
    this.data = data;
  }
}

/** A JSON object. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Timers of JavaScript cannot be longer (2^31 − 1 ms): a longer one would end at once. */
const MAX_SECONDS = 2_147_483;
const SECONDS = `must be a number of seconds above 0 and at most ${MAX_SECONDS}`;
const COUNT = 'must be a whole number, 0 or more';

/** What can be set for a client and for a call. */
export const CALL_LIMITS = {
  timeoutSeconds: z.number(must(SECONDS)).positive(SECONDS).max(MAX_SECONDS, SECONDS).optional(),
  maxRetries: z.int(must(COUNT)).nonnegative(COUNT).optional(),
  // A text such as 'no' counts as yes in JavaScript.
  retryRateLimited: z.boolean(must('must be true or false')).optional(),
  validation: z
    .enum(['off', 'warn', 'strict'], must("must be 'off', 'warn' or 'strict'"))
    .optional(),
};

/** Options with these names and no others. */
export function optionsObject(shape: z.ZodRawShape): z.ZodObject {
  const names = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys'
        ? `is not an option; there are ${names}`
        : `must be an object; there are ${names}`,
  });
}

const OPTIONS = optionsObject({
  signal: z.instanceof(AbortSignal, { error: 'must be an AbortSignal' }).optional(),
  ...CALL_LIMITS,
  headers: z.unknown().optional(),
  extraFields: z.unknown().optional(),
} satisfies Record<keyof CallOptions, z.ZodType>);

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

/** Checks what a caller set for one call. */
export function checkCallOptions(operation: string, fields: object, options: CallOptions): void {
  checkRequest(operation, OPTIONS, options, 'options');
  for (const name of Object.keys(options.extraFields ?? {})) {
    const value: unknown = Object.getOwnPropertyDescriptor(fields, name)?.value;
    if (value === undefined) continue;
    throw new InvalidRequestError(name, 'is set twice: leave it out of extraFields', operation);
  }
  for (const [name, value] of Object.entries<unknown>(options.headers ?? {})) {
    const field = `headers.${name}`;
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || OWN_HEADERS.has(name.toLowerCase())) {
      throw new InvalidRequestError(field, 'cannot be set for a call', operation);
    }
    if (typeof value !== 'string' || !/^[\t -~]*$/.test(value)) {
      throw new InvalidRequestError(field, 'must be printable ASCII text', operation);
    }
  }
}

import type { RequestRefusedError, OutcomeAdvice } from '../errors.js';
import type { DriftSink, Validation } from './drift.js';
import type { OperationFacts } from './operation-facts.js';

/** One operation of the provider's interface: what is shown of it, and how its answer is read. */
export interface Operation<Reply> extends OperationFacts {
  /** Looks at the parts of an answer that the client relies on; throws {@link UnexpectedShape}. */
  readonly readReply: (body: unknown) => Reply;
  /** Compares every field with the document, after `readReply`. Made from the contract. */
  readonly checkReply: (body: unknown, drift: DriftSink) => void;
  /** Statuses that mean something of their own here. */
  readonly refusals?: ReadonlyMap<number, typeof RequestRefusedError>;
  /** Added to messages, by outcome: what a person should do next. */
  readonly advice?: OutcomeAdvice;
  /** An answer may lawfully take this long: no default time limit is shorter. */
  readonly patienceSeconds?: number;
}

/** What a caller can set for one call. */
export interface CallOptions {
  /** Gives up at once, in a pause between attempts too. */
  readonly signal?: AbortSignal | undefined;
  /** Limit of the whole call: attempts, pauses and bodies. */
  readonly timeoutSeconds?: number | undefined;
  /** Limit of one attempt, its body included. */
  readonly attemptTimeoutSeconds?: number | undefined;
  readonly maxRetries?: number | undefined;
  /** How closely the answer is compared with the document. */
  readonly validation?: Validation | undefined;
  /** Headers beside those that the client sets, for example of a gateway in between. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Fields that the spec does not show, added to the request body as they are. */
  readonly extraFields?: Readonly<Record<string, unknown>> | undefined;
}

/** An answer whose shape is not the one of the spec: where, and what was expected. No values. */
export class UnexpectedShape extends Error {
  constructor(path: string, expected: string) {
    super(`${path} is not ${expected}`);
  }
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

/** Reads an object of an answer. */
export function expectObject(value: unknown, path: string): JsonObject {
  if (isObject(value)) return value;
  throw new UnexpectedShape(path, 'an object');
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a text of an answer that must not be empty. */
export function expectText(value: unknown, path: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new UnexpectedShape(path, 'a text that is not empty');
}

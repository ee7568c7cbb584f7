import type { Effect } from './retry.js';

/** One operation of the provider's interface, as data. */
export interface Operation<Reply> {
  /** Named as it is called: `transactions.list`. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** Segments below the base address; each is encoded. */
  readonly path: readonly string[];
  readonly effect: Effect;
  /** Looks at the shape of an answer; throws {@link UnexpectedShape}. */
  readReply(body: unknown): Reply;
}

/** What a caller can set for one call. */
export interface CallOptions {
  /** Gives up at once, in a pause between attempts too. */
  readonly signal?: AbortSignal | undefined;
  /** Limit of the whole call: attempts, pauses and bodies. */
  readonly timeoutSeconds?: number | undefined;
  readonly maxRetries?: number | undefined;
  /** Fields that the spec does not show, added to the request body as they are. */
  readonly extraFields?: Readonly<Record<string, unknown>> | undefined;
}

/** An answer whose shape is not the one of the spec: where, and what was expected. No values. */
export class UnexpectedShape extends Error {
  constructor(path: string, expected: string) {
    super(`${path} is not ${expected}`);
  }
}

/** A JSON object. */
export type JsonObject = Record<string, unknown>;

/** Reads an object of an answer. */
export function expectObject(value: unknown, path: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as JsonObject;
  }
  throw new UnexpectedShape(path, 'an object');
}

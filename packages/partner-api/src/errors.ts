import type { Secret } from './secret.js';

/**
 * What is known about the effect of a failed call, all its attempts together:
 * `not_sent`, no byte of the request left; `refused`, the provider refused and did nothing;
 * `unknown`, it may have been carried out.
 */
export type Outcome = 'not_sent' | 'refused' | 'unknown';

/**
 * What an operation does, which decides whether a failed attempt may be repeated:
 * `read` changes nothing; `set` has the same effect when it arrives twice; `create` may do something
 * new each time it arrives; `once` must never be sent a second time automatically.
 */
export type Effect = 'read' | 'set' | 'create' | 'once';

/** What a person should do next, by outcome; added to messages. */
export type OutcomeAdvice = Readonly<Partial<Record<Outcome, string>>>;

/** What every error of this package carries in addition to its message. */
export interface PartnerApiErrorDetails {
  /** For example `checkoutSessions.create`. */
  readonly operation: string;
  /** The attempt that failed, counted from 1; 0 when nothing was tried. */
  readonly attempt: number;
  readonly outcome: Outcome;
  readonly effect?: Effect | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** What the provider asked for in `Retry-After`, in either of its forms. */
  readonly retryAfterSeconds?: number | undefined;
  readonly body?: string | undefined;
  readonly providerMessage?: string | undefined;
  readonly cause?: unknown;
  readonly advice?: OutcomeAdvice | undefined;
}

/** The base of every error of this package. Messages hold no secret and nothing of a body. */
export class PartnerApiError extends Error {
  readonly operation: string;
  readonly attempt: number;
  readonly outcome: Outcome;
  /** What the operation does: a `read` or a `set` may be repeated, whatever its outcome. */
  readonly effect: Effect | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly #body: string | undefined;
  readonly #providerMessage: string | undefined;

  constructor(message: string, details: PartnerApiErrorDetails) {
    const advice = details.advice?.[details.outcome];
    super(
      advice === undefined ? message : `${message} ${advice}`,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.operation = details.operation;
    this.attempt = details.attempt;
    this.outcome = details.outcome;
    this.effect = details.effect;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.#body = details.body;
    this.#providerMessage = details.providerMessage;
  }

  /**
   * Why the provider refused, in its own words: at most 200 characters, with every value of the
   * request masked. Show it to a person; do not log it. It is in no message and in no JSON.
   */
  get providerMessage(): string | undefined {
    return this.#providerMessage;
  }

  /** The body of an error answer as it came. It may hold personal data: do not log it. */
  rawBody(): string | undefined {
    return this.#body;
  }

  /** What is safe to log: no cause, no body. */
  toJSON(): Record<string, unknown> {
    const { name, message, operation, attempt, outcome, effect, status, requestId } = this;
    const { retryAfterSeconds } = this;
    const facts = { name, message, operation, attempt, outcome, effect, status, requestId };
    return { ...facts, retryAfterSeconds };
  }
}

/** A value of the caller that cannot be right. Found before anything is sent; `field` names it. */
export class InvalidRequestError extends PartnerApiError {
  readonly field: string;

  constructor(field: string, advice: string, operation: string) {
    super(`${operation}: ${field} ${advice}`, { operation, attempt: 0, outcome: 'not_sent' });
    this.field = field;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), field: this.field };
  }
}

/** No answer: the address was not found, the connection was refused, broken or not trusted. */
export class ConnectionError extends PartnerApiError {}

/** No complete answer in time, body included. */
export class TimeoutError extends PartnerApiError {}

/** The caller's `signal` was aborted; its reason is the `cause`. */
export class CallAbortedError extends PartnerApiError {}

/** What was wrong with an answer that could not be used. */
export type ResponseProblem =
  | 'cut_off'
  | 'empty'
  | 'html'
  | 'not_json'
  | 'too_large'
  | 'encoding'
  | 'malformed'
  | 'shape';

/** An answer that is not what the spec shows: a web page, a cut-off body, a field of another type. */
export class InvalidResponseError extends PartnerApiError {
  readonly problem: ResponseProblem;

  constructor(message: string, details: PartnerApiErrorDetails, problem: ResponseProblem) {
    super(message, details);
    this.problem = problem;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), problem: this.problem };
  }
}

/** 3xx. Redirects are never followed: they would carry the key, or repeat a POST. */
export class RedirectError extends PartnerApiError {}

/** A 4xx that has no class of its own. */
export class RequestRefusedError extends PartnerApiError {}

/** 401: the API key is missing, wrong or no longer valid. */
export class AuthenticationError extends RequestRefusedError {}

/** 403: the key is known and may not do this. */
export class PermissionError extends RequestRefusedError {}

/** 403 of partner analytics: the partner name is unknown (spec 4.5), or the key may not see it. */
export class UnknownPartnerError extends PermissionError {}

/** 404. Often a base address without its path prefix. */
export class NotFoundError extends RequestRefusedError {}

/** 409. */
export class ConflictError extends RequestRefusedError {}

/** 429. `retryAfterSeconds` says when to ask again, if the provider said it. */
export class RateLimitError extends RequestRefusedError {}

/** 5xx. What was asked for may have been done all the same. */
export class ServerError extends PartnerApiError {}

/** An answer that says `success: false` (spec 2.7). */
export class UnsuccessfulAnswerError extends PartnerApiError {
  readonly #data: unknown;

  constructor(message: string, details: PartnerApiErrorDetails, data: unknown) {
    super(message, details);
    this.#data = data;
  }

  /** `data` of the answer, as it came. A method, so that no log prints it by accident. */
  data(): unknown {
    return this.#data;
  }
}

/** Why the rest of a list cannot be requested. */
export type PaginationProblem = 'missing_pagination' | 'missing_cursor' | 'repeated_cursor';

/**
 * A list that was read only in part: a page does not say whether more follows, or announces more
 * with no cursor or with one that came before.
 */
export class PaginationError extends PartnerApiError {
  readonly problem: PaginationProblem;

  constructor(message: string, details: PartnerApiErrorDetails, problem: PaginationProblem) {
    super(message, details);
    this.problem = problem;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), problem: this.problem };
  }
}

/** A webhook exists, and the sink could not store its key: `hmacKey` is the only copy. */
export class KeyNotStoredError extends PartnerApiError {
  readonly webhookId: string;
  readonly hmacKey: Secret;

  constructor(
    message: string,
    details: PartnerApiErrorDetails,
    { webhookId, hmacKey }: { webhookId: string; hmacKey: Secret },
  ) {
    super(message, details);
    this.webhookId = webhookId;
    this.hmacKey = hmacKey;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), webhookId: this.webhookId };
  }
}

const CLASSES = {
  PartnerApiError,
  InvalidRequestError,
  ConnectionError,
  TimeoutError,
  CallAbortedError,
  InvalidResponseError,
  RedirectError,
  RequestRefusedError,
  AuthenticationError,
  PermissionError,
  UnknownPartnerError,
  NotFoundError,
  ConflictError,
  RateLimitError,
  ServerError,
  UnsuccessfulAnswerError,
  PaginationError,
  KeyNotStoredError,
};
const NAMES = new Set(Object.keys(CLASSES));
// Names that no minifier changes.
for (const [name, { prototype }] of Object.entries(CLASSES)) prototype.name = name;

/**
 * Whether a caught value is an error of this package. It goes by name and fields and not by
 * `instanceof`, so that it works across copies of the package; the fields distinguish our
 * `TimeoutError` from the platform's.
 */
export function isPartnerApiError(value: unknown): value is PartnerApiError {
  if (typeof value !== 'object' || value === null) return false;
  const { name, operation, outcome } = value as Partial<PartnerApiError>;
  return (
    typeof name === 'string' &&
    NAMES.has(name) &&
    typeof operation === 'string' &&
    (outcome === 'not_sent' || outcome === 'refused' || outcome === 'unknown')
  );
}

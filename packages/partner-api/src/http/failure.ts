import {
  AuthenticationError,
  CallAbortedError,
  ConflictError,
  ConnectionError,
  type Effect,
  InvalidRequestError,
  InvalidResponseError,
  NotFoundError,
  type Outcome,
  type OutcomeAdvice,
  type PartnerApiError,
  type PartnerApiErrorDetails,
  PermissionError,
  RateLimitError,
  RedirectError,
  RequestRefusedError,
  type ResponseProblem,
  ServerError,
  TimeoutError,
} from '../errors.js';
import type { Secret } from '../secret.js';
import type { Operation } from './operation.js';
import { providerMessageIn } from './provider-message.js';
import { parseRetryAfter, TimeLimitReached } from './retry.js';
import { TransportError, type TransportHead, type TransportProblem } from './transport.js';

/** What all errors of one attempt have in common. */
export interface AttemptContext {
  readonly operation: string;
  readonly effect: Effect;
  readonly attempt: number;
  readonly url: URL;
  readonly requestIdHeader: string;
  readonly nowMilliseconds: number;
  readonly advice?: OutcomeAdvice | undefined;
  /** Takes the secrets of the call out of a text of the provider. */
  readonly hide: (text: string) => string;
  /** What was sent: no error may repeat it. */
  readonly sent: readonly unknown[];
  readonly refusals?: Operation['refusals'];
}

const BY_STATUS = new Map<number, typeof RequestRefusedError>([
  [401, AuthenticationError],
  [403, PermissionError],
  [404, NotFoundError],
  [409, ConflictError],
  [429, RateLimitError],
]);

/** Parts of {@link PartnerApiErrorDetails} that the head of an answer gives. */
export function describeHead(
  context: AttemptContext,
  { status, headers }: TransportHead,
): Pick<
  PartnerApiErrorDetails,
  'operation' | 'effect' | 'attempt' | 'status' | 'requestId' | 'retryAfterSeconds' | 'advice'
> {
  const requestId = headers[context.requestIdHeader];
  return {
    operation: context.operation,
    effect: context.effect,
    attempt: context.attempt,
    status,
    // A request id is for people to quote: anything long or odd is not one.
    requestId:
      requestId !== undefined && /^[!-~]{1,200}$/.test(requestId)
        ? context.hide(requestId)
        : undefined,
    retryAfterSeconds: parseRetryAfter(headers, context.nowMilliseconds),
    advice: context.advice,
  };
}

/** The error for an answer that is no success. */
export function failureOfStatus(
  context: AttemptContext,
  head: TransportHead,
  body?: string,
): PartnerApiError {
  const { operation } = context;
  const { status } = head;
  const details = { ...describeHead(context, head), ...describeBody(context, body) };
  if (status >= 300 && status < 400) {
    const target = redirectTarget(head, context);
    return new RedirectError(
      `${operation}: the provider answered with a redirect (${status}) to ${target}. Redirects are ` +
        'not followed: set baseUrl to the final address.',
      // 307 and 308 ask to send the same again; the others may answer a POST that was carried out.
      { ...details, outcome: status === 307 || status === 308 ? 'refused' : 'unknown' },
    );
  }
  if (status >= 400 && status < 500) {
    const special = context.refusals?.get(status);
    const Refusal = special?.type ?? BY_STATUS.get(status) ?? RequestRefusedError;
    const message = `${operation}: the provider refused the request (${status}).`;
    const advice = special === undefined ? details.advice : { refused: special.advice };
    return new Refusal(message, { ...details, advice, outcome: 'refused' });
  }
  if (status >= 500 && status < 600) {
    const message = `${operation}: the provider failed (${status}).`;
    return new ServerError(message, { ...details, outcome: 'unknown' });
  }
  const message = `${operation}: the answer has an impossible status (${status}).`;
  return new InvalidResponseError(message, { ...details, outcome: 'unknown' }, 'malformed');
}

/** Parts of {@link PartnerApiErrorDetails} that the body of an error answer gives. */
export function describeBody(
  { hide, sent }: AttemptContext,
  body: string | undefined,
): Pick<PartnerApiErrorDetails, 'body' | 'providerMessage'> {
  if (body === undefined) return {};
  return { body, providerMessage: providerMessageIn(hide(body), sent) };
}

function redirectTarget({ headers }: TransportHead, { url: from, hide }: AttemptContext): string {
  const location = hide(headers['location'] ?? '');
  if (location === '' || !URL.canParse(location, from.href)) return 'an unnamed address';
  // Only the origin is shown: paths and queries of redirects may hold tokens.
  const { origin } = new URL(location, from);
  return origin === from.origin ? 'the same origin' : `another origin, ${origin}`;
}

const UNUSABLE: Partial<Record<TransportProblem, [ResponseProblem, string]>> = {
  cut_off: ['cut_off', 'the answer was cut off before its end.'],
  too_large: ['too_large', 'the answer is larger than maxResponseBytes.'],
  encoding: ['encoding', 'the compression of the answer cannot be undone.'],
  malformed: ['malformed', 'the answer is not valid HTTP.'],
};

/** The error for whatever a transport threw. */
export function failureOfTransport(
  context: AttemptContext,
  thrown: unknown,
  signal: AbortSignal,
  hideSecrets: (error: unknown) => unknown,
): PartnerApiError {
  const { operation, effect, attempt, advice } = context;
  const known = thrown instanceof TransportError ? thrown : undefined;
  const head = known?.head;
  const outcome: Outcome = known?.sent === false ? 'not_sent' : 'unknown';
  const cause = hideSecrets(known === undefined ? thrown : known.cause);
  const details = {
    ...(head === undefined ? { operation, effect, attempt, advice } : describeHead(context, head)),
    outcome,
    cause,
  };
  const reason: unknown = signal.aborted ? signal.reason : undefined;
  if (signal.aborted && !(reason instanceof TimeLimitReached)) {
    return failureOfAbort(details, reason);
  }
  // The status is enough: the body of such an answer is not needed.
  if (head !== undefined && (head.status < 200 || head.status >= 300)) {
    return failureOfStatus(context, head);
  }
  if (reason instanceof TimeLimitReached) {
    const where = head === undefined ? '' : ' (its headers had arrived)';
    return new TimeoutError(
      `${operation}: no complete answer${where} within the ${reason.seconds} s of the ${reason.limit}.`,
      { ...details, cause: reason },
    );
  }
  const unusable = known === undefined ? undefined : UNUSABLE[known.problem];
  if (unusable !== undefined) {
    return new InvalidResponseError(`${operation}: ${unusable[1]}`, details, unusable[0]);
  }
  if (known?.problem === 'unsupported') {
    return new InvalidRequestError(
      'transport',
      'cannot send a body with GET, which fetch forbids; run this operation on Node',
      operation,
    );
  }
  return new ConnectionError(
    `${operation}: ${outcome === 'not_sent' ? 'could not connect to' : 'lost the connection to'} ` +
      `${context.url.host}${codeOf(known?.cause)}.`,
    details,
  );
}

/** The error for a signal that the caller aborted. */
export function failureOfAbort(details: PartnerApiErrorDetails, reason: unknown): CallAbortedError {
  const message = `${details.operation}: the caller aborted the call.`;
  return new CallAbortedError(message, { ...details, cause: reason });
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[A-Z_0-9]{2,60}$/.test(code) ? ` (${code})` : '';
}

const MAX_CAUSES = 4;

/**
 * A copy of a foreign error that is safe to keep as `cause`: name, message and code, with the
 * secrets taken out. Transports of others hang whole requests, headers included, on their errors.
 */
export function hideSecrets(
  error: unknown,
  secrets: readonly Secret[],
  depth = MAX_CAUSES,
): Error | undefined {
  if (error === undefined || error === null || depth === 0) return undefined;
  const { name, message, code, cause } = error as Partial<NodeJS.ErrnoException>;
  const safeCause = hideSecrets(cause, secrets, depth - 1);
  const safe = new Error(
    hideIn(typeof message === 'string' ? message : 'not an error', secrets),
    safeCause === undefined ? undefined : { cause: safeCause },
  );
  // The stack of the copy would show where it was copied, and the original's may quote the message.
  delete safe.stack;
  if (typeof name === 'string') safe.name = hideIn(name, secrets);
  if (typeof code === 'string') Object.assign(safe, { code });
  return safe;
}

/** A text with the secrets taken out. */
export function hideIn(text: string, secrets: readonly Secret[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret.reveal(), '[secret]'), text);
}

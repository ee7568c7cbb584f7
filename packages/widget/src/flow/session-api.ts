import type {
  CheckoutConfigReply,
  CheckoutStatusReply,
  HintKind,
  NeedsReply,
  OpenCheckoutReply,
  OpenCheckoutRequest,
  OpeningReply,
  Problem,
} from '@pay-checkout/session-server/contract';
import { backOffMs, pause } from './pause.js';

/** Opens a checkout. The default asks the session server; `createSession` may replace it. */
export type CreateSession = (
  request: OpenCheckoutRequest,
  signal: AbortSignal,
) => Promise<OpenCheckoutReply | NeedsReply | OpeningReply>;

/** What went wrong between this page and the session server, as a code that labels turn to words. */
export class SessionApiError extends Error {
  override readonly name = 'SessionApiError';
  readonly code: string;
  /** Whether the same request could go well later. */
  readonly retryable: boolean;
  readonly requestId: string | undefined;

  constructor(code: string, retryable: boolean, requestId?: string, cause?: unknown) {
    super(code, { cause });
    this.code = code;
    this.retryable = retryable;
    this.requestId = requestId;
  }
}

const REQUEST_TIMEOUT_MS = 20_000;
const LONGEST_WAIT_SECONDS = 25;
const OPEN_TRIES = 4;
const OPENING_LIMIT_MS = 60_000;

/**
 * `POST /v1/checkouts`, asked again while another request is opening the same one (202) and, a few
 * times, when the network or the server fails: the server opens one session however often it is asked.
 */
export async function openCheckout(
  create: CreateSession,
  request: OpenCheckoutRequest,
  signal: AbortSignal,
): Promise<OpenCheckoutReply> {
  const giveUpAt = Date.now() + OPENING_LIMIT_MS;
  for (let tries = 1; ;) {
    let waitMs: number;
    try {
      const reply = await create(request, signal);
      if ('needs' in reply) throw new SessionApiError('address_needed', false);
      if (reply.state !== 'opening') return reply;
      waitMs = Math.max(250, reply.retryAfterSeconds * 1000);
    } catch (error) {
      const isPassing = error instanceof SessionApiError && error.retryable;
      if (signal.aborted || !isPassing || tries >= OPEN_TRIES) throw error;
      waitMs = backOffMs(tries++);
    }
    if (Date.now() + waitMs > giveUpAt) throw new SessionApiError('opening_timeout', true);
    await pause(waitMs, signal);
    signal.throwIfAborted();
  }
}

/** The `createSession` of the session server at `server`. */
export function serverSession(server: string): CreateSession {
  return (request, signal) =>
    ask(`${server}/v1/checkouts`, REQUEST_TIMEOUT_MS, signal, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
}

/** `GET /v1/checkout-config`: what may be loaded before anything is opened. */
export function fetchConfig(
  server: string,
  merchant: string,
  signal: AbortSignal,
): Promise<CheckoutConfigReply> {
  const query = new URLSearchParams({ merchant });
  return ask(`${server}/v1/checkout-config?${query}`, REQUEST_TIMEOUT_MS, signal);
}

/**
 * `GET /v1/checkouts` for one checkout. With a `revision` it answers when that one is passed, or
 * after 25 seconds; without, at once.
 */
export function fetchStatus(
  server: string,
  checkout: string,
  revision: number | undefined,
  signal: AbortSignal,
): Promise<CheckoutStatusReply> {
  const wait = revision === undefined ? 0 : LONGEST_WAIT_SECONDS;
  const query = new URLSearchParams({ id: `${checkout}:${revision ?? 0}`, wait: `${wait}` });
  return ask(`${server}/v1/checkouts?${query}`, wait * 1000 + REQUEST_TIMEOUT_MS, signal);
}

/** Tells the server a hint. It outlives the page, and a lost one costs nothing but time. */
export async function sendHint(server: string, checkout: string, kind: HintKind): Promise<void> {
  try {
    await fetch(`${server}/v1/checkouts/${encodeURIComponent(checkout)}/hints`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind }),
      credentials: 'omit',
      keepalive: true,
    });
  } catch {
    return;
  }
}

/** Whatever was thrown, as an error with a code. */
export function asSessionApiError(error: unknown): SessionApiError {
  return error instanceof SessionApiError
    ? error
    : new SessionApiError('session_failed', true, undefined, error);
}

async function ask<Reply>(
  url: string,
  timeoutMs: number,
  signal: AbortSignal,
  init: RequestInit = {},
): Promise<Reply> {
  try {
    const response = await fetch(url, {
      ...init,
      credentials: 'omit',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    if (!response.ok) throw await refusal(response);
    return (await response.json()) as Reply;
  } catch (error) {
    if (error instanceof SessionApiError) throw error;
    throw new SessionApiError('server_unreachable', true, undefined, error);
  }
}

async function refusal(response: Response): Promise<SessionApiError> {
  const { status } = response;
  const retryable = status >= 500 || status === 429 || status === 408;
  const problem: Partial<Problem> = await response.json().catch(() => ({}));
  const code = problem.code ?? (status >= 500 ? 'server_failed' : 'request_refused');
  return new SessionApiError(code, retryable, problem.requestId);
}

import type {
  CheckoutConfigReply,
  CheckoutStatusReply,
  HintRequest,
  NeedsReply,
  OpenCheckoutReply,
  OpenCheckoutRequest,
  OpeningReply,
  Problem,
} from '@pay-checkout/session-server/contract';
import { coded, CodedError } from '../coded-error.js';
import { backOffMs, pause } from './pause.js';

/** Opens a checkout. The default asks the session server; `createSession` may replace it. */
export type CreateSession = (
  request: OpenCheckoutRequest,
  signal: AbortSignal,
) => Promise<OpenCheckoutReply | NeedsReply | OpeningReply>;

/** Longer than the server and its provider take to give up. */
const REQUEST_TIMEOUT_MS = 25_000;
/** An opening waits for the hint before it, so that a cancel cannot overtake it. */
const HINT_TIMEOUT_MS = 5_000;
/** What the page's own code has: longer than a server or a script takes to be given up. */
const OWN_TIMEOUT_MS = 28_000;
/** What a poll may wait for news. */
export const LONGEST_WAIT_SECONDS = 25;
const OPEN_TRIES = 4;
/** Statuses of trouble that passes by itself within seconds, so that nobody need be told. */
const PASSING: readonly unknown[] = [0, 503, 504];
const OPENING_LIMIT_MS = 60_000;

/**
 * `POST /v1/checkouts`, asked again while another request is opening the same one (202) and, a few
 * times, when the network or the server fails: the server opens one session however often it is asked.
 */
export async function openCheckout(
  create: CreateSession,
  request: OpenCheckoutRequest,
  signal: AbortSignal,
): Promise<OpenCheckoutReply | NeedsReply> {
  const giveUpAt = Date.now() + OPENING_LIMIT_MS;
  for (let tries = 1; ;) {
    let waitMs: number;
    let failure: Error | undefined;
    try {
      const reply = await inTime(create(request, signal), 'session_failed', signal);
      if ('needs' in reply || reply.state !== 'opening') return reply;
      waitMs = Math.max(250, reply.retryAfterSeconds * 1000);
    } catch (error) {
      const { status } = Object(error) as Partial<CodedError>;
      if (signal.aborted || !PASSING.includes(status) || tries >= OPEN_TRIES) throw error;
      failure = error as Error;
      waitMs = backOffMs(tries++);
    }
    if (Date.now() + waitMs > giveUpAt) throw failure ?? new CodedError('opening_timeout');
    await pause(waitMs, signal);
    signal.throwIfAborted();
  }
}

/** The `createSession` of the session server at `server`. */
export function serverSession(server: string): CreateSession {
  return (request, signal) => ask(`${server}/v1/checkouts`, REQUEST_TIMEOUT_MS, signal, request);
}

/** What the page's own code promised, or trouble with `code` when it takes longer than any server. */
export function inTime<Kept>(
  work: Promise<Kept>,
  code: string,
  signal: AbortSignal,
): Promise<Kept> {
  const isLate = pause(OWN_TIMEOUT_MS, signal).then(() => {
    throw new CodedError(code, undefined, 408);
  });
  return Promise.race([work, isLate]);
}

/** `GET /v1/checkout-config`: what may be loaded before anything is opened. */
export function fetchConfig(
  server: string,
  merchant: string,
  signal: AbortSignal,
): Promise<CheckoutConfigReply> {
  const url = `${server}/v1/checkout-config?merchant=${encodeURIComponent(merchant)}`;
  return ask(url, REQUEST_TIMEOUT_MS, signal);
}

/**
 * `GET /v1/checkouts`: answers when one of the checkouts is further than its revision here, or after
 * `waitSeconds`.
 */
export function fetchStatuses(
  server: string,
  questions: readonly (readonly [checkout: string, revision: number])[],
  waitSeconds: number,
  signal: AbortSignal,
): Promise<CheckoutStatusReply> {
  const ids = questions.map(([id, revision]) => `id=${encodeURIComponent(id)}:${revision}&`);
  const url = `${server}/v1/checkouts?${ids.join('')}wait=${waitSeconds}`;
  return ask(url, waitSeconds * 1000 + REQUEST_TIMEOUT_MS, signal);
}

/**
 * Tells the server a hint, and of which session. It outlives the page, and a lost one costs nothing
 * but time.
 */
export async function sendHint(server: string, checkout: string, hint: HintRequest): Promise<void> {
  const url = `${server}/v1/checkouts/${encodeURIComponent(checkout)}/hints`;
  await ask(url, HINT_TIMEOUT_MS, undefined, hint).catch(() => undefined);
}

/** Whether asking the same again could go well: no answer, too much asked, or the server's own fault. */
export function isRetryable({ status }: CodedError): boolean {
  return [0, 408, 429].includes(status) || status >= 500;
}

async function ask<Reply>(
  url: string,
  timeoutMs: number,
  signal?: AbortSignal,
  body?: unknown,
): Promise<Reply> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      // Whatever some script gave all objects, this one does not have.
      __proto__: null,
      ...(body !== undefined && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
      credentials: 'omit',
      // What has no signal of its own outlives the page.
      keepalive: !signal,
      signal: AbortSignal.any([signal ?? timeout, timeout]),
    } as RequestInit);
    const { ok, status } = response;
    const read = async (): Promise<unknown> => JSON.parse(await response.text(), bare);
    if (ok) return (await read()) as Reply;
    const problem = (await read().catch(() => ({}))) as Partial<Problem>;
    const code = problem.code ?? (status >= 500 ? 'server_failed' : 'request_refused');
    const fields = problem.errors?.map(({ field }) => field);
    throw new CodedError(code, undefined, status, problem.requestId, fields);
  } catch (error) {
    throw coded(error, 'server_unreachable');
  }
}

/** For `JSON.parse()`: an object has only what was sent, whatever some script gave all objects. */
function bare(_: string, value: unknown): unknown {
  return value?.constructor === Object ? Object.setPrototypeOf(value, null) : value;
}

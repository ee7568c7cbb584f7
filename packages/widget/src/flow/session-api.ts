import type {
  CheckoutConfigReply,
  CheckoutStatusReply,
  HintRequest,
  NeedsReply,
  CreateCheckoutReply,
  CreateCheckoutRequest,
  OpeningReply,
  PreviewReply,
  Problem,
} from '@pay-checkout/session-server/contract';
import { coded, CodedError } from '../coded-error.js';
import { backOffMs, pause } from '../pause.js';

/** Creates a checkout. The default asks the session server; `createSession` may replace it. */
export type CreateSession = (
  request: CreateCheckoutRequest,
  signal: AbortSignal,
) => Promise<CreateCheckoutReply | NeedsReply | OpeningReply>;

/** Longer than the server and its provider take to give up. */
const REQUEST_TIMEOUT_MS = 25_000;
/** Creating a checkout waits for the hint before it, so that a cancel cannot arrive first. */
const HINT_TIMEOUT_MS = 5_000;
/** For the page's own code: longer than the timeouts of a request and of a script. */
const PAGE_CODE_TIMEOUT_MS = 28_000;
/** How long a poll may wait for a change. */
export const MAX_WAIT_SECONDS = 25;
const MAX_TRIES = 4;
/** Statuses of errors that usually pass within seconds. */
const TRANSIENT_STATUSES: readonly unknown[] = [0, 503, 504];
const MAX_OPENING_MS = 60_000;

/**
 * `POST /v1/checkouts`, repeated while another request is creating the same one (202) and, a few times,
 * when the network or the server fails: repeated requests share one session.
 */
export async function createCheckout(
  create: CreateSession,
  request: CreateCheckoutRequest,
  signal: AbortSignal,
): Promise<CreateCheckoutReply | NeedsReply> {
  const giveUpAt = Date.now() + MAX_OPENING_MS;
  for (let tries = 1; ;) {
    let waitMs: number;
    let failure: Error | undefined;
    try {
      const reply = await withTimeout(create(request, signal), 'session_failed', signal);
      if ('needs' in reply || reply.state !== 'opening') return reply;
      waitMs = Math.max(250, reply.retryAfterSeconds * 1000);
    } catch (error) {
      const { status } = Object(error) as Partial<CodedError>;
      if (signal.aborted || !TRANSIENT_STATUSES.includes(status) || tries >= MAX_TRIES) throw error;
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
  return (request, signal) => send(`${server}/v1/checkouts`, REQUEST_TIMEOUT_MS, signal, request);
}

/** What the order of `request` costs. Opens nothing. */
export function fetchPreview(
  server: string,
  request: CreateCheckoutRequest,
  signal: AbortSignal,
): Promise<PreviewReply> {
  return serverSession(server)({ ...request, preview: true }, signal) as Promise<PreviewReply>;
}

/** What the page's own code promised, or an error with `code` when it takes too long. */
export function withTimeout<Result>(
  work: Promise<Result>,
  code: string,
  signal: AbortSignal,
): Promise<Result> {
  const isLate = pause(PAGE_CODE_TIMEOUT_MS, signal).then(() => {
    throw new CodedError(code, undefined, 408);
  });
  return Promise.race([work, isLate]);
}

/** By address. */
const configs = new Map<string, Promise<CheckoutConfigReply>>();

/** `GET /v1/checkout-config`: what may be loaded before a checkout exists. One promise for all tags. */
export function fetchConfig(server: string, merchant: string): Promise<CheckoutConfigReply> {
  const url = `${server}/v1/checkout-config?merchant=${encodeURIComponent(merchant)}`;
  let config = configs.get(url);
  if (!config) {
    config = sendForAll(url);
    configs.set(url, config);
    config.catch(() => configs.delete(url));
  }
  return config;
}

/** The element's texts in `language` (`de` for `de-AT`); none if the server does not have them. */
export async function fetchLabels(server: string, language: string): Promise<object> {
  return sendForAll(`${server}/v1/languages/${encodeURIComponent(language)}`);
}

/**
 * `GET /v1/checkouts`: answers when one of the checkouts has a newer revision than named, or after
 * `waitSeconds`.
 */
export function fetchStatuses(
  server: string,
  revisions: readonly (readonly [checkout: string, revision: number])[],
  waitSeconds: number,
  signal: AbortSignal,
): Promise<CheckoutStatusReply> {
  const ids = revisions.map(([id, revision]) => `id=${encodeURIComponent(id)}:${revision}&`);
  const url = `${server}/v1/checkouts?${ids.join('')}wait=${waitSeconds}`;
  return send(url, waitSeconds * 1000 + REQUEST_TIMEOUT_MS, signal);
}

/** What was last said of a card that was submitted, by checkout. */
const latestHints = new Map<string, HintRequest>();

/**
 * Sends a hint about a session. The request outlives the page. Most that are lost only cost time; a
 * submitted card is what every other page of the order has to know, so that one is repeated until
 * something newer is said of it. That its payment was declined, or its session has expired, waits for
 * the hint `before` it: overtaken by that one, the server would hold the card to be submitted.
 */
export async function sendHint(
  server: string,
  checkout: string,
  hint: HintRequest,
  before?: Promise<void>,
): Promise<void> {
  const url = `${server}/v1/checkouts/${encodeURIComponent(checkout)}/hints`;
  const { signal } = new AbortController();
  const isOver = ['declined', 'expired'].includes(hint.kind);
  if (isOver || hint.kind === 'submitted') latestHints.set(checkout, hint);
  if (isOver) await before;
  for (let tries = 1; ; tries += 1) {
    try {
      await send(url, HINT_TIMEOUT_MS, undefined, hint);
      return;
    } catch (error) {
      const mayHelp = hint.kind === 'submitted' && isRetryable(error as CodedError);
      if (!mayHelp || tries >= MAX_TRIES) return;
      await pause(backOffMs(tries), signal);
      if (latestHints.get(checkout) !== hint) return;
    }
  }
}

/** Whether the same request may succeed later: no answer, rate limited, or the server's own error. */
export function isRetryable({ status }: CodedError): boolean {
  return [0, 408, 429].includes(status) || status >= 500;
}

/**
 * What all tags wait for together. Not within the call of one: Chromium retains all that is on the stack
 * while a request is pending.
 */
function sendForAll<Reply>(url: string): Promise<Reply> {
  return Promise.resolve().then(() => send<Reply>(url, REQUEST_TIMEOUT_MS));
}

async function send<Reply>(
  url: string,
  timeoutMs: number,
  signal?: AbortSignal,
  body?: object,
): Promise<Reply> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const isHint = Boolean(body && !signal);
  try {
    const response = await fetch(url, {
      // Nothing that a script added to Object.prototype is an option.
      __proto__: null,
      method: body && 'POST',
      // What creates a checkout goes as text: the browser asks for no leave before it.
      headers: isHint ? { 'content-type': 'application/json' } : undefined,
      body: body && JSON.stringify(body),
      // As a preload has it: only then is it used. To another origin both omit them.
      credentials: body ? 'omit' : 'same-origin',
      // A hint outlives the page.
      keepalive: isHint,
      signal: AbortSignal.any([signal ?? timeout, timeout]),
    } as RequestInit);
    const { ok, status } = response;
    const read = async (): Promise<unknown> => JSON.parse(await response.text(), withoutPrototype);
    if (ok) return (await read()) as Reply;
    const problem = (await read().catch(() => ({}))) as Partial<Problem>;
    const code = problem.code ?? (status >= 500 ? 'server_failed' : 'request_refused');
    const { requestId, errors, detail, unpaid } = problem;
    const fields = errors?.map(({ field }) => field);
    throw new CodedError(code, undefined, status, requestId, fields, detail, unpaid);
  } catch (error) {
    // No server can allow the origin of a sandboxed frame, or of a file: asking again does not help.
    if (globalThis.origin === 'null') throw coded(error, 'page_without_origin', 403);
    throw coded(error, 'server_unreachable');
  }
}

/** For `JSON.parse()`: objects have only what was sent, whatever a script added to Object.prototype. */
function withoutPrototype(_: string, value: unknown): unknown {
  const isRecord = Object(value) === value && !Array.isArray(value);
  return isRecord ? Object.setPrototypeOf(value, null) : value;
}

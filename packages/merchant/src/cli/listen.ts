import { Webhook } from 'standardwebhooks';
import { pause, reasonOf } from '../api-client.js';
import type { PayCheckout } from '../client.js';
import { isPayCheckoutError } from '../errors.js';
import type { FeedEvent } from '../events.js';

export interface Terminal {
  readonly write: (line: string) => void;
  readonly writeError: (line: string) => void;
  /** Ctrl-C. */
  readonly stop: AbortSignal;
}

export interface ListenOptions {
  readonly pay: PayCheckout;
  readonly signingSecret: string;
  readonly forwardTo: string;
  readonly after: string | undefined;
  readonly isFromStart: boolean;
}

const POLL_PAUSE_MS = 1000;
/** After a failure of the session server. */
const FAILURE_PAUSE_MS = 5000;
const MAX_RETRY_PAUSE_MS = 15_000;
/** As long as the session server waits for an answer. */
const ANSWER_TIMEOUT_MS = 15_000;
/** To pass over old events quickly. */
const LARGE_PAGE = 100;

/**
 * Follows the feed and posts each event to the shop, one at a time, until it is acknowledged; ends when
 * `stop` does.
 *
 * @throws {PayCheckoutError} when the session server refuses the request: then it would refuse the next one
 */
export async function listen(options: ListenOptions, terminal: Terminal): Promise<void> {
  const { pay, forwardTo, isFromStart } = options;
  const { write, stop } = terminal;
  let { after } = options;
  let isPassingOver = after === undefined && !isFromStart;
  if (!isPassingOver) write(readySentence(pay, forwardTo));
  while (!stop.aborted) {
    const page = await pay.events
      .list({ after, limit: LARGE_PAGE, signal: stop })
      .catch((error: unknown) => {
        if (stop.aborted || isTransient(error)) return error as Error;
        throw error;
      });
    if (page instanceof Error) {
      if (stop.aborted) break;
      write(`${clock()} ${page.message} Again in ${FAILURE_PAUSE_MS / 1000} s.`);
      await pause(FAILURE_PAUSE_MS, stop);
      continue;
    }
    if (isPassingOver) {
      after = page.cursor;
      if (page.hasMore) continue;
      isPassingOver = false;
      write(readySentence(pay, forwardTo));
      continue;
    }
    for (const event of page.events) {
      if (!(await forward(event, options, terminal))) break;
      after = event.cursor;
    }
    if (!page.hasMore) await pause(POLL_PAUSE_MS, stop);
  }
  write(after === undefined ? 'Stopped.' : `Stopped. To go on from here: --after ${after}`);
}

/** Posts an event until it is acknowledged; resolves with false when `stop` comes first. */
async function forward(
  event: FeedEvent,
  { signingSecret, forwardTo }: ListenOptions,
  { write, stop }: Terminal,
): Promise<boolean> {
  const { id, type, timestamp, data } = event;
  const body = JSON.stringify({ type, timestamp, data });
  const webhook = new Webhook(signingSecret);
  for (let retryMs = 1000; !stop.aborted; retryMs = Math.min(retryMs * 2, MAX_RETRY_PAUSE_MS)) {
    const sentAt = new Date();
    const answer = await fetch(forwardTo, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
        'webhook-signature': webhook.sign(id, sentAt, body),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([stop, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
    }).then(
      async (response) => {
        await response.body?.cancel();
        return response.status;
      },
      (error: unknown) => `no answer (${reasonOf(error)})`,
    );
    if (stop.aborted) return false;
    const milliseconds = Date.now() - sentAt.getTime();
    const line = `${clock()} ${type} ${data.order} ${id} ${answer} ${milliseconds} ms`;
    if (typeof answer === 'number' && answer >= 200 && answer < 300) {
      write(line);
      return true;
    }
    write(`${line}, again in ${retryMs / 1000} s`);
    await pause(retryMs, stop);
  }
  return false;
}

/** Not what the session server refuses: it would refuse it again. */
function isTransient(error: unknown): boolean {
  if (!isPayCheckoutError(error)) return false;
  const { code, httpStatus: status = 0 } = error;
  return code === 'no_answer' || code === 'timeout' || status >= 500 || status === 429;
}

function readySentence({ merchant }: PayCheckout, forwardTo: string): string {
  return `Events of ${merchant} go to ${forwardTo}. Ctrl-C stops.`;
}

function clock(): string {
  return new Date().toTimeString().slice(0, 8);
}

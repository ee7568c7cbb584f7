import { pause } from '../api-client.js';
import type { PayCheckout } from '../client.js';
import { isPayCheckoutError } from '../errors.js';
import type { FeedEvent } from '../events.js';
import { deliver } from './deliver.js';
import type { Report, Terminal } from './report.js';

export interface ListenOptions {
  readonly pay: PayCheckout;
  readonly signingSecret: string;
  readonly forwardTo: string;
  readonly after: string | undefined;
  readonly isFromStart: boolean;
}

const POLL_PAUSE_MS = 1000;
/** After a failure of the session server. */
const FAILURE_PAUSE_MS = 2000;
const MAX_RETRY_PAUSE_MS = 15_000;
/** To pass over old events quickly. */
const LARGE_PAGE = 100;

/**
 * Follows the feed and posts each event to the shop, one at a time, until it is acknowledged; ends when
 * `stop` does.
 *
 * @throws {PayCheckoutError} when the session server refuses the request: then it would refuse the next one
 */
export async function listen(
  options: ListenOptions,
  { stop }: Terminal,
  report: Report,
): Promise<void> {
  const { pay, forwardTo, isFromStart } = options;
  const { merchant } = pay;
  const sayReady = (): void => {
    const sentence = `Events of ${merchant} go to ${forwardTo}. Ctrl-C stops.`;
    report.say(sentence, { kind: 'ready', merchant, forwardTo });
  };
  let { after } = options;
  let isPassingOver = after === undefined && !isFromStart;
  let isConnected = true;
  if (!isPassingOver) sayReady();
  while (!stop.aborted) {
    const page = await pay.events
      .list({ after, limit: LARGE_PAGE, signal: stop })
      .catch((error: unknown) => {
        if (stop.aborted || isTransient(error)) return error as Error;
        throw error;
      });
    if (page instanceof Error) {
      if (stop.aborted) break;
      isConnected = false;
      report.disconnected(page.message, FAILURE_PAUSE_MS);
      await pause(FAILURE_PAUSE_MS, stop);
      continue;
    }
    if (!isConnected) report.connected();
    isConnected = true;
    if (isPassingOver) {
      after = page.cursor;
      if (page.hasMore) continue;
      isPassingOver = false;
      sayReady();
      continue;
    }
    for (const event of page.events) {
      if (!(await forward(event, options, stop, report))) break;
      after = event.cursor;
    }
    if (!page.hasMore) await pause(POLL_PAUSE_MS, stop);
  }
  const goOn = after === undefined ? '' : ` To go on from here: --after ${after}`;
  report.say(`Stopped.${goOn}`, { kind: 'stopped', after });
}

/** Posts an event until it is acknowledged; resolves with false when `stop` comes first. */
async function forward(
  event: FeedEvent,
  { signingSecret, forwardTo }: ListenOptions,
  stop: AbortSignal,
  report: Report,
): Promise<boolean> {
  const { id, type, timestamp, data } = event;
  const body = JSON.stringify({ type, timestamp, data });
  for (let retryMs = 1000; !stop.aborted; retryMs = Math.min(retryMs * 2, MAX_RETRY_PAUSE_MS)) {
    const result = await deliver({ id, body, signingSecret, forwardTo, stop });
    if (stop.aborted) return false;
    const { status = 0 } = result;
    const isTaken = status >= 200 && status < 300;
    const { order } = data;
    report.answered({ type, order, id, ...result, retryMs: isTaken ? undefined : retryMs });
    if (isTaken) return true;
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

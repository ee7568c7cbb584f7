import type { CheckoutStatus } from '@pay-checkout/session-server/contract';
import { attempt } from '../attempt.js';
import { coded, type CodedError } from '../coded-error.js';
import { backOffMs, pause } from '../pause.js';
import { fetchStatuses, isRetryable, MAX_WAIT_SECONDS } from './session-api.js';

/** One element's interest in one checkout. */
export interface StatusSubscriber {
  readonly checkout: string;
  /** The revision that it has; 0 to be answered at once. */
  readonly revision: () => number;
  readonly onUpdate: (update: StatusUpdate) => void;
}

/** What the server answered about some checkouts. */
export interface StatusUpdate {
  readonly checkouts: readonly CheckoutStatus[];
  /** Why there was no answer, when a retry failed too or cannot help. */
  readonly error: CodedError | undefined;
}

/**
 * Polls the state of checkouts: one poll for all elements of all tabs of a browser.
 *
 * The tab that holds a lock polls for all tabs, and says over a channel which revisions it saw. Any page
 * of the origin can write to that channel, so a message is never an answer: a tab that has an older
 * revision asks the server once. A tab that receives nothing, because there are no locks or the polling tab
 * is frozen, polls for itself, with short requests and growing pauses. A network error only makes the
 * pauses grow: no clock of a page ever decides about a payment.
 */
export interface StatusPoller {
  /** Reports updates to `subscriber` until `signal` aborts. */
  subscribe(subscriber: StatusSubscriber, signal: AbortSignal): void;
  /** Polls at once. */
  poll(): void;
}

type Wanted = readonly [checkout: string, revision: number];

/** What tabs send each other. */
interface TabMessage {
  /** What a poll was about, with the revisions that it saw: the others reply with what they want. */
  readonly polled?: readonly Wanted[];
  readonly wanted?: readonly Wanted[];
}

/** Between two long polls: time for the other tabs to say what they want. */
const POLL_PAUSE_MS = 300;
/** Longer than a long poll takes; a browser may have frozen the polling tab. */
const MAX_SILENCE_MS = 30_000;
const MAX_CHECKOUTS = 20;

const pollers = new Map<string, StatusPoller>();

/** The one poller of this page for the checkouts of `server`. */
export function statusPoller(server: string): StatusPoller {
  const poller = pollers.get(server) ?? createPoller(server);
  pollers.set(server, poller);
  return poller;
}

function createPoller(server: string): StatusPoller {
  const name = `pay-checkout ${server}`;
  const subscribers = new Set<StatusSubscriber>();
  /** What other tabs have wanted since the last poll; they repeat it after each. */
  const wantedByTabs = new Map<string, number>();
  /** What the latest request is about. */
  let requested: ReadonlyMap<string, number> = new Map();
  let active: AbortController | undefined;
  let round = new AbortController();
  let channel: BroadcastChannel | undefined;
  /** Long in the tab that polls for all, 0 in a tab that polls for itself, undefined in the others. */
  let waitSeconds: number | undefined;
  /** Whether a tab that does not poll asks once. */
  let asksOnce = false;

  const post = (message: TabMessage): unknown => attempt(() => channel?.postMessage(message));

  /** What is wanted here and in the tabs that this one polls for, its own first. */
  const wanted = (): Wanted[] => {
    const revisions = new Map<string, number>();
    const add = (checkout: string, revision: number): unknown =>
      revisions.set(checkout, Math.min(revision, revisions.get(checkout) ?? revision));
    for (const { checkout, revision } of subscribers) add(checkout, revision());
    for (const [checkout, revision] of wantedByTabs) add(checkout, revision);
    return [...revisions].slice(0, MAX_CHECKOUTS);
  };

  /** Reports an answer here, and to the other tabs that there is one. */
  const publish = (update: StatusUpdate): void => {
    const revisionOf = (id: string): number =>
      update.checkouts.find(({ checkout }) => checkout === id)?.revision ?? 1;
    const polled = [...requested.keys()].map((id) => [id, revisionOf(id)] as const);
    if (waitSeconds !== undefined) post({ polled });
    wantedByTabs.clear();
    for (const { checkout, onUpdate } of [...subscribers]) {
      if (requested.has(checkout)) onUpdate(update);
    }
    if (waitSeconds === undefined && !update.error) post({ wanted: wanted() });
  };

  const receive = ({ polled, wanted: more = [] }: TabMessage): void => {
    let startsRound = false;
    if (polled) {
      const revisions = new Map(polled);
      for (const { checkout, revision } of subscribers) {
        const seen = revisions.get(checkout) ?? -1;
        startsRound ||= seen >= 0;
        asksOnce ||= seen > revision();
      }
      // Another tab polls for this one again.
      if (startsRound) waitSeconds ||= undefined;
      if (!asksOnce) post({ wanted: wanted() });
    } else if (waitSeconds) {
      for (const [id, revision] of more) {
        // A tab that knows less than was asked about is not left to wait for the next change.
        startsRound ||= revision < (requested.get(id) ?? Infinity);
        wantedByTabs.set(id, revision);
      }
    }
    if (startsRound) round.abort();
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    for (let tries = 0; !signal.aborted;) {
      round = new AbortController();
      const roundSignal = AbortSignal.any([signal, round.signal]);
      const seconds = waitSeconds ?? (asksOnce ? 0 : undefined);
      asksOnce = false;
      if (seconds === undefined) {
        await pause(MAX_SILENCE_MS, roundSignal);
        if (!roundSignal.aborted) waitSeconds = 0;
        continue;
      }
      requested = new Map(wanted());
      let waitMs: number;
      try {
        const reply = await fetchStatuses(server, [...requested], seconds, roundSignal);
        const { checkouts, retryAfterSeconds = 0 } = reply;
        tries = seconds ? 0 : tries + 1;
        waitMs = Math.max(seconds ? POLL_PAUSE_MS : backOffMs(tries), retryAfterSeconds * 1000);
        publish({ checkouts, error: undefined });
      } catch (thrown) {
        // What a tab asks once is asked until there is an answer.
        asksOnce ||= waitSeconds === undefined;
        if (roundSignal.aborted) continue;
        const error = coded(thrown, 'server_unreachable');
        // The first error may pass within a second.
        if (tries || !isRetryable(error)) publish({ checkouts: [], error });
        waitMs = backOffMs(++tries);
      }
      await pause(waitMs, roundSignal);
    }
  };

  const open = (signal: AbortSignal): void => {
    // A page without storage has no channel between tabs.
    channel = attempt(() => navigator.locks && new BroadcastChannel(name));
    waitSeconds = channel ? undefined : 0;
    void run(signal);
    if (!channel) return;
    channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
      try {
        receive(data);
      } catch {
        // From another version of this script, or not from this script.
      }
    };
    const pollForAllTabs = (): Promise<unknown> => {
      waitSeconds = MAX_WAIT_SECONDS;
      post({ polled: [] });
      round.abort();
      return new Promise((resolve) => signal.addEventListener('abort', resolve));
    };
    const holdLock = async (): Promise<unknown> =>
      navigator.locks.request(name, { signal }, () => signal.aborted || pollForAllTabs());
    // Held until the signal aborts: otherwise there are no locks after all.
    const onEnd = (): void => {
      if (signal.aborted) return;
      waitSeconds = 0;
      round.abort();
    };
    holdLock().then(onEnd, onEnd);
  };

  /** Hands the lock to another tab, and keeps nothing that would keep the page out of the bfcache. */
  const close = (): void => {
    active?.abort();
    attempt(() => channel?.close());
    active = channel = waitSeconds = undefined;
    wantedByTabs.clear();
  };

  const poller: StatusPoller = {
    subscribe(subscriber, signal) {
      subscribers.add(subscriber);
      signal.addEventListener('abort', () => {
        subscribers.delete(subscriber);
        if (subscribers.size === 0) close();
      });
      if (active) poller.poll();
      else {
        open((active = new AbortController()).signal);
        post({ wanted: wanted() });
      }
    },
    poll() {
      asksOnce = true;
      post({ wanted: wanted() });
      round.abort();
    },
  };
  return poller;
}

import type { CheckoutStatus } from '@pay-checkout/session-server/contract';
import { coded } from '../coded-error.js';
import { backOffMs, pause } from './pause.js';
import { fetchStatuses, isRetryable, LONGEST_WAIT_SECONDS } from './session-api.js';

/** One element's interest in one checkout. */
export interface Follower {
  readonly checkout: string;
  /** The revision that it has; 0 to be answered at once. */
  readonly revision: () => number;
  readonly hear: (news: News) => void;
}

/** What the server said when it was asked about some checkouts. */
export interface News {
  readonly asked: readonly string[];
  readonly checkouts: readonly CheckoutStatus[];
  /** Why there was no answer, when asking again brought none either, or cannot bring one. */
  readonly code?: string;
  readonly requestId?: string | undefined;
}

/**
 * Asks the server what became of checkouts: one poll for all elements of all tabs of a browser.
 *
 * The tab that holds a lock leads: it asks for everybody and tells the others over a channel. A tab
 * that nobody answers, because there are no locks or the leader is frozen, asks for itself, shortly
 * and at growing pauses. A network that fails only makes the pauses grow: no clock of a page ever
 * decides about a payment.
 */
export interface StatusFeed {
  /** Tells `follower` whatever is learned, until `signal` aborts. */
  follow(follower: Follower, signal: AbortSignal): void;
  /** Asks again at once. */
  look(): void;
}

type Question = readonly [checkout: string, revision: number];

/** What the tabs of a browser say to each other; a leader without news asks who wants what. */
interface TabMessage {
  readonly news?: News;
  readonly ask?: readonly Question[];
  /** Whether something happened there that makes an answer urgent. */
  readonly now?: boolean;
}

/** Between a leader's answers: time for the other tabs to ask again. */
const LEADER_PAUSE_MS = 300;
/** Longer than a leader's round takes; a browser may have frozen the tab that leads. */
const LONGEST_SILENCE_MS = 30_000;
const MOST_QUESTIONS = 20;

const feeds = new Map<string, StatusFeed>();

/** The one feed of this page about the checkouts of `server`. */
export function statusFeed(server: string): StatusFeed {
  const feed = feeds.get(server) ?? createFeed(server);
  feeds.set(server, feed);
  return feed;
}

function createFeed(server: string): StatusFeed {
  const name = `pay-checkout ${server}`;
  const followers = new Set<Follower>();
  /** What other tabs asked since the last answer; they ask again after each. */
  const others = new Map<string, number>();
  /** What the question that is on its way, or the last one, is about. */
  let asked: readonly string[] = [];
  let opened: AbortController | undefined;
  let round = new AbortController();
  let channel: BroadcastChannel | undefined;
  /** What a question may wait: long in a tab that leads, not at all in one that nobody answers. */
  let waitSeconds: number | undefined;

  const post = (message: TabMessage): unknown => channel?.postMessage(message);

  /** What is asked here and in the tabs that this one leads, our own first. */
  const questions = (): Question[] => {
    const revisions = new Map<string, number>();
    const add = (checkout: string, revision: number): unknown =>
      revisions.set(checkout, Math.min(revision, revisions.get(checkout) ?? revision));
    for (const { checkout, revision } of followers) add(checkout, revision());
    for (const [checkout, revision] of others) add(checkout, revision);
    return [...revisions].slice(0, MOST_QUESTIONS);
  };

  /** Whether the news were about something that is followed here. */
  const hear = (news: News): boolean => {
    const concerned = [...followers].filter(({ checkout }) => news.asked.includes(checkout));
    for (const follower of concerned) follower.hear(news);
    return concerned.length > 0;
  };

  const tell = (news: News): void => {
    post({ news });
    others.clear();
    hear(news);
  };

  const listen = ({ news, ask = [], now }: TabMessage): void => {
    let isUrgent = now;
    if (news) {
      isUrgent = hear(news);
      // Somebody answers again.
      if (isUrgent) waitSeconds ||= undefined;
      post({ ask: questions() });
    } else if (waitSeconds) {
      for (const [id, revision] of ask) {
        isUrgent ||= !asked.includes(id);
        others.set(id, revision);
      }
    } else return;
    if (isUrgent) round.abort();
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    for (let tries = 0; !signal.aborted;) {
      round = new AbortController();
      const over = AbortSignal.any([signal, round.signal]);
      const seconds = waitSeconds;
      if (seconds === undefined) {
        await pause(LONGEST_SILENCE_MS, over);
        if (!over.aborted) waitSeconds = 0;
        continue;
      }
      const wanted = questions();
      const ids = (asked = wanted.map(([id]) => id));
      let waitMs: number;
      try {
        const reply = await fetchStatuses(server, wanted, seconds, over);
        const { checkouts, retryAfterSeconds = 0 } = reply;
        tries = seconds ? 0 : tries + 1;
        waitMs = Math.max(seconds ? LEADER_PAUSE_MS : backOffMs(tries), retryAfterSeconds * 1000);
        tell({ asked: ids, checkouts });
      } catch (error) {
        if (over.aborted) continue;
        const trouble = coded(error, 'server_unreachable');
        const { code, requestId } = trouble;
        // What passes within a second, nobody need know.
        if (tries || !isRetryable(trouble)) tell({ asked: ids, checkouts: [], code, requestId });
        waitMs = backOffMs(++tries);
      }
      await pause(waitMs, over);
    }
  };

  const begin = (signal: AbortSignal): void => {
    const { locks } = navigator;
    try {
      channel = locks && new BroadcastChannel(name);
    } catch {
      // A page that may keep nothing has tabs that may say nothing to each other.
    }
    waitSeconds = channel ? undefined : 0;
    void run(signal);
    if (!channel) return;
    channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
      try {
        listen(data);
      } catch {
        // Not ours, or of another version of this script.
      }
    };
    const lead = (): Promise<unknown> => {
      waitSeconds = LONGEST_WAIT_SECONDS;
      post({ news: { asked: [], checkouts: [] } });
      round.abort();
      return new Promise((resolve) => signal.addEventListener('abort', resolve));
    };
    locks
      .request(name, { signal }, () => signal.aborted || lead())
      .catch(() => {
        if (signal.aborted) return;
        waitSeconds = 0;
        round.abort();
      });
  };

  /** Leaves the lead to another tab, and nothing behind that would keep a page out of the bfcache. */
  const close = (): void => {
    opened?.abort();
    channel?.close();
    opened = channel = waitSeconds = undefined;
    others.clear();
  };

  const feed: StatusFeed = {
    follow(follower, signal) {
      followers.add(follower);
      signal.addEventListener('abort', () => {
        followers.delete(follower);
        if (followers.size === 0) close();
      });
      if (!opened) begin((opened = new AbortController()).signal);
      feed.look();
    },
    look() {
      post({ ask: questions(), now: true });
      round.abort();
    },
  };
  return feed;
}

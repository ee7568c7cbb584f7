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
  /** Why there was no answer, when asking the same again cannot bring one. */
  readonly code?: string;
  readonly requestId?: string | undefined;
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
  const feed = feeds.get(server) ?? new StatusFeed(server);
  feeds.set(server, feed);
  return feed;
}

/**
 * Asks the server what became of checkouts: one poll for all elements of all tabs of a browser.
 *
 * The tab that holds a lock leads: it asks for everybody and tells the others over a channel. A tab
 * that nobody answers, because there are no locks or the leader is frozen, asks for itself, shortly
 * and at growing pauses. A network that fails only makes the pauses grow: no clock of a page ever
 * decides about a payment.
 */
export class StatusFeed {
  readonly #server: string;
  readonly #name: string;
  readonly #followers = new Set<Follower>();
  /** What other tabs asked since the last answer; they ask again after each. */
  readonly #others = new Map<string, number>();
  #open: AbortController | undefined;
  /** What the question that is on its way, or the last one, is about. */
  #asked: readonly string[] = [];
  #round = new AbortController();
  #channel: BroadcastChannel | undefined;
  #leads = false;
  /** Whether nobody else answers, so that this tab asks for itself. */
  #isAlone = false;

  constructor(server: string) {
    this.#server = server;
    this.#name = `pay-checkout ${server}`;
  }

  /** Tells `follower` whatever is learned, until `signal` aborts. */
  follow(follower: Follower, signal: AbortSignal): void {
    this.#followers.add(follower);
    signal.addEventListener('abort', () => {
      this.#followers.delete(follower);
      if (this.#followers.size === 0) this.#close();
    });
    if (!this.#open) this.#begin((this.#open = new AbortController()).signal);
    this.look();
  }

  /** Asks again at once. */
  look(): void {
    this.#ask(true);
    this.#round.abort();
  }

  #begin(signal: AbortSignal): void {
    const { locks } = navigator;
    this.#isAlone = !locks;
    void this.#run(signal);
    if (!locks) return;
    this.#channel = new BroadcastChannel(this.#name);
    this.#channel.onmessage = ({ data }: MessageEvent<TabMessage>) => this.#listen(data);
    const lead = (): Promise<unknown> => {
      this.#leads = true;
      this.#channel?.postMessage({ news: { asked: [], checkouts: [] } } satisfies TabMessage);
      this.#round.abort();
      return new Promise((resolve) => signal.addEventListener('abort', resolve));
    };
    locks
      .request(this.#name, { signal }, () => signal.aborted || lead())
      .catch(() => {
        if (signal.aborted) return;
        this.#isAlone = true;
        this.#round.abort();
      });
  }

  /** Leaves the lead to another tab, and nothing behind that would keep a page out of the bfcache. */
  #close(): void {
    this.#open?.abort();
    this.#channel?.close();
    this.#open = this.#channel = undefined;
    this.#leads = false;
    this.#others.clear();
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (let tries = 0; !signal.aborted;) {
      this.#round = new AbortController();
      const round = AbortSignal.any([signal, this.#round.signal]);
      const isLeading = this.#leads;
      if (!isLeading && !this.#isAlone) {
        await pause(LONGEST_SILENCE_MS, round);
        this.#isAlone ||= !round.aborted;
        continue;
      }
      const questions = this.#questions();
      const asked = (this.#asked = questions.map(([id]) => id));
      let waitMs: number;
      try {
        const seconds = isLeading ? LONGEST_WAIT_SECONDS : 0;
        const reply = await fetchStatuses(this.#server, questions, seconds, round);
        tries = isLeading ? 0 : tries + 1;
        waitMs = isLeading ? LEADER_PAUSE_MS : backOffMs(tries);
        waitMs = Math.max(waitMs, (reply.retryAfterSeconds ?? 0) * 1000);
        this.#tell({ asked, checkouts: reply.checkouts });
      } catch (error) {
        if (round.aborted) continue;
        const trouble = coded(error, 'server_unreachable');
        const { code, requestId } = trouble;
        if (!isRetryable(trouble)) this.#tell({ asked, checkouts: [], code, requestId });
        waitMs = backOffMs(++tries);
      }
      await pause(waitMs, round);
    }
  }

  /** What is asked here and in the tabs that this one leads, our own first. */
  #questions(): Question[] {
    const revisions = new Map<string, number>();
    const add = (checkout: string, revision: number): unknown =>
      revisions.set(checkout, Math.min(revision, revisions.get(checkout) ?? revision));
    for (const { checkout, revision } of this.#followers) add(checkout, revision());
    for (const [checkout, revision] of this.#others) add(checkout, revision);
    return [...revisions].slice(0, MOST_QUESTIONS);
  }

  #ask(now: boolean): void {
    if (!this.#leads) {
      this.#channel?.postMessage({ ask: this.#questions(), now } satisfies TabMessage);
    }
  }

  #tell(news: News): void {
    this.#channel?.postMessage({ news } satisfies TabMessage);
    this.#others.clear();
    this.#hear(news);
  }

  #listen({ news, ask = [], now = false }: TabMessage): void {
    if (news) {
      if (this.#hear(news)) {
        this.#isAlone = false;
        this.#round.abort();
      }
      this.#ask(false);
    } else if (this.#leads) {
      let isUrgent = now;
      for (const [id, revision] of ask) {
        isUrgent ||= !this.#asked.includes(id);
        this.#others.set(id, revision);
      }
      if (isUrgent) this.#round.abort();
    }
  }

  /** Whether the news were about something that is followed here. */
  #hear(news: News): boolean {
    const concerned = [...this.#followers].filter(({ checkout }) => news.asked.includes(checkout));
    for (const follower of concerned) follower.hear(news);
    return concerned.length > 0;
  }
}

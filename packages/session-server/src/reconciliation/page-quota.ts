import type { Clock } from '../clock.js';
import { leftOf } from './back-off.js';

const MINUTE_MS = 60_000;

/**
 * How many pages of the list all looks of a merchant may ask for in a minute. Deep pages get no more
 * than half of them, so that fresh rows never wait; and where deep ones wait, fresh ones get no more
 * than the other half, so that a deep look comes to its end, however busy the merchant is.
 */
export class PageQuota {
  readonly #clock: Clock;
  readonly #pagesPerMinute: number;
  /** The pages of the last minute, oldest first. */
  #pages: { readonly at: number; readonly isDeep: boolean }[] = [];

  constructor(clock: Clock, pagesPerMinute: number) {
    this.#clock = clock;
    this.#pagesPerMinute = pagesPerMinute;
  }

  spend(isDeep: boolean): void {
    this.#pages.push({ at: this.#clock.now(), isDeep });
  }

  allowsDeep(): boolean {
    const { pages, deep } = this.#recent();
    return pages.length < this.#pagesPerMinute && deep < this.#pagesPerMinute / 2;
  }

  allowsFresh(isDeepWaiting: boolean): boolean {
    return this.freshInMs(isDeepWaiting) <= 0;
  }

  /** How long until a fresh page may be asked for, in milliseconds. */
  freshInMs(isDeepWaiting: boolean): number {
    const { pages } = this.#recent();
    const fresh = pages.filter(({ isDeep }) => !isDeep);
    const share = isDeepWaiting
      ? Math.max(1, Math.floor(this.#pagesPerMinute / 2))
      : this.#pagesPerMinute;
    const now = this.#clock.now();
    const full = [pages.at(-this.#pagesPerMinute), fresh.at(-share)];
    return Math.max(0, ...full.map((page) => (page ? leftOf(page.at, MINUTE_MS, now) : 0)));
  }

  #recent() {
    const now = this.#clock.now();
    this.#pages = this.#pages.filter(({ at }) => leftOf(at, MINUTE_MS, now) > 0 && at <= now);
    return { pages: this.#pages, deep: this.#pages.filter(({ isDeep }) => isDeep).length };
  }
}

import type { Request, RequestHandler } from 'express';
import { ipKeyGenerator, MemoryStore, type Options } from 'express-rate-limit';
import type { OpeningAdmission } from '../checkout/checkout-service.js';
import { AppError } from '../errors.js';

const MINUTE_MS = 60_000;

/** Requests a minute, counted in this process. */
export interface RateLimits {
  readonly opensPerAddress: number;
  readonly opensPerOrder: number;
  readonly opensPerMerchant: number;
  /** Polls, hints and questions for the SDK description together. */
  readonly questionsPerAddress: number;
  /** Views of the hosted page. */
  readonly pagesPerAddress: number;
  /** Wrong Bearer keys of merchants. */
  readonly wrongKeysPerAddress: number;
}

export interface RateLimiters {
  /**
   * For `POST /v1/checkouts`: by the browser's address, whatever is asked for. Then by order and by
   * merchant, for whoever may open the order. Those without an order token are counted apart, each
   * address by itself: strangers use up nobody's share.
   */
  readonly opens: (ip: string) => Promise<OpeningAdmission>;
  /** For polls, hints and the SDK description. */
  readonly questions: RequestHandler;
  /** For pages: whether the address may have another one. */
  readonly pages: (request: Pick<Request, 'ip'>) => Promise<boolean>;
}

/** Slows down whoever guesses tokens or tests cards: by address, by order and by merchant. */
export function createRateLimiters(limits: RateLimits): RateLimiters {
  const opensOfAddress = new Limit('address', limits.opensPerAddress);
  const opensOfOrder = new Limit('order', limits.opensPerOrder);
  const opensOfMerchant = new Limit('merchant', limits.opensPerMerchant);
  const questionsOfAddress = new Limit('address', limits.questionsPerAddress);
  const pagesOfAddress = new Limit('address', limits.pagesPerAddress);
  return {
    opens: async (ip) => {
      const address = addressOf({ ip });
      await opensOfAddress.count(address);
      return async (merchant, order, hasToken) => {
        const stranger = hasToken ? '' : `\n${address}`;
        await opensOfOrder.count(`${merchant}\n${order}${stranger}`);
        await opensOfMerchant.count(hasToken ? merchant : `${merchant}\nwithout a token`);
      };
    },
    questions: async (request, _response, next) => {
      await questionsOfAddress.count(addressOf(request));
      next();
    },
    pages: (request) => pagesOfAddress.allows(addressOf(request)),
  };
}

/**
 * So many a minute of each key. It counts in the library's own store, without the library's
 * middleware: on the way of every poll that costs more than the poll itself.
 */
export class Limit {
  readonly #what: string;
  readonly #limit: number;
  readonly #hits = new MemoryStore();

  constructor(what: string, limit: number) {
    this.#what = what;
    this.#limit = limit;
    this.#hits.init({ windowMs: MINUTE_MS } as Options);
  }

  /** Counts, and says whether the limit is kept. */
  async allows(key: string): Promise<boolean> {
    const { totalHits } = await this.#hits.increment(key);
    return totalHits <= this.#limit;
  }

  /** @throws {AppError} 429 `too_many_requests` */
  async count(key: string): Promise<void> {
    const { totalHits } = await this.#hits.increment(key);
    if (totalHits <= this.#limit) return;
    throw new AppError(
      429,
      'too_many_requests',
      `Too many requests for one ${this.#what}. Wait a minute.`,
      { retryAfterSeconds: MINUTE_MS / 1000 },
    );
  }

  /** What was counted was none of what is limited. */
  async takeBack(key: string): Promise<void> {
    await this.#hits.decrement(key);
  }
}

/** Some proxies write the port of the connection too: `192.0.2.1:51234`, `[2001:db8::1]:51234`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/;

/** The address of the browser: a whole /56 of IPv6 counts as one. */
export function addressOf({ ip = '' }: Pick<Request, 'ip'>): string {
  const [, inBrackets, ofVersion4] = WITH_PORT.exec(ip) ?? [];
  return ipKeyGenerator(inBrackets ?? ofVersion4 ?? ip);
}

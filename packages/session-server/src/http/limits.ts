import { createHash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, RequestHandler } from 'express';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../errors.js';
import type { Logger } from '../logger.js';

/** Requests a minute, counted in this process. */
export interface RateLimits {
  readonly createPerAddress: number;
  readonly createPerOrder: number;
  readonly createPerMerchant: number;
  /** Polls, hints and requests for the SDK description together. */
  readonly statusPerAddress: number;
  /** Views of the hosted page; apart from these, visits to unknown return addresses. */
  readonly pagesPerAddress: number;
  /** Requests of a merchant's own back end. */
  readonly apiPerMerchant: number;
  /** Wrong Bearer keys of merchants. */
  readonly wrongKeysPerAddress: number;
}

/** At most so many points of each key in a minute, which begins with the key's first point. */
export class Limit {
  readonly #subject: string;
  readonly #limiter: RateLimiterMemory;

  constructor(subject: string, points: number) {
    this.#subject = subject;
    this.#limiter = new RateLimiterMemory({ points, duration: 60 });
  }

  /** Counts, and answers whether the limit is kept. */
  async allows(key: string): Promise<boolean> {
    return (await this.#consume(key)) === undefined;
  }

  /** @throws {AppError} 429 `too_many_requests` */
  async count(key: string, points = 1): Promise<void> {
    const refusal = await this.#consume(key, points);
    if (refusal === undefined) return;
    throw new AppError(
      429,
      'too_many_requests',
      `Too many requests for one ${this.#subject}. Wait a minute.`,
      { retryAfterSeconds: Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)) },
    );
  }

  /** Undoes what was counted in error. */
  async takeBack(key: string): Promise<void> {
    await this.#limiter.reward(key, 1);
  }

  async #consume(key: string, points = 1): Promise<RateLimiterRes | undefined> {
    try {
      await this.#limiter.consume(key, points);
      return undefined;
    } catch (error) {
      if (error instanceof RateLimiterRes) return error;
      throw error;
    }
  }
}

/** Runs one job per key at a time; between two jobs, the server handles other requests. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  async take<T>(key: string, job: () => Promise<T>): Promise<T> {
    const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
    const before = this.#last.get(key);
    this.#last.set(key, ended);
    try {
      await before;
      // Also the first: on SQLite a job ends before the server sees the next request.
      await nextTurn();
      return await job();
    } finally {
      if (this.#last.get(key) === ended) this.#last.delete(key);
      end(undefined);
    }
  }
}

/** Refuses an address that asks more often. */
export function limitByAddress(points: number): RequestHandler {
  const limit = new Limit('address', points);
  return async (request, _response, next) => {
    await limit.count(addressOf(request));
    next();
  };
}

/**
 * Counts new checkouts by order and by merchant. Requests without an order token are counted
 * separately, by order and address, so that strangers never use up the limit of others.
 */
export class CreateLimits {
  readonly #order: Limit;
  readonly #merchant: Limit;

  constructor({ createPerOrder, createPerMerchant }: RateLimits) {
    this.#order = new Limit('order', createPerOrder);
    this.#merchant = new Limit('merchant', createPerMerchant);
  }

  /** @throws {AppError} 429 `too_many_requests` */
  async count(
    { merchant, order, hasToken }: { merchant: string; order: string; hasToken: boolean },
    request: Pick<Request, 'ip'>,
  ): Promise<void> {
    await this.#order.count(`${merchant}\n${order}${hasToken ? '' : `\n${addressOf(request)}`}`);
    await this.#merchant.count(hasToken ? merchant : `${merchant}\nwithout a token`);
  }
}

/** Right keys that are remembered, each for one address. */
const MAX_RIGHT_KEYS = 5_000;

/**
 * Limits the wrong keys of an address. Beyond the limit a key is not compared, so that a right guess
 * is of no use. A key that was right from that address before is never refused.
 */
export class KeyAttempts {
  readonly #wrong: Limit;
  readonly #right = new LRUCache<string, true>({ max: MAX_RIGHT_KEYS });

  constructor(limit: number) {
    this.#wrong = new Limit('address', limit);
  }

  /**
   * Answers what `find` finds for a key; undefined when the key is wrong.
   *
   * @throws {AppError} 429 `too_many_requests`
   */
  async check<T>(
    request: Pick<Request, 'ip'>,
    key: string,
    find: () => T | undefined | Promise<T | undefined>,
  ): Promise<T | undefined> {
    const address = addressOf(request);
    const known = `${address} ${createHash('sha256').update(key).digest('base64')}`;
    const wasRight = this.#right.has(known);
    // Counted before it is compared: guesses that arrive together count each other.
    if (!wasRight) await this.#wrong.count(address);
    const found = await find();
    if (found !== undefined) {
      this.#right.set(known, true);
      if (!wasRight) await this.#wrong.takeBack(address);
    } else if (wasRight) {
      this.#right.delete(known);
      await this.#wrong.count(address);
    }
    return found;
  }
}

/** Some proxies also write the port of the connection: `192.0.2.1:51234`, `[2001:db8::1]:51234`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/;

/** The address of the browser; a /56 of IPv6, which one customer has, counts as one. */
export function addressOf({ ip = '' }: Pick<Request, 'ip'>): string {
  const [, inBrackets, version4] = WITH_PORT.exec(ip) ?? [];
  const text = inBrackets ?? version4 ?? ip;
  if (isIPv4(text) || !ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  const [a = 0, b = 0, c = 0, d = 0] = address.parts;
  return `${new ipaddr.IPv6([a, b, c, d & 0xff00, 0, 0, 0, 0]).toString()}/56`;
}

/** Headers in which proxies name the address they ask for. */
const PROXY_HEADERS = ['x-forwarded-for', 'forwarded'];

/**
 * Warns once if a proxy seems to stand in front of an app that trusts none: all shoppers would count
 * as one address. Anyone can send such a header, so nothing but a log line follows.
 */
export function warnOfHiddenProxy(logger: Logger): RequestHandler {
  let hasWarned = false;
  return ({ app, headers }, _response, next) => {
    const trustsNone = !app.get('trust proxy');
    if (trustsNone && !hasWarned && PROXY_HEADERS.some((name) => headers[name] !== undefined)) {
      hasWarned = true;
      logger.warn({}, 'a proxy stands before the server, and PAY_TRUST_PROXY is 0');
    }
    next();
  };
}

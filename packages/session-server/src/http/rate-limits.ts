import type { Request, RequestHandler } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import type { RateLimitCheck } from '../checkouts/service.js';
import { Limit } from './limit.js';

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
  readonly opens: (ip: string) => RateLimitCheck;
  /** For polls, hints and the SDK description. */
  readonly questions: RequestHandler;
  /** For pages: whether the address may have another one. */
  readonly pages: (request: Pick<Request, 'ip'>) => boolean;
}

/** Slows down whoever guesses tokens or tests cards: by address, by order and by merchant. */
export function createRateLimiters(limits: RateLimits): RateLimiters {
  const opensOfAddress = new Limit('address', limits.opensPerAddress);
  const opensOfOrder = new Limit('order', limits.opensPerOrder);
  const opensOfMerchant = new Limit('merchant', limits.opensPerMerchant);
  const questionsOfAddress = new Limit('address', limits.questionsPerAddress);
  const pagesOfAddress = new Limit('address', limits.pagesPerAddress);
  return {
    opens: (ip) => {
      const address = addressOf({ ip });
      opensOfAddress.count(address);
      return (merchant, order, hasToken) => {
        const stranger = hasToken ? '' : `\n${address}`;
        opensOfOrder.count(`${merchant}\n${order}${stranger}`);
        opensOfMerchant.count(hasToken ? merchant : `${merchant}\nwithout a token`);
      };
    },
    questions: (request, _response, next) => {
      questionsOfAddress.count(addressOf(request));
      next();
    },
    pages: (request) => pagesOfAddress.allows(addressOf(request)),
  };
}

/**
 * Some proxies write the port of the connection too: `192.0.2.1:51234`, `[2001:db8::1]:51234`. Where
 * Node listens for both versions, an address of version 4 is `::ffff:192.0.2.1`.
 */
const WITH_PORT = /^(?:\[([^\]]+)\]|(?:::ffff:)?([\d.]+))(?::\d+)?$/i;

/** The address of the browser: a whole /56 of IPv6 counts as one. */
export function addressOf({ ip = '' }: Pick<Request, 'ip'>): string {
  const [, inBrackets, ofVersion4] = WITH_PORT.exec(ip) ?? [];
  // The library looks for IPv6 first, at the price of several counts.
  return ofVersion4 ?? ipKeyGenerator(inBrackets ?? ip);
}

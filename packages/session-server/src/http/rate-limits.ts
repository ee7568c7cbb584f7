import type { Request, RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { AppError } from '../errors.js';

const MINUTE_MS = 60_000;

/** Requests a minute, counted in this process. */
export interface RateLimits {
  readonly opensPerAddress: number;
  readonly opensPerOrder: number;
  readonly opensPerMerchant: number;
  /** Polls and hints together. */
  readonly questionsPerAddress: number;
}

export interface RateLimiters {
  /** For `POST /v1/checkouts`, after the body was read. */
  readonly opens: readonly RequestHandler[];
  /** For polls and hints. */
  readonly questions: RequestHandler;
}

/** Slows down whoever guesses tokens or tests cards: by address, by order and by merchant. */
export function createRateLimiters(limits: RateLimits): RateLimiters {
  return {
    opens: [
      limitBy('address', limits.opensPerAddress, addressOf),
      limitBy('order', limits.opensPerOrder, (request) => {
        const { merchant, order } = namedIn(request);
        return `${merchant}\n${order}`;
      }),
      limitBy('merchant', limits.opensPerMerchant, (request) => namedIn(request).merchant),
    ],
    questions: limitBy('address', limits.questionsPerAddress, addressOf),
  };
}

function limitBy(
  what: string,
  limit: number,
  keyGenerator: (request: Request) => string,
): RequestHandler {
  return rateLimit({
    windowMs: MINUTE_MS,
    limit,
    keyGenerator,
    standardHeaders: false,
    legacyHeaders: false,
    handler: (_request, _response, next) => {
      next(
        new AppError(
          429,
          'too_many_requests',
          `Too many requests for one ${what}. Wait a minute.`,
          {
            retryAfterSeconds: MINUTE_MS / 1000,
          },
        ),
      );
    },
  });
}

/** The address of the browser: a whole /56 of IPv6 counts as one. */
function addressOf(request: Request): string {
  return ipKeyGenerator(request.ip ?? '');
}

/** What the body names, before it was checked. */
function namedIn(request: Request): { readonly merchant: string; readonly order: string } {
  const body = (request.body ?? {}) as Readonly<Record<string, unknown>>;
  return { merchant: textOf(body['merchant']), order: textOf(body['order']) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 100) : '';
}

import type { ServerResponse } from 'node:http';
import proxyAddr from 'proxy-addr';
import type {
  Environment,
  NeedsReply,
  OpenCheckoutReply,
  OpenCheckoutRequest,
  OpeningReply,
} from '../contract.js';
import { openCheckoutRequest } from '../contract-schemas.js';
import { crashPoint } from '../crash-points.js';
import { invalidRequest } from '../errors.js';
import type { Door, DoorHandler, Intake } from '../http/door.js';
import { parse } from '../http/parse.js';
import type { RateLimiters } from '../http/rate-limits.js';
import { readBody } from '../http/read-body.js';
import { REQUEST_ID } from '../http/request-id.js';
import { pageHeaders, RAW_DATA_HEADERS, refuseOtherOrigins } from '../http/security.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { formatMinor } from './money.js';
import type { CheckoutService, CreateResult } from './service.js';

/** What a page sends is short. */
export const MAX_BODY_BYTES = 16 * 1024;

const ROUTE = '/v1/checkouts';
/** As Express reads an address: in any case, with a slash at its end or without, or with a host. */
const ADDRESS = /^(?:https?:\/\/[^/]+)?\/v1\/checkouts\/?(?:\?.*)?$/is;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

export interface CreateRouteOptions {
  readonly door: Door;
  readonly service: CheckoutService;
  readonly merchants: MerchantSource;
  readonly environment: Environment;
  readonly publicUrl: string;
  readonly limiters: Pick<RateLimiters, 'opens'>;
  /** Proxies between the browser and us: how many, or their addresses. */
  readonly trustProxy: number | readonly string[];
}

/**
 * `POST /v1/checkouts`: a page opens the checkout of an order.
 *
 * It stands before Express, which would add a tenth to what an opening costs.
 */
export function createCheckoutRoute(options: CreateRouteOptions): Intake {
  const { door, service, merchants, environment, publicUrl, limiters } = options;
  const isTrusted = trustOf(options.trustProxy);
  const headersFor = pageHeaders(merchants, publicUrl);

  const open: DoorHandler = async (request, response, id) => {
    const { origin, 'content-type': type } = request.headers;
    const access = await headersFor(origin);
    try {
      const ip = proxyAddr(request, isTrusted);
      const admit = limiters.opens(ip);
      const wanted = readRequest(type, await readBody(request, MAX_BODY_BYTES));
      const merchant = await service.merchant(wanted.merchant);
      refuseOtherOrigins(origin, merchant, publicUrl);
      const result = await service.open(merchant, wanted, admit);
      crashPoint('create:before-answer');
      const headers = [...RAW_DATA_HEADERS, ...access.flat(), REQUEST_ID, id];
      if (result.kind === 'opening') {
        const { retryAfterSeconds } = result;
        const reply: OpeningReply = { state: 'opening', retryAfterSeconds };
        send(response, 202, [...headers, 'retry-after', String(retryAfterSeconds)], reply);
      } else {
        send(response, 200, headers, toReply(result, environment));
      }
    } catch (error) {
      for (const [name, value] of access) response.setHeader(name, value);
      throw error;
    }
  };

  return (request, response) => {
    if (request.method !== 'POST' || !ADDRESS.test(request.url ?? '')) return false;
    door.answer(request, response, ROUTE, open);
    return true;
  };
}

/** Gives Node all headers in one go, which costs it a fraction of setting them one by one. */
function send(
  response: ServerResponse,
  status: number,
  headers: readonly string[],
  reply: OpeningReply | OpenCheckoutReply | NeedsReply,
): void {
  const text = JSON.stringify(reply);
  const length = String(Buffer.byteLength(text));
  response.writeHead(status, [...headers, ...JSON_TYPE_HEADER, 'content-length', length]);
  response.end(text);
}

const JSON_TYPE_HEADER = ['content-type', 'application/json; charset=utf-8'] as const;

/** @throws {AppError} 400 `invalid_request` naming what is wrong */
function readRequest(type: string | undefined, body: Buffer): OpenCheckoutRequest {
  return parse(openCheckoutRequest, readJson(type, body)) as OpenCheckoutRequest;
}

function readJson(type = '', body: Buffer): unknown {
  const notJson = { field: 'body', message: 'is not JSON; send application/json in UTF-8' };
  if (!JSON_TYPE.test(type)) throw invalidRequest([notJson]);
  try {
    return JSON.parse(body.toString());
  } catch {
    throw invalidRequest([notJson]);
  }
}

/** Which of the addresses behind the connection are proxies that we may believe; as in Express. */
function trustOf(proxies: number | readonly string[]): (address: string, hop: number) => boolean {
  if (typeof proxies === 'number') return (_address, hop) => hop < proxies;
  return proxyAddr.compile([...proxies]);
}

function toReply(
  result: Exclude<CreateResult, { kind: 'opening' }>,
  environment: Environment,
): OpenCheckoutReply | NeedsReply {
  const { merchant } = result;
  if (result.kind === 'needs-avs') {
    const amount = formatMinor(result.amountMinor, merchant.decimals);
    const { currency, avsFields: fields } = merchant;
    return { needs: ['avs'], fields, amount, currency, environment };
  }
  const { checkout, sessionId } = result;
  const amount = formatMinor(checkout.amountMinor, checkout.decimals);
  return {
    checkout: checkout.id,
    state: checkout.state,
    revision: checkout.revision,
    ...(sessionId === undefined ? {} : { sessionId, sdk: merchant.sdk }),
    amount,
    currency: checkout.currency,
    environment,
  };
}

import type { Dispatcher } from 'undici';
import { load, type LoadResult } from './load.ts';
import { BENCH_MERCHANT_ID, BENCH_ORIGIN } from './merchant.ts';

export const CONCURRENCY = 50;

const HEADERS = { 'content-type': 'application/json', origin: BENCH_ORIGIN };

export interface CreatedCheckout {
  readonly checkout: string;
  readonly sessionId: string;
}

let orders = 0;

/** Creates so many checkouts, each of a new order. */
export function createMany(
  url: string | readonly string[],
  requests: number,
  concurrency = CONCURRENCY,
): Promise<LoadResult> {
  return load({ url, requests, concurrency, request: () => attemptRequest() });
}

/** Reads the state of one checkout again and again. */
export function readState(
  url: string | readonly string[],
  checkout: string,
  requests: number,
  concurrency = CONCURRENCY,
): Promise<LoadResult> {
  const request = () => ({ path: `/v1/checkouts?id=${checkout}:0`, method: 'GET' as const });
  return load({ url, requests, concurrency, request });
}

/** @param merchant default: the first one */
export async function createOne(url: string, merchant?: string): Promise<CreatedCheckout> {
  const { path, method, headers, body } = attemptRequest(merchant);
  const response = await fetch(`${url}${path}`, { method, headers, body });
  return (await response.json()) as CreatedCheckout;
}

/** The page says that its shopper cancelled: everyone who waits for this checkout is answered. */
export function cancel(url: string, opened: CreatedCheckout): Promise<void> {
  return hint(url, opened, 'cancelled');
}

/** The page says that its shopper has submitted a card: the server polls for two minutes. */
export function submit(url: string, opened: CreatedCheckout): Promise<void> {
  return hint(url, opened, 'submitted');
}

async function hint(url: string, opened: CreatedCheckout, kind: string): Promise<void> {
  const body = JSON.stringify({ kind, sessionId: opened.sessionId });
  const address = `${url}/v1/checkouts/${opened.checkout}/hints`;
  const response = await fetch(address, { method: 'POST', headers: HEADERS, body });
  await response.arrayBuffer();
}

function attemptRequest(merchant = BENCH_MERCHANT_ID): Pick<Dispatcher.DispatchOptions, 'path'> & {
  method: 'POST';
  headers: typeof HEADERS;
  body: string;
} {
  orders += 1;
  const body = JSON.stringify({ merchant, order: `A${String(orders)}` });
  return { path: '/v1/checkouts', method: 'POST', headers: HEADERS, body };
}

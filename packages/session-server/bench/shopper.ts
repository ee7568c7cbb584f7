import type { Dispatcher } from 'undici';
import { load, type LoadResult } from './load.ts';
import { BENCH_MERCHANT_ID, BENCH_ORIGIN } from './merchant.ts';

export const CONCURRENCY = 50;

const HEADERS = { 'content-type': 'application/json', origin: BENCH_ORIGIN };

export interface OpenedCheckout {
  readonly checkout: string;
  readonly sessionId: string;
}

let orders = 0;

/** Opens so many orders, each for the first time. */
export function openMany(
  url: string | readonly string[],
  requests: number,
  concurrency = CONCURRENCY,
): Promise<LoadResult> {
  return load({ url, requests, concurrency, request: () => attemptRequest() });
}

/** @param merchant the first one, unless it is given */
export async function openOne(url: string, merchant?: string): Promise<OpenedCheckout> {
  const { path, method, headers, body } = attemptRequest(merchant);
  const response = await fetch(`${url}${path}`, { method, headers, body });
  return (await response.json()) as OpenedCheckout;
}

/** The page says that its shopper cancelled: news for everyone who waits for this checkout. */
export function cancel(url: string, opened: OpenedCheckout): Promise<void> {
  return hint(url, opened, 'cancelled');
}

/** The page says that its shopper has sent the payment off: it is polled for, for two minutes. */
export function submit(url: string, opened: OpenedCheckout): Promise<void> {
  return hint(url, opened, 'submitted');
}

async function hint(url: string, opened: OpenedCheckout, kind: string): Promise<void> {
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

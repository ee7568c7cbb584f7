import type { Browser } from 'playwright-core';
import type { BenchServer } from './bench-server.ts';
import { Bench } from './lab.ts';
import { median, round } from './numbers.ts';
import { loadScript, placeAndAwaitForm, type Timing } from './page-functions.ts';

const ROUNDS = 31;

/**
 * From the tag to its first paint and to the painted form, on a page that preloads the SDK as
 * docs/take-a-payment.md has it, for ours and the peer alike, which alternate: on the machine's own
 * network, and on a slow one.
 */
export async function measureQuickStart(
  browser: Browser,
  server: BenchServer,
): Promise<readonly object[]> {
  return [
    {
      bench: 'quick start: from tag to first paint and to form',
      ...(await compare(browser, server, false)),
      maxPaintRatio: 1.2,
      maxDoneRatio: 1.5,
    },
    {
      bench: 'quick start: the same at 1.6 Mbit/s and 150 ms',
      ...(await compare(browser, server, true)),
      maxPaintRatio: 1.2,
      maxDoneRatio: 1.25,
    },
  ];
}

async function compare(browser: Browser, server: BenchServer, isSlow: boolean): Promise<object> {
  const ours: Timing[] = [];
  const peer: Timing[] = [];
  for (let at = 0; at < ROUNDS; at += 1) {
    ours.push(await measureTag(browser, server, 'pay-checkout', isSlow));
    peer.push(await measureTag(browser, server, 'bare-checkout', isSlow));
  }
  const middle = (timings: readonly Timing[]) => ({
    paintMs: round(median(timings.map(({ paintMs }) => paintMs))),
    doneMs: round(median(timings.map(({ doneMs }) => doneMs))),
  });
  const ratioOf = (figure: (one: Timing) => number): number =>
    round(median(ours.map((one, at) => figure(one) / figure(peer[at] ?? one))));
  return {
    ours: middle(ours),
    peer: middle(peer),
    paintRatio: ratioOf(({ paintMs }) => paintMs),
    doneRatio: ratioOf(({ doneMs }) => doneMs),
  };
}

async function measureTag(
  browser: Browser,
  server: BenchServer,
  tag: string,
  isSlow: boolean,
): Promise<Timing> {
  const bench = await Bench.open(browser);
  const pay = server.pay();
  const head = `<link rel="preload" as="script" href="${pay}/sdk.js">`;
  await bench.page.goto(server.shop(`/?${new URLSearchParams({ head })}`));
  await bench.page.evaluate(loadScript, `${pay}/${tag}.js`);
  if (isSlow) await bench.slowNetwork();
  const order = { order: 'A1001', 'order-token': 'A1001.2000000000.c2lnbmF0dXJl' };
  const attributes = { merchant: 'bench', ...order, server: pay, autostart: '' };
  const timing = await bench.page.evaluate(placeAndAwaitForm, { tag, attributes });
  await bench.close();
  return timing;
}

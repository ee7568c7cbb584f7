import type { Browser } from 'playwright-core';
import type { BenchServer } from './bench-server.ts';
import { Bench } from './lab.ts';
import { median, round } from './numbers.ts';
import {
  loadScript,
  loadWithoutElement,
  placeAndAwaitForm,
  type Timing,
} from './page-functions.ts';

const ROUNDS = 31;
const LATE_MS = 300;
const ROUND_TRIP_MS = 150;
const FRAME_MS = 1000 / 60;

interface Network {
  readonly lateMs: number;
  readonly isSlow: boolean;
}

/**
 * From the tag to `configure()` and to a form that can be used, against the same requests without any
 * element: with a server that takes its time, and behind a slow network.
 */
export async function measureWaiting(
  browser: Browser,
  server: BenchServer,
): Promise<readonly object[]> {
  const late = await compare(browser, server, { lateMs: LATE_MS, isSlow: false });
  const slow = await compare(browser, server, { lateMs: 0, isSlow: true });
  return [
    {
      bench: `from tag to configure(), session and SDK ${LATE_MS} ms late`,
      ...late.figures,
      ratio: late.ratio,
      peerRatio: late.peerRatio,
      maxRatio: 1.05,
    },
    {
      bench: 'from tag to form, at 1.6 Mbit/s and 150 ms',
      ...slow.figures,
      oursLaterByMs: slow.oursLaterByMs,
      maxLaterByMs: round(ROUND_TRIP_MS + 4 * FRAME_MS),
      ...(await measureCold(browser, server)),
    },
  ];
}

async function compare(browser: Browser, server: BenchServer, network: Network) {
  const ours: Timing[] = [];
  const peer: Timing[] = [];
  const requests: number[] = [];
  for (let at = 0; at < ROUNDS; at += 1) {
    requests.push(await measureRequests(browser, server, network));
    ours.push(await measureTag(browser, server, network, 'pay-checkout'));
    peer.push(await measureTag(browser, server, network, 'bare-checkout'));
  }
  /** Round by round, so that what else the machine does falls on both. */
  const ratioOf = (timings: readonly Timing[]): number =>
    round(median(timings.map(({ configureMs }, at) => configureMs / (requests[at] ?? NaN))), 3);
  return {
    ratio: ratioOf(ours),
    peerRatio: ratioOf(peer),
    oursLaterByMs: round(median(ours.map(({ readyMs }, at) => readyMs - (requests[at] ?? NaN)))),
    figures: { requestsMs: round(median(requests)), ours: middle(ours), peer: middle(peer) },
  };
}

async function measureRequests(
  browser: Browser,
  server: BenchServer,
  network: Network,
): Promise<number> {
  const bench = await openShop(browser, server);
  if (network.isSlow) await bench.slowNetwork();
  const tookMs = await bench.page.evaluate(loadWithoutElement, server.pay(network.lateMs));
  await bench.close();
  return tookMs;
}

async function measureTag(
  browser: Browser,
  server: BenchServer,
  network: Network,
  tag: string,
): Promise<Timing> {
  const bench = await openShop(browser, server);
  const address = server.pay(network.lateMs);
  await bench.page.evaluate(loadScript, `${address}/${tag}.js`);
  if (network.isSlow) await bench.slowNetwork();
  const attributes = attributesFor(address);
  const timing = await bench.page.evaluate(placeAndAwaitForm, { tag, attributes });
  await bench.close();
  return timing;
}

/** From the start of the navigation, script and tag in the markup, nothing cached. */
async function measureCold(browser: Browser, server: BenchServer): Promise<object> {
  const of = { ours: [] as number[], peer: [] as number[] };
  for (let at = 0; at < ROUNDS; at += 1) {
    of.ours.push(await navigate(browser, server, 'pay-checkout'));
    of.peer.push(await navigate(browser, server, 'bare-checkout'));
  }
  const [oursMs, peerMs] = [median(of.ours), median(of.peer)];
  return { fromNavigation: { oursMs: round(oursMs), peerMs: round(peerMs) } };
}

async function navigate(browser: Browser, server: BenchServer, tag: string): Promise<number> {
  const bench = await Bench.open(browser);
  await bench.slowNetwork();
  await bench.page.addInitScript(() => {
    globalThis.firstReady = new Promise((resolve) =>
      addEventListener('pay-ready', () => resolve(performance.now())),
    );
  });
  const attributes = Object.entries(attributesFor(server.pay()));
  const written = attributes.map(([name, value]) => `${name}="${value}"`).join(' ');
  const query = new URLSearchParams({
    head: `<script src="${server.pay()}/${tag}.js" async></script>`,
    markup: `<${tag} ${written}></${tag}>`,
  });
  await bench.page.goto(server.shop(`/?${query}`), { waitUntil: 'commit' });
  const tookMs = await bench.page.evaluate(() => globalThis.firstReady);
  await bench.close();
  return tookMs ?? NaN;
}

async function openShop(browser: Browser, server: BenchServer): Promise<Bench> {
  const bench = await Bench.open(browser);
  await bench.page.goto(server.shop('/'));
  return bench;
}

function attributesFor(server: string): Record<string, string> {
  const orderToken = 'A1001.2000000000.c2lnbmF0dXJl';
  return { merchant: 'bench', order: 'A1001', 'order-token': orderToken, server, autostart: '' };
}

function middle(timings: readonly Timing[]): Omit<Timing, 'paintMs' | 'doneMs'> {
  return {
    askedMs: round(median(timings.map(({ askedMs }) => askedMs))),
    configureMs: round(median(timings.map(({ configureMs }) => configureMs))),
    readyMs: round(median(timings.map(({ readyMs }) => readyMs))),
  };
}

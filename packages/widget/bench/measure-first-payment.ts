import type { Browser } from 'playwright-core';
import type { BenchServer } from './bench-server.ts';
import { Bench } from './lab.ts';
import { median, round } from './numbers.ts';
import { loadScript, placeAndAwaitForm } from './page-functions.ts';

const ROUNDS = 31;
/** Until a page with its form has become idle. */
const CALM_MS = 250;
/** Until it has also done what waits for the form's first second: the poll and the hint. */
const FOLLOWED_MS = 1500;

interface Measured {
  readonly taskMs: number;
  /** Including what happens after the form's first second. */
  readonly laterTaskMs: number;
  readonly scriptMs: number;
  readonly layoutMs: number;
  readonly heapBytes: number;
  readonly longTasks: readonly number[];
}

/**
 * What one payment costs the page, from the script's tag to a form that can be used: main thread, long
 * tasks, heap. Ours and the peer alternate, each on a new page; medians. The peer writes the amount with
 * `Intl` as ours does; one that does not say what is paid is measured with it.
 */
export async function measureFirstPayment(
  browser: Browser,
  server: BenchServer,
): Promise<readonly object[]> {
  const measured = {
    ours: [] as Measured[],
    peer: [] as Measured[],
    peerWithoutAmount: [] as Measured[],
  };
  await measureOnce(browser, server, 'pay-checkout');
  for (let at = 0; at < ROUNDS; at += 1) {
    measured.ours.push(await measureOnce(browser, server, 'pay-checkout'));
    measured.peer.push(await measureOnce(browser, server, 'bare-checkout'));
    const withoutAmount = { 'without-amount': '' };
    measured.peerWithoutAmount.push(
      await measureOnce(browser, server, 'bare-checkout', withoutAmount),
    );
  }
  const { ours, peer, peerWithoutAmount } = measured;
  const ratioOf = (figure: (one: Measured) => number, to = peer): number =>
    median(ours.map((one, at) => figure(one) / figure(to[at] ?? one)));
  return [
    {
      bench: 'main thread, from tag to form',
      ours: middle(ours),
      peer: middle(peer),
      peerWithoutAmount: middle(peerWithoutAmount),
      ratio: round(ratioOf((one) => one.taskMs)),
      ratioToPeerWithoutAmount: round(ratioOf((one) => one.taskMs, peerWithoutAmount)),
      scriptRatio: round(ratioOf((one) => one.scriptMs)),
      maxRatio: 1.6,
      ratioWithWhatFollows: round(ratioOf((one) => one.laterTaskMs)),
    },
    {
      bench: 'long tasks, processor four times slower',
      rounds: ROUNDS,
      ours: longTasksOf(ours),
      peer: longTasksOf(peer),
      maxOurs: 0,
    },
    {
      bench: 'heap with the form open',
      ours: { bytes: median(ours.map((one) => one.heapBytes)) },
      peer: { bytes: median(peer.map((one) => one.heapBytes)) },
      ratio: round(ratioOf((one) => one.heapBytes)),
      maxRatio: 1.9,
    },
  ];
}

async function measureOnce(
  browser: Browser,
  server: BenchServer,
  tag: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Measured> {
  const bench = await Bench.open(browser);
  const { page } = bench;
  await page.goto(server.shop('/'));
  await page.evaluate(() => {
    const longTasks: number[] = (globalThis.longTasks = []);
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longTasks.push(duration);
    }).observe({ type: 'longtask' });
  });
  const heapBefore = await bench.heap();
  const before = await bench.usage();
  await page.evaluate(loadScript, `${server.pay()}/${tag}.js`);
  const attributes = {
    merchant: 'bench',
    order: 'A1001',
    'order-token': 'A1001.2000000000.c2lnbmF0dXJl',
    server: server.pay(),
    autostart: '',
    ...more,
  };
  await page.evaluate(placeAndAwaitForm, { tag, attributes });
  await page.waitForTimeout(CALM_MS);
  const after = await bench.usage();
  const longTasks = await page.evaluate(() => globalThis.longTasks ?? []);
  const heapBytes = (await bench.heap()) - heapBefore;
  const beforeLater = await bench.usage();
  await page.waitForTimeout(FOLLOWED_MS - CALM_MS);
  const later = await bench.usage();
  await bench.close();
  return {
    taskMs: after.taskMs - before.taskMs,
    // Without the garbage collection that the bench triggered in between.
    laterTaskMs: after.taskMs - before.taskMs + later.taskMs - beforeLater.taskMs,
    scriptMs: after.scriptMs - before.scriptMs,
    layoutMs: after.layoutMs - before.layoutMs,
    heapBytes,
    longTasks,
  };
}

function middle(rounds: readonly Measured[]): object {
  const of = (figure: (one: Measured) => number): number => round(median(rounds.map(figure)));
  return {
    taskMs: of((one) => one.taskMs),
    laterTaskMs: of((one) => one.laterTaskMs),
    scriptMs: of((one) => one.scriptMs),
    layoutMs: of((one) => one.layoutMs),
  };
}

function longTasksOf(rounds: readonly Measured[]): object {
  return {
    median: median(rounds.map(({ longTasks }) => longTasks.length)),
    inAllRounds: rounds.flatMap(({ longTasks }) => longTasks).length,
    longestMs: Math.max(0, ...rounds.flatMap(({ longTasks }) => longTasks)),
  };
}

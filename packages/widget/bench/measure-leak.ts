import type { Browser } from 'playwright-core';
import type { BenchServer } from './bench-server.ts';
import { Bench } from './lab.ts';
import { round, slope } from './numbers.ts';
import { loadScript } from './page-functions.ts';

/** Until the engine has compiled and grown what it will. */
const WARM_UP = 600;
const CYCLES = 1000;
const LOOKS = 5;
/** Until the last ones have told that they were shown, which they do when they go. */
const TOLD_MS = 1500;

/** What a thousand payments that come and go leave on a page, each with its own checkout and form. */
export async function measureLeak(browser: Browser, server: BenchServer): Promise<object> {
  const bench = await Bench.open(browser, { isSlow: false });
  const { page } = bench;
  await page.goto(server.shop('/'));
  await page.evaluate(loadScript, `${server.pay()}/pay-checkout.js`);
  const look = async (): Promise<{ heap: number; nodes: number; listeners: number }> => {
    await page.waitForTimeout(TOLD_MS);
    // The browser itself keeps an entry of each measure and request, for the page to read.
    await page.evaluate(() => {
      performance.clearMeasures();
      performance.clearResourceTimings();
    });
    const heap = await bench.heap();
    const { nodes, listeners } = await bench.usage();
    return { heap, nodes, listeners };
  };
  await page.evaluate(comeAndGo, { cycles: WARM_UP, server: server.pay() });
  const looks = [await look()];
  for (let at = 0; at < LOOKS; at += 1) {
    await page.evaluate(comeAndGo, { cycles: CYCLES / LOOKS, server: server.pay() });
    looks.push(await look());
  }
  await bench.close();
  return {
    bench: 'connect, start, ready, remove',
    cycles: CYCLES,
    before: looks[0],
    after: looks.at(-1),
    heapBytesPerCycle: round(slope(looks.map(({ heap }) => heap)) / (CYCLES / LOOKS)),
    nodesPerCycle: round(slope(looks.map(({ nodes }) => nodes)) / (CYCLES / LOOKS), 3),
    listenersPerCycle: round(slope(looks.map(({ listeners }) => listeners)) / (CYCLES / LOOKS), 3),
    nodesAndListenersPerCycleAtMost: 0,
  };
}

/** Runs in the page. */
async function comeAndGo(options: { cycles: number; server: string }): Promise<void> {
  const { cycles, server } = options;
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const element = document.createElement('pay-checkout') as HTMLElement & { start(): void };
    const attributes = { merchant: 'bench', order: `A${cycle}`, 'order-token': 't', server };
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    const ready = new Promise((resolve) => element.addEventListener('pay-ready', resolve));
    document.querySelector('main')?.append(element);
    await Promise.resolve();
    element.start();
    await ready;
    element.remove();
  }
}

import type { Browser } from 'playwright-core';
import type { BenchServer } from './bench-server.ts';
import { Bench } from './lab.ts';
import { round, slope, type Figures } from './numbers.ts';
import { loadScript } from './page-functions.ts';

/** Until the engine has compiled and grown what it will. */
const WARM_UP = 600;
const CYCLES = 1000;
const SAMPLES = 5;
/** Until the last forms have sent their hint `shown`, which they do when they are removed. */
const TOLD_MS = 1500;
/** To two digits: what is left once, and not by each cycle, is no leak. */
const MAX_PER_CYCLE = 0;

/**
 * What a thousand payments leave on a page that come, are moved in both ways, copied, and go: each
 * with its own checkout and form.
 */
export async function measureLeak(browser: Browser, server: BenchServer): Promise<Figures> {
  const bench = await Bench.open(browser, { isSlow: false });
  const { page } = bench;
  await page.goto(server.shop('/'));
  await page.evaluate(loadScript, `${server.pay()}/pay-checkout.js`);
  const sample = async (): Promise<{ heap: number; nodes: number; listeners: number }> => {
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
  const samples = [await sample()];
  for (let at = 0; at < SAMPLES; at += 1) {
    await page.evaluate(comeAndGo, { cycles: CYCLES / SAMPLES, server: server.pay() });
    samples.push(await sample());
  }
  const isMovedBefore = await page.evaluate(() => 'moveBefore' in document.body);
  await bench.close();
  const perCycle = (values: readonly number[]): number => round(slope(values) / (CYCLES / SAMPLES));
  const nodesPerCycle = perCycle(samples.map(({ nodes }) => nodes));
  const listenersPerCycle = perCycle(samples.map(({ listeners }) => listeners));
  return {
    bench: `add, start, ready, ${isMovedBefore ? 'moveBefore(), ' : ''}move, clone, remove`,
    cycles: CYCLES,
    before: samples[0],
    after: samples.at(-1),
    heapBytesPerCycle: perCycle(samples.map(({ heap }) => heap)),
    nodesPerCycle,
    listenersPerCycle,
    maxNodesAndListenersPerCycle: MAX_PER_CYCLE,
    isMissed: Math.max(nodesPerCycle, listenersPerCycle) > MAX_PER_CYCLE,
  };
}

/** Runs in the page. */
async function comeAndGo(options: { cycles: number; server: string }): Promise<void> {
  const { cycles, server } = options;
  const main = document.querySelector('main') as HTMLElement;
  interface Tag extends HTMLElement {
    readonly updateComplete: Promise<unknown>;
    start(): void;
  }
  const formOf = (element: Tag): Element | null => element.querySelector('[slot="form"] form');
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const element = document.createElement('pay-checkout') as Tag;
    const attributes = { merchant: 'bench', order: `A${cycle}`, 'order-token': 't', server };
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    const ready = new Promise((resolve) => element.addEventListener('pay-ready', resolve));
    main.append(element);
    await Promise.resolve();
    element.start();
    await ready;

    if ('moveBefore' in document.body) document.body.moveBefore(element, null);
    const mounted = formOf(element);
    main.append(element);
    while (!formOf(element) || formOf(element) === mounted) {
      await new Promise((resolve) => setTimeout(resolve));
    }
    const copy = element.cloneNode(true) as Tag;
    main.append(copy);
    await copy.updateComplete;
    copy.remove();
    element.remove();
  }
}

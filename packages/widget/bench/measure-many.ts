import type { Browser } from 'playwright-core';
import type { BenchServer } from './bench-server.ts';
import { Bench } from './lab.ts';
import { median, round } from './numbers.ts';
import { loadScript, placeMany, settle } from './page-functions.ts';

const ROUNDS = 3;
const COUNTS = [1, 10, 100];

/** What one tag more costs a page: many, each with an order of its own and a pay button. */
export async function measureMany(browser: Browser, server: BenchServer): Promise<object> {
  const growth = [];
  for (const tags of COUNTS) {
    growth.push({
      tags,
      ours: await measureTags(browser, server, 'pay-checkout', tags),
      peer: await measureTags(browser, server, 'bare-checkout', tags),
    });
  }
  const [one, most] = [growth[0], growth.at(-1)];
  return {
    bench: 'many tags on a page',
    growth,
    ...(one && most && { oursForEachMore: forEachMore(one.ours, most.ours) }),
  };
}

interface Cost {
  readonly taskMs: number;
  readonly heapBytes: number;
}

async function measureTags(
  browser: Browser,
  server: BenchServer,
  tag: string,
  count: number,
): Promise<Cost> {
  const costs: Cost[] = [];
  for (let at = 0; at < ROUNDS; at += 1) {
    const bench = await Bench.open(browser);
    const { page } = bench;
    await page.goto(server.shop('/'));
    await page.evaluate(loadScript, `${server.pay()}/${tag}.js`);
    const heapBefore = await bench.heap();
    const before = await bench.usage();
    await page.evaluate(placeMany, { tag, count, server: server.pay() });
    await page.evaluate(settle);
    const taskMs = (await bench.usage()).taskMs - before.taskMs;
    costs.push({ taskMs, heapBytes: (await bench.heap()) - heapBefore });
    await bench.close();
  }
  return {
    taskMs: round(median(costs.map(({ taskMs }) => taskMs))),
    heapBytes: median(costs.map(({ heapBytes }) => heapBytes)),
  };
}

function forEachMore(one: Cost, most: Cost): Cost {
  const more = (COUNTS.at(-1) ?? 0) - (COUNTS[0] ?? 0);
  return {
    taskMs: round((most.taskMs - one.taskMs) / more),
    heapBytes: Math.round((most.heapBytes - one.heapBytes) / more),
  };
}

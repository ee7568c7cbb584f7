import type { Browser } from 'playwright-core';
import type { BenchServer } from './bench-server.ts';
import { Bench } from './lab.ts';
import { median, round } from './numbers.ts';
import { settle } from './page-functions.ts';

const ROUNDS = 3;
const LATE_MS = 200;
/** The space that the quick start reserves. */
const RESERVED = '16rem';

interface Moved {
  readonly cls: number;
  /** Those of the tag, one after the other, in pixels. */
  readonly heights: readonly number[];
}

/**
 * How much the tag moves the page until the SDK mounts its own form, on a page that reserves space as the
 * quick start does: with the button, and with autostart.
 */
export async function measureLayoutShift(browser: Browser, server: BenchServer): Promise<object> {
  return {
    bench: 'layout shift until the form of the SDK',
    reserved: RESERVED,
    withButton: await measureShifts(browser, server, ''),
    autostart: await measureShifts(browser, server, 'autostart'),
    maxCls: 0,
  };
}

async function measureShifts(browser: Browser, server: BenchServer, start: string): Promise<Moved> {
  const rounds: Moved[] = [];
  for (let at = 0; at < ROUNDS; at += 1) {
    rounds.push(await measureShift(browser, server, start));
  }
  const cls = round(median(rounds.map((one) => one.cls)), 4);
  return { cls, heights: rounds[0]?.heights ?? [] };
}

async function measureShift(browser: Browser, server: BenchServer, start: string): Promise<Moved> {
  const bench = await Bench.open(browser);
  const { page } = bench;
  await page.addInitScript(watchThePage);
  const query = new URLSearchParams({
    head: `<script src="${server.pay(LATE_MS)}/pay-checkout.js" async></script>
      <style>pay-checkout { display: block; min-block-size: ${RESERVED} }</style>`,
    markup: `<pay-checkout merchant="bench" order="A1001" order-token="t" ${start}></pay-checkout>`,
  });
  await page.goto(server.shop(`/?${query}`));
  if (start) await page.evaluate(() => globalThis.firstReady);
  await page.evaluate(settle);
  const moved = await page.evaluate(() => {
    const isBefore = ({ at }: { at: number }): boolean =>
      at < (globalThis.configuredAt ?? Infinity);
    const shifts = (globalThis.shifts ?? []).filter(isBefore);
    const cls = shifts.reduce((total, { value }) => total + value, 0);
    return { cls, heights: globalThis.heights ?? [] };
  });
  await bench.close();
  return moved;
}

/** Runs in the page, before anything else does. */
function watchThePage(): void {
  const shifts: { at: number; value: number }[] = (globalThis.shifts = []);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      shifts.push({ at: entry.startTime, value: (entry as unknown as { value: number }).value });
    }
  }).observe({ type: 'layout-shift', buffered: true });
  const heights: number[] = (globalThis.heights = []);
  const check = (): void => {
    if (globalThis.configuredAt !== undefined) return;
    const rect = document.querySelector('pay-checkout')?.getBoundingClientRect();
    if (rect && heights.at(-1) !== rect.height) heights.push(rect.height);
    requestAnimationFrame(check);
  };
  check();
  globalThis.firstReady = new Promise((resolve) =>
    addEventListener('pay-ready', () => resolve(performance.now())),
  );
}

/**
 * The element in numbers, against the smallest Lit element with the same flow, in one run and one
 * browser whose processor is four times slower. One JSON line for each figure, with what it should be
 * next to it. A line with `"isMissed":true` makes the exit code 1. `node bench/run.ts leak` runs only
 * that one.
 */
import { BenchServer } from './bench-server.ts';
import { prepareContestants, sizeOf } from './contestants.ts';
import { startBrowser } from './lab.ts';
import { measureFirstPayment } from './measure-first-payment.ts';
import { measureLeak } from './measure-leak.ts';
import { measureLayoutShift } from './measure-layout-shift.ts';
import { measureMany } from './measure-many.ts';
import { measureQuickStart } from './measure-quick-start.ts';
import { measureWaiting } from './measure-waiting.ts';
import { round } from './numbers.ts';

const MAX_BROTLI_BYTES = 18_000;

const { ours, peer } = await prepareContestants();
const server = new BenchServer([ours, peer]);
await server.start();
const browser = await startBrowser();

const BENCHES = {
  size: () => {
    const [a, b] = [sizeOf(ours), sizeOf(peer)];
    const ratio = round(a.brotli / b.brotli);
    return [{ bench: 'size', ours: a, peer: b, ratio, maxBrotliBytes: MAX_BROTLI_BYTES }];
  },
  first: () => measureFirstPayment(browser, server),
  waiting: () => measureWaiting(browser, server),
  start: () => measureQuickStart(browser, server),
  shift: async () => [await measureLayoutShift(browser, server)],
  many: async () => [await measureMany(browser, server)],
  leak: async () => [await measureLeak(browser, server)],
};

const wanted = process.argv.slice(2);
try {
  for (const [name, run] of Object.entries(BENCHES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    for (const figures of await run()) {
      process.stdout.write(`${JSON.stringify(figures)}\n`);
      if ('isMissed' in figures && figures.isMissed) process.exitCode = 1;
    }
  }
} finally {
  await browser.close();
  await server.stop();
}

import type { Page } from 'playwright-core';

/** What search engines and browsers call good. */
export const GOOD_CLS = 0.1;

/** An entry of the browser, which TypeScript does not know. */
interface LayoutShift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
}

/** How much of the page has moved without the shopper's doing, with what the next frames show. */
export async function layoutShiftOf(page: Page): Promise<number> {
  return page.evaluate(async () => {
    let sum = 0;
    new PerformanceObserver((list) => {
      const shifts = list.getEntries() as LayoutShift[];
      for (const { value, hadRecentInput } of shifts) sum += hadRecentInput ? 0 : value;
    }).observe({ type: 'layout-shift', buffered: true });
    for (let frame = 0; frame < 5; frame += 1) await new Promise(requestAnimationFrame);
    return sum;
  });
}

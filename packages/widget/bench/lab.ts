import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { findBrowser } from '../../../scripts/browsers.mjs';

/** What the page's main thread and heap have used, by the browser's own count. */
export interface Usage {
  /** Milliseconds of processor time of the main thread. */
  readonly taskMs: number;
  readonly scriptMs: number;
  readonly layoutMs: number;
  readonly nodes: number;
  readonly listeners: number;
}

const SLOWER = 4;

/** A page of a profile of its own, in a browser whose processor is four times slower. */
export class Bench {
  readonly page: Page;
  readonly #session: CDPSession;

  private constructor(page: Page, session: CDPSession) {
    this.page = page;
    this.#session = session;
  }

  static async open(browser: Browser, { isSlow = true } = {}): Promise<Bench> {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const page = await context.newPage();
    page.on('pageerror', (error) => {
      throw error;
    });
    const session = await context.newCDPSession(page);
    // Processor time, and not the time on the wall: that is the machine's own affair.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    if (isSlow) await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    return new Bench(page, session);
  }

  /** A network of 1.6 Mbit/s and 150 ms there and back. */
  async slowNetwork(): Promise<void> {
    await this.#session.send('Network.enable');
    await this.#session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 150,
      downloadThroughput: 1_600_000 / 8,
      uploadThroughput: 1_600_000 / 8,
    });
  }

  async usage(): Promise<Usage> {
    const { metrics } = await this.#session.send('Performance.getMetrics');
    const of = (name: string): number => metrics.find((one) => one.name === name)?.value ?? 0;
    return {
      taskMs: of('TaskDuration') * 1000,
      scriptMs: of('ScriptDuration') * 1000,
      layoutMs: (of('LayoutDuration') + of('RecalcStyleDuration')) * 1000,
      nodes: of('Nodes'),
      listeners: of('JSEventListeners'),
    };
  }

  /** Bytes of the heap that are in use once the garbage is gone. */
  async heap(): Promise<number> {
    // What finalizers and weak references hold goes in a second round.
    for (let round = 0; round < 3; round += 1) {
      await this.#session.send('HeapProfiler.collectGarbage');
    }
    return (await this.#session.send('Runtime.getHeapUsage')).usedSize;
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}

export async function startBrowser(): Promise<Browser> {
  const { executablePath, args, env } = await findBrowser();
  return chromium.launch({ executablePath, args, env: { ...process.env, ...env } });
}

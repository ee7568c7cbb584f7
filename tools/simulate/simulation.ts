import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Checkout } from '../../packages/session-server/dist/checkouts/state-machine.js';
import {
  type Merchant,
  merchantSchema,
} from '../../packages/session-server/dist/merchants/merchant.js';
import { type ListCalls, type Outage, ProviderModel } from './provider-model.ts';
import { Random } from './random.ts';
import { ShopModel } from './shop-model.ts';
import { orderKey, Shoppers } from './shoppers.ts';
import { SimulatedServer, type StoreSample } from './simulated-server.ts';
import { VirtualTime } from './virtual-time.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Where files are in memory: the disk has no virtual clock. */
const MEMORY = '/dev/shm';
const START = Date.parse('2026-01-01T00:00:00.000Z');
/** Share of the shops that hang once, for a day or a quarter of the time. */
const HANGING_SHARE = 0.01;

export interface SimulationOptions {
  readonly merchants: number;
  readonly orders: number;
  readonly days: number;
  readonly seed: number;
  /** When the provider is down, from the start, and for how long. */
  readonly outages: readonly { readonly afterHours: number; readonly minutes: number }[];
  /** No more orders come for so long at the end, in hours: what is still open then was lost. */
  readonly drainHours: number;
  /** Whether the provider's list is read for each merchant, and not for all of an account. */
  readonly isPerMerchant?: boolean;
  /** Ends the run early: what was measured so far counts. */
  readonly signal?: AbortSignal;
  /** Called with each sample. */
  readonly onSample?: (sample: Sample) => void;
}

/** What is seen once an hour of simulated time. */
export interface Sample extends StoreSample {
  readonly hours: number;
  readonly orders: number;
  readonly listCalls: number;
  readonly unseenPayments: number;
  /** How long the backfill in progress has taken so far, in milliseconds. */
  readonly backfillAge: number;
}

export interface SimulationResult {
  readonly counts: Shoppers['counts'];
  readonly calls: ListCalls;
  /** Milliseconds from a payment to the state `paid`, or from what else the name says. */
  readonly certainty: Readonly<Record<keyof Measured, readonly number[]>>;
  /** Milliseconds from a change to the shop that acknowledged its event. */
  readonly events: ShopModel['ages'];
  readonly samples: readonly Sample[];
  /** Payments and refunds at the provider that the server did not see. */
  readonly missed: { readonly payments: number; readonly refunds: number };
  readonly transactions: number;
  readonly errors: readonly string[];
  /** What it took on this machine. */
  readonly cpuSeconds: number;
  readonly residentMegabytes: number;
}

interface Measured {
  /** The shopper waits on the page. */
  readonly watched: number[];
  /** The shopper has closed the tab. */
  readonly closedTab: number[];
  /** From the moment when the row is listed. */
  readonly sinceListed: number[];
  /** From a refund to its flag. */
  readonly refund: number[];
}

/** Runs the session server's own code through days of orders, in the time that the code takes. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { days, orders, seed, drainHours, isPerMerchant = false } = options;
  const cpuBefore = process.cpuUsage();
  const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'simulation-'));
  const time = new VirtualTime(START);
  const now = () => time.now();
  // The code's own jitter follows from the seed too.
  const random = new Random(seed);
  const { random: ownRandom } = Math;
  Math.random = () => random.next();
  const spanMs = days * DAY_MS;
  const merchants = makeMerchants(options.merchants);
  const errors: string[] = [];
  const measured: Measured = { watched: [], closedTab: [], sinceListed: [], refund: [] };
  const outages = options.outages.map(({ afterHours, minutes }): Outage => {
    const from = START + afterHours * HOUR_MS;
    return { from, until: from + minutes * MINUTE_MS };
  });
  const provider = new ProviderModel(random, outages, now);
  const shop = new ShopModel(random, hangingShops(merchants, spanMs, random), now);
  const server = new SimulatedServer({
    ...{ folder, merchants, gateway: provider, shop, clock: time, isPerMerchant },
    lookUpOrder: (_, order) => Promise.resolve({ order, ...PRICE }),
    onChange: (before, after) => measure(before, after),
    onError: (message) => errors.push(message),
  });
  const shoppers = new Shoppers({
    ...{ random, server, provider, now, orders, merchants: [...merchants.values()] },
    until: START + spanMs,
    hasNights: days >= 1,
  });
  const measure = (before: Checkout | undefined, after: Checkout): void => {
    const key = orderKey(after);
    const payment = shoppers.payments.get(key);
    if (payment && after.state === 'paid' && before?.state !== 'paid') {
      const { paidAt, listedAt, isWatched } = payment;
      measured[isWatched ? 'watched' : 'closedTab'].push(now() - paidAt);
      measured.sinceListed.push(now() - listedAt);
      shoppers.payments.delete(key);
    }
    const refundedAt = shoppers.refunds.get(key);
    if (refundedAt !== undefined && after.refund === 'full') {
      measured.refund.push(now() - refundedAt);
      shoppers.refunds.delete(key);
    }
  };
  const samples: Sample[] = [];
  const sample = async (): Promise<void> => {
    const { backfillSince = now() } = server.reconciliation.countPollers();
    const { answered, refused, failed } = provider.calls;
    samples.push({
      ...(await server.sample()),
      hours: (now() - START) / HOUR_MS,
      orders: shoppers.counts.opened,
      listCalls: answered + refused + failed,
      unseenPayments: shoppers.payments.size,
      backfillAge: now() - backfillSince,
    });
    options.onSample?.(samples.at(-1) as Sample);
  };
  const isBusy = () => server.database.isBusy;
  let residentBytes = 0;
  try {
    shoppers.start();
    const endAt = START + spanMs + drainHours * HOUR_MS;
    while (now() < endAt && options.signal?.aborted !== true) {
      await time.pass(Math.min(HOUR_MS, endAt - now()), isBusy);
      await sample();
      residentBytes = Math.max(residentBytes, process.memoryUsage.rss());
    }
    shoppers.leave();
    const closing = server.close();
    await time.pass(MINUTE_MS, isBusy);
    await closing;
  } finally {
    time.restore();
    Math.random = ownRandom;
    rmSync(folder, { recursive: true, force: true });
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    counts: shoppers.counts,
    calls: provider.calls,
    certainty: measured,
    events: shop.ages,
    samples,
    missed: { payments: shoppers.payments.size, refunds: shoppers.refunds.size },
    transactions: server.database.transactions,
    errors: [...new Set(errors)],
    cpuSeconds: (user + system) / 1e6,
    residentMegabytes: residentBytes / 2 ** 20,
  };
}

const PRICE = { amount: '12.34', currency: 'GBP', status: 'payable' } as const;

function makeMerchants(count: number): ReadonlyMap<string, Merchant> {
  const first = merchantSchema.parse({
    id: 'shop-1',
    name: 'Shop',
    providerMerchantId: 1001,
    currency: 'GBP',
    origins: ['https://shop.example'],
    returnUrl: 'https://shop.example/result?checkout={checkout}',
    orderLookup: { url: 'https://shop.example/order-lookup' },
    events: { url: 'https://shop.example/events' },
    openBy: 'order',
    sdk: {
      url: 'https://sdk.example/checkout.js',
      global: 'Provider',
      argument: 'object',
      container: 'selector',
      origins: { script: [], frame: [], connect: [] },
    },
    apiKeyHash: [`sha256:${'0'.repeat(64)}`],
    orderTokenSecret: ['0'.repeat(32)],
    signingSecret: [`whsec_${Buffer.alloc(32).toString('base64')}`],
  });
  return new Map(
    Array.from({ length: count }, (_, index) => {
      const id = `shop-${String(index + 1)}`;
      return [id, { ...first, id, providerMerchantId: 1001 + index }];
    }),
  );
}

/** Some shops hang, each at another time. */
function hangingShops(
  merchants: ReadonlyMap<string, Merchant>,
  spanMs: number,
  random: Random,
): ReadonlyMap<string, Outage> {
  const hanging = [...merchants.keys()].filter(() => random.chance(HANGING_SHARE));
  const hangsMs = Math.min(DAY_MS, spanMs / 4);
  return new Map(
    hanging.map((id) => {
      const from = START + random.next() * (spanMs - hangsMs);
      return [id, { from, until: from + hangsMs }];
    }),
  );
}

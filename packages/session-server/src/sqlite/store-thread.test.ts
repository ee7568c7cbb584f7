import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CheckoutStore } from '../checkout/checkout-store.js';
import { systemClock } from '../clock.js';
import { StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import { openStoreThread } from './store-thread.js';

describe('the thread of a store', () => {
  let folder: string;
  const stores: CheckoutStore[] = [];
  const heard: string[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'thread-'));
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    heard.splice(0);
    rmSync(folder, { recursive: true });
  });

  async function open(): Promise<CheckoutStore> {
    const store = await openStoreThread({
      path: join(folder, 'data.sqlite'),
      clock: systemClock,
      rules: TEST_RULES,
      observer: {
        checkoutChanged: (before, after) => heard.push(`${before?.state ?? 'new'} ${after.state}`),
      },
    });
    stores.push(store);
    return store;
  }

  it('says under its own name that another process has the file, and can be started anew', async () => {
    const first = await open();
    await expect(open()).rejects.toMatchObject({
      name: 'DatabaseInUseError',
      message: expect.stringContaining('another process has this data file open') as string,
    });
    await first.close();
    await (await open()).ping();
  });

  it('is asked for a checkout once, and again when that has changed', async () => {
    const store = await open();
    const { checkout, attempt } = await new StoreHarness(store).expose();
    const found = await store.find(checkout.id);
    expect(await store.find(checkout.id)).toBe(found);
    expect(await store.findMany([checkout.id, 'unknown'])).toEqual([found]);
    const writing = new StoreHarness(store).pay(attempt.orderId);
    expect(await store.find(checkout.id)).toMatchObject({ revision: found?.revision });
    await writing;
    expect(await store.find(checkout.id)).toMatchObject({ state: 'paid' });
  });

  it('tells of each change before it answers the one who made it', async () => {
    const store = await open();
    const { attempt } = await new StoreHarness(store).expose();
    expect(heard).toEqual(['new open']);
    await new StoreHarness(store).pay(attempt.orderId);
    expect(heard).toEqual(['new open', 'open paid']);
  });

  it('refuses whatever is asked after it has ended', async () => {
    const store = await open();
    await store.close();
    await expect(store.ping()).rejects.toThrow();
    await store.close();
  });
});

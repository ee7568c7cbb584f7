import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AttentionCode, EventType } from '../checkouts/state-machine.js';
import { timedId } from '../random-id.js';
import { TestStore } from '../testing/test-store.js';
import { StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import { testCheckout } from '../testing/test-checkout.js';
import { renderEvent } from './event.js';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/events.md'), 'utf8');

const TYPES: Record<EventType, true> = {
  'checkout.paid': true,
  'checkout.failed': true,
  'checkout.cancelled': true,
  'checkout.left': true,
  'checkout.expired': true,
  'checkout.unconfirmed': true,
  'checkout.refunded': true,
  'checkout.attention': true,
};
const CODES: Record<AttentionCode, true> = {
  amount_mismatch: true,
  currency_mismatch: true,
  currency_missing: true,
  time_mismatch: true,
  paid_twice: true,
  price_changed: true,
  late_payment: true,
  paid_after_void: true,
  unconfirmed: true,
  price_changed_after_paid: true,
  status_changed: true,
};

/** The cells of the table whose head begins with `first`. */
function rowsOf(first: string): string[][] {
  const [, table = ''] = page.split(`\n| ${first} `);
  const [rows = ''] = table.split('\n\n');
  const cellsOf = (row: string): string[] =>
    row.split('|').map((cell) => cell.trim().replaceAll('`', ''));
  return rows
    .split('\n')
    .slice(2)
    .map((row) => cellsOf(row).slice(1, -1));
}

/** The codes in its first column. */
function codesOf(first: string): string[] {
  return rowsOf(first).flatMap(([cell = '']) => cell.match(/[a-z_.]{4,}/g) ?? []);
}

/** What the bodies of each type say of `certain`, when each of them is sent once or twice. */
async function certaintyOfEachType(): Promise<Record<string, boolean[]>> {
  let now = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'events-'));
  const path = join(folder, 'data.sqlite');
  const clock = { now: () => now };
  const store = await TestStore.open({ path, clock, rules: TEST_RULES });
  const harness = new StoreHarness(store);
  const open = async (order: string) => {
    const { checkout, attempt } = await harness.activate({ order });
    return { id: checkout.id, orderId: attempt.orderId };
  };

  await store.apply((await open('cancelled')).id, { type: 'cancel-hinted' });
  await store.apply((await open('left')).id, { type: 'came-back', kind: 'back' });
  await store.apply((await open('failed')).id, { type: 'failure-proved' });
  await store.apply((await open('unconfirmed')).id, { type: 'came-back', kind: 'return' });
  const { orderId } = await open('paid');
  await harness.pay(orderId, { transaction: 'tx-1' });
  await harness.pay(orderId, { transaction: 'tx-1', status: 'REFUNDED', refundedMinor: 999 });
  await harness.pay(orderId, { transaction: 'tx-2' });
  await open('expired');
  now += (TEST_RULES.expireAfterSeconds + 1) * 1000;
  await store.applyTime(10);

  const found = new Map<string, Set<boolean>>();
  for (;;) {
    const events = await store.claimEvents({ limit: 100, perMerchant: 100, leaseSeconds: 30 });
    if (events.length === 0) break;
    for (const { id, type, body } of events) {
      const { data } = JSON.parse(body) as { data: { certain: boolean } };
      found.set(type, (found.get(type) ?? new Set()).add(data.certain));
      await store.markDelivered(id);
    }
  }
  await store.close();
  rmSync(folder, { recursive: true });
  return Object.fromEntries([...found].map(([type, certain]) => [type, [...certain].toSorted()]));
}

describe('docs/events.md', () => {
  it('lists every type of event', () => {
    expect(codesOf('type').toSorted()).toEqual(Object.keys(TYPES).toSorted());
  });

  it('lists every reason for a person to check', () => {
    expect(codesOf('code').toSorted()).toEqual(Object.keys(CODES).toSorted());
  });

  it('says of each type whether it is certain, as its events say', async () => {
    const said = new Map(rowsOf('type').map(([type = '', , certain = '']) => [type, certain]));
    const words = { yes: [true], no: [false], '–': [false, true] };
    const expected = [...said].map(([type, word]) => [type, words[word as keyof typeof words]]);
    expect(await certaintyOfEachType()).toEqual(Object.fromEntries(expected));
  });

  it('shows an event as it is sent, and names each field that it may leave out', () => {
    const [, example = ''] = /^```json\n([^]*?)^```$/m.exec(page) ?? [];
    const shown = JSON.parse(example) as {
      timestamp: string;
      data: { checkout: string; requestId: string };
    };
    const checkout = testCheckout({
      id: shown.data.checkout,
      requestId: shown.data.requestId,
      state: 'paid',
      paidBy: 'txn_4b7',
      shopVersion: '7',
      payment: {
        ...{ method: 'New Card', lastDigits: '4242', fee: '0.20', pspReference: 'psp_81c' },
        ...{ internalReference: 'int_5d0', paidAt: '2026-03-01T10:14:58.000Z' },
      },
    });
    const { data, ...sent } = JSON.parse(
      renderEvent(checkout, 'checkout.paid', 1, Date.parse(shown.timestamp)),
    ) as { data: Record<string, unknown> };
    const { version: _version, ...plain } = data;
    expect(shown).toEqual({ ...sent, data: plain });
    expect(shown.data.checkout).toMatch(/^[\w-]+$/);
    expect(shown.data.checkout).toHaveLength(timedId(0).length);
    for (const name of ['requestId', 'version', 'transaction', 'payment', 'scheme'])
      expect(page).toContain(`\`${name}\``);
  });
});

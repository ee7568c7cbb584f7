import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AttentionCode, OrderEventType } from '../checkout/checkout.js';
import { timedId } from '../random-id.js';
import { testCheckout } from '../testing/test-checkout.js';
import { writeOrderEvent } from './order-event.js';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/events.md'), 'utf8');

const TYPES: Record<OrderEventType, true> = {
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
  paid_twice: true,
  superseded_paid: true,
  late_payment: true,
  unconfirmed: true,
  price_changed_after_paid: true,
};

/** The codes in the first column of the table whose head begins with `first`. */
function codesOf(first: string): string[] {
  const [, table = ''] = page.split(`\n| ${first} `);
  const [rows = ''] = table.split('\n\n');
  return rows
    .split('\n')
    .slice(2)
    .flatMap((row) => (row.split('|')[1] ?? '').match(/[a-z_.]{4,}/g) ?? []);
}

describe('docs/events.md', () => {
  it('lists every type of event', () => {
    expect(codesOf('type').toSorted()).toEqual(Object.keys(TYPES).toSorted());
  });

  it('lists every reason for a person to look', () => {
    expect(codesOf('code').toSorted()).toEqual(Object.keys(CODES).toSorted());
  });

  it('shows an event as it is sent, and names each field that it may leave out', () => {
    const [, example = ''] = /^```json\n([^]*?)^```$/m.exec(page) ?? [];
    const shown = JSON.parse(example) as { timestamp: string; data: { checkout: string } };
    const checkout = testCheckout({
      id: shown.data.checkout,
      state: 'paid',
      paidBy: 'txn_4b7',
      shopVersion: '7',
    });
    const { data, ...sent } = JSON.parse(
      writeOrderEvent(checkout, 'checkout.paid', 1, Date.parse(shown.timestamp)),
    ) as { data: Record<string, unknown> };
    const { version: _version, ...plain } = data;
    expect(shown).toEqual({ ...sent, data: plain });
    expect(shown.data.checkout).toMatch(/^[\w-]+$/);
    expect(shown.data.checkout).toHaveLength(timedId(0).length);
    for (const name of ['version', 'transaction']) expect(page).toContain(`\`${name}\``);
  });
});

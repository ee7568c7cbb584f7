import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Attempt } from '../checkouts/attempt-repository.js';
import { SILENT_OBSERVER } from '../observer.js';
import type { TransactionRow } from '../provider/gateway.js';
import { quietReconciliation } from '../testing/quiet-reconciliation.js';
import { StoreHarness, TEST_RULES, AT_PROVIDER } from '../testing/store-harness.js';
import { testMerchant } from '../testing/test-merchant.js';
import { TestStack } from '../testing/test-stack.js';
import { TestStore } from '../testing/test-store.js';

const START = Date.UTC(2026, 0, 1);
const merchant = testMerchant();

let folder: string;
let now: number;
let unknown: number;
let logged: object[];
const closing: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'two-servers-'));
  now = START;
  unknown = 0;
  logged = [];
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true });
});

/** A server's store and reconciliation; all servers of a test have one clock. */
async function startServer(file: string) {
  const clock = { now: () => now };
  const store = await TestStore.open({ path: join(folder, file), clock, rules: TEST_RULES });
  closing.push(() => store.close());
  const reconciliation = quietReconciliation(store, merchant, {
    logger: {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (fields) => logged.push(fields),
    },
    observer: {
      ...SILENT_OBSERVER,
      unknownOrderIdsSeen: (count) => {
        unknown += count;
      },
    },
  });
  closing.push(() => reconciliation.close());
  const open = (order: string) => new StoreHarness(store).activate({ order });
  const stateOf = async (checkout: string) => (await store.find(checkout))?.state;
  return { store, reconciliation, open, stateOf };
}

function rowOf(references: Readonly<Record<string, string>>): TransactionRow {
  return {
    id: `tx-${JSON.stringify(references)}`,
    transactionTime: new Date(now).toISOString(),
    status: 'SUCCESS',
    merchantId: 1001,
    currencyCode: 'GBP',
    amount: '9.99',
    references,
  };
}

/** Every way in which a row may name an attempt. */
function rowsOf({ orderId, merchantReference }: Attempt): TransactionRow[] {
  return [
    rowOf({ orderRef: String(orderId) }),
    rowOf({ orderRef: merchantReference }),
    rowOf({ orderRef: merchantReference, resellerOrderId: String(orderId) }),
  ];
}

describe('two servers at one provider merchant', () => {
  it('that start in the same second never take each other’s payments for their own', async () => {
    const [one, other] = await Promise.all([startServer('one'), startServer('other')]);
    const mine = await one.open('A1001');
    // The same shop, and another.
    const theirs = [await other.open('A1001'), await other.open('B1')];
    await other.reconciliation.reconcile(AT_PROVIDER, rowsOf(mine.attempt));
    for (const { checkout } of theirs) expect(await other.stateOf(checkout.id)).toBe('open');
    await one.reconciliation.reconcile(AT_PROVIDER, rowsOf(mine.attempt));
    expect(await one.stateOf(mine.checkout.id)).toBe('paid');
    expect(logged).toEqual([]);
  });

  it('keep to the place where each of them started, also after a restart', async () => {
    const first = await startServer('one');
    const { attempt } = await first.open('A1001');
    await closing.pop()?.();
    await closing.pop()?.();
    now += 3_600_000;
    const again = await (await startServer('one')).open('A1002');
    expect(again.attempt.orderId).toBe(attempt.orderId + 3600);
  });

  it('one of them on a copy of the other’s data: a row for another order proves nothing, and both report it', async () => {
    const first = await startServer('one');
    await first.open('A0');
    await closing.pop()?.();
    await closing.pop()?.();
    copyFileSync(join(folder, 'one'), join(folder, 'other'));
    now += 1000;
    const [one, other] = [await startServer('one'), await startServer('other')];
    const mine = await one.open('A1001');
    const theirs = await other.open('B1');
    expect(theirs.attempt.orderId).toBe(mine.attempt.orderId);
    const [, , row] = rowsOf(mine.attempt);
    for (let poll = 0; poll < 2; poll += 1)
      await other.reconciliation.reconcile(AT_PROVIDER, [row!]);
    expect(await other.stateOf(theirs.checkout.id)).toBe('open');
    expect(unknown).toBe(2);
    const reference = mine.attempt.merchantReference;
    expect(logged).toEqual([{ ...AT_PROVIDER, count: 1, reference }]);
  });

  it('keep their payments apart over the wire', async () => {
    await using stacks = new AsyncDisposableStack();
    const one = stacks.adopt(await TestStack.start(), (stack) => stack.close());
    const env = { PAY_PARTNER_API_URL: one.sandboxUrl };
    const other = stacks.adopt(await TestStack.start({ env }), (stack) => stack.close());
    const [mine, theirs] = await Promise.all([
      one.open('A1001', { amount: '9.99' }),
      other.open('A1001', { amount: '9.99' }),
    ]);
    await one.payAtProvider(mine.body.sessionId ?? '');
    await Promise.all(
      [one, other].map((stack, at) => {
        const sessionId = [mine, theirs][at]?.body.sessionId ?? '';
        return stack.fetch(one.returnPath(sessionId, 'RedirectUrl'));
      }),
    );
    await one.until(mine.body.checkout, 'paid');
    other.advance(301);
    await other.until(theirs.body.checkout, 'unconfirmed');
  });
});

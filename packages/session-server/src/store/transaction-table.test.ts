import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PaymentEvidence } from '../checkouts/repository.js';
import { systemClock } from '../clock.js';
import { StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import { SqliteCheckoutStore } from './sqlite-store.js';
import { SqliteConnection } from './sqlite-connection.js';
import { TransactionTable } from './transaction-table.js';

let folder: string;
let connection: SqliteConnection;
let seen: PaymentEvidence;
let checkout: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'transactions-'));
  const path = join(folder, 'data.sqlite');
  const store = await SqliteCheckoutStore.open({ path, clock: systemClock, rules: TEST_RULES });
  const opened = await new StoreHarness(store).expose();
  await store.close();
  connection = new SqliteConnection(path);
  checkout = opened.checkout.id;
  seen = {
    transaction: 'tx-1',
    orderId: opened.attempt.orderId,
    status: 'SUCCESS',
    isRefundRow: false,
    amount: '9.99',
    currency: 'GBP',
    transactionTime: '2026-01-01T00:01:00.000Z',
    refund: 'none',
  };
});
afterEach(async () => {
  await connection.close();
  rmSync(folder, { recursive: true });
});

it('a transaction is written when it is new or has changed: each look meets it again, and a write waits for the disk', async () => {
  const transactions = new TransactionTable(connection);
  // What a step has to change for its group to wait for the disk.
  const changes = () => Number(connection.get('SELECT total_changes() AS count')?.['count']);
  const before = changes();
  const keep = async (evidence: PaymentEvidence): Promise<number> => {
    await connection.write(() => {
      transactions.keep(evidence, checkout, 0);
    });
    return changes() - before;
  };
  expect(await keep(seen)).toBe(1);
  expect(await keep(seen)).toBe(1);
  expect(await keep(seen)).toBe(1);
  expect(await keep({ ...seen, status: 'REFUNDED' })).toBe(2);
  expect(transactions.findOfCheckout(checkout)).toMatchObject([{ status: 'REFUNDED' }]);
});

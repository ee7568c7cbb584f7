import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../session-server/src/testing/postgres-store.js';
import { TestStack } from '../../../session-server/src/testing/test-stack.js';
import type { ReportView } from './report-view.js';

let database: TestDatabase;
let stack: TestStack;
beforeEach(async () => {
  database = await createTestDatabase();
  const PAY_ENCRYPTION_KEY = `test:${Buffer.alloc(32, 1).toString('base64')}`;
  const env = { DATABASE_URL: database.url, PAY_ENCRYPTION_KEY, PAY_OPERATOR_PORT: '0' };
  stack = await TestStack.start({ env });
});
afterEach(async () => {
  await stack.close();
  await database.drop();
});

it('the report of a day has what is matched and what is missing on PostgreSQL, too', async () => {
  for (const order of ['R1', 'R2']) {
    const { body } = await stack.open(order, { amount: '9.99' });
    await stack.payAtProvider(body.sessionId ?? '');
    await stack.fetch(stack.returnPath(body.sessionId ?? '', 'RedirectUrl'));
    await stack.until(body.checkout, 'paid');
  }
  const [row] = await database.query(
    "SELECT m.id FROM matched_transactions m JOIN checkouts c ON c.id = m.checkout WHERE order_name = 'R2'",
  );
  stack.sandbox.control.hideTransaction(String(row?.['id']), 3600);
  const day = new Date(stack.clock.now()).toISOString().slice(0, 10);
  const { body } = await stack.askOperator<ReportView>(`/operator/report?day=${day}`);
  expect(body).toMatchObject({
    isComplete: true,
    matched: [{ order: 'R1', amount: '9.99' }],
    missing: [{ order: 'R2', transaction: row?.['id'] }],
    totals: [{ matched: { count: 1, amount: '9.99' }, missing: { count: 1, amount: '9.99' } }],
  });
});

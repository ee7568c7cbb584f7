import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../../session-server/src/config.js';
import { runExplain } from './explain-command.js';
import { TestStack } from '../../../session-server/src/testing/test-stack.js';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.close());

describe('explaining an order, while the server runs', () => {
  it('says of each transaction that names it why it counts or not', async () => {
    const { body } = await stack.open('Q1', { amount: '9.99' });
    const session = stack.session(body.sessionId ?? '');
    const row = {
      orderRef: session.MerchantReference,
      merchantId: 1001,
      currencyCode: 'GBP',
      amount: '9.99',
      status: 'SUCCESS',
      transactionTime: new Date().toISOString(),
    };
    const add = (change: object) =>
      stack.sandbox.control.addTransaction({ row: { ...row, ...change } });
    add({ id: 'txn-good' });
    add({ id: 'txn-amount', amount: '1.00' });
    add({ id: 'txn-status', status: 'PENDING' });
    const inAnotherZone = row.transactionTime.replace('Z', '+00:00');
    add({ id: 'txn-zone', status: 'PENDING', transactionTime: inAnotherZone });
    add({ id: 'txn-near', orderRef: 'Q1.7', resellerOrderId: 'Q1' });
    const text = (await runExplain(stack.config, 'Q1')).join('\n');
    expect(text).toMatch(/txn-good .*: counts$/m);
    expect(text).toMatch(/txn-amount .*: does not count, and needs a person: amount_mismatch$/m);
    expect(text).toContain(`txn-zone ${row.transactionTime} `);
    expect(text).toMatch(/txn-status .*: does not count: the status is not in the paid list$/m);
    expect(text).toMatch(/txn-near .*: does not count: no match field carries/m);
  });

  it('fails for an order that there is not, in one line however many merchants there are', async () => {
    await stack.open('Q2', { amount: '9.99' });
    const file = JSON.parse(readFileSync(join(stack.folder, 'merchants.json'), 'utf8')) as {
      merchants: object[];
    };
    const others = Array.from({ length: 20 }, (_, at) => ({
      ...file.merchants[0],
      id: `shop-${String(at)}`,
      apiKeyHash: [`sha256:${String(at).padStart(64, '0')}`],
    }));
    const path = join(stack.folder, 'many-merchants.json');
    const merchants = [...file.merchants, ...others];
    writeFileSync(path, JSON.stringify({ merchants }), { mode: 0o600 });
    const many = parseConfig({ ...stack.env, PAY_MERCHANTS_FILE: path });
    await expect(runExplain(many, 'NOPE')).rejects.toThrow(/^there is no order "NOPE"$/);
    await expect(runExplain(many, 'Q2', 'shop-1')).rejects.toThrow(
      /^there is no order "Q2" of shop-1; teashop has one of this name$/,
    );
    const [text = ''] = await runExplain(many, 'Q2', undefined, true);
    expect(JSON.parse(text)).toEqual([
      {
        ...{ merchant: 'teashop', order: 'Q2' },
        timeline: expect.arrayContaining([expect.stringContaining('Checkout created')]) as unknown,
        lines: expect.arrayContaining([expect.stringContaining(': open, 9.99 GBP')]) as unknown,
      },
    ]);
  });

  it('refuses a merchant that does not exist, and changes nothing in the file', async () => {
    await expect(runExplain(stack.config, 'Q1', 'unknown-shop')).rejects.toThrow('unknown-shop');
    expect((await stack.reopen('Q1')).status).toBe(200);
    expect(stack.env['PAY_DATABASE_FILE']).toBe(join(stack.folder, 'data.sqlite'));
  });
});

import { describe, expect, it } from 'vitest';
import { runCommand } from '../cli.js';
import { API_KEY, startReceiver, startSandbox, type TestSandbox } from '../testing/test-sandbox.js';

const APPROVED = '9000000000000001';

/** Of reseller 7002, as merchants 1004 and 1005 are; 1001 is of another one. */
async function startWithTwoKeys() {
  const test = await startSandbox();
  const { status, body } = await test.post('/_sandbox/keys', { name: 'cycles', resellerId: 7002 });
  expect(status).toBe(201);
  const headers = { api_key: String(body['key']) };
  return { test, headers };
}

async function payFor(test: TestSandbox, merchant: number, orderId: number): Promise<void> {
  const session = await test.openSession({ merchant_id: merchant, order_id: orderId });
  await test.pay(session, APPROVED);
}

const remove = (test: TestSandbox, path: string) => test.send('DELETE', `/_sandbox${path}`);

describe('an API key', () => {
  it('is shown once, is accepted like the others, and is refused once it is revoked', async () => {
    const { test, headers } = await startWithTwoKeys();
    const list = async (key: Record<string, string>) =>
      (await test.post('/v1/transactions/list', {}, key)).status;
    expect([await list(headers), await list({ api_key: API_KEY })]).toEqual([200, 200]);
    const keys = await test.send('GET', '/_sandbox/keys');
    expect(keys.body).toEqual({ keys: [{ name: 'first' }, { name: 'cycles', resellerId: 7002 }] });
    const requests = await test.send('GET', '/_sandbox/requests/1');
    expect(requests.text).not.toContain(headers.api_key);
    expect((await test.post('/_sandbox/keys', { name: 'cycles' })).status).toBe(409);
    expect((await remove(test, '/keys/cycles')).status).toBe(204);
    expect([await list(headers), await list({ api_key: API_KEY })]).toEqual([401, 200]);
    expect((await remove(test, '/keys/cycles')).status).toBe(404);
  });

  it('of a reseller lists the transactions of its merchants only, whatever the filter', async () => {
    const { test, headers } = await startWithTwoKeys();
    await payFor(test, 1001, 71);
    await payFor(test, 1004, 72);
    const list = async (query: object) => {
      const { body } = await test.post('/v1/transactions/list', query, headers);
      const { transactions } = body['data'] as { transactions: { merchantId: number }[] };
      return transactions.map(({ merchantId }) => merchantId);
    };
    expect(await list({})).toEqual([1004]);
    expect(await list({ resellerId: 7001 })).toEqual([]);
    expect(await list({ merchantId: 1001 })).toEqual([]);
    expect(await test.listIds()).toHaveLength(2);
    await remove(test, '/merchants/1004');
    expect(await list({})).toEqual([1004]);
  });

  it('of a reseller knows no merchant, schedule, transfer, partner or webhook of another one', async () => {
    const { test, headers } = await startWithTwoKeys();
    const answers = async (key: Record<string, string>, merchant: number, webhookId: unknown) => {
      const fields = { merchant_id: merchant, order_id: 71, Amount: '12.34' };
      const schedule = `sch_${String(merchant)}_daily`;
      const association = { action: 'reactivate', merchantId: String(merchant) };
      const calls = [
        test.post('/create-session', fields, key),
        test.post('/v1/reports/update-schedule', { id: schedule }, key),
        test.post('/merchants-sandbox/api/v1/merchants/merchant-association', association, key),
        test.readTransfers(String(merchant), undefined, key),
        test.post('/developer-service/webhooks/test', { webhookId }, key),
      ];
      return (await Promise.all(calls)).map(({ status }) => status);
    };
    const create = async (key: Record<string, string>) => {
      const { url } = await startReceiver();
      const { body } = await test.post('/developer-service/webhooks/create', { url }, key);
      return (body['data'] as { webhook_id: string }).webhook_id;
    };
    const all = { api_key: API_KEY };
    const [ofAll, ofReseller] = [await create(all), await create(headers)];
    expect(await answers(headers, 1001, ofAll)).toEqual([404, 404, 404, 404, 404]);
    expect(await answers(headers, 1004, ofReseller)).toEqual([200, 200, 200, 200, 200]);
    expect(await answers(all, 1001, ofReseller)).toEqual([200, 200, 200, 200, 200]);
  });

  it('of a reseller hears at its endpoints of its merchants’ payments only', async () => {
    const { test, headers } = await startWithTwoKeys();
    const receiver = await startReceiver();
    await test.post('/developer-service/webhooks/create', { url: receiver.url }, headers);
    await payFor(test, 1001, 71);
    await payFor(test, 1004, 72);
    await receiver.whenReceived(1);
    const { body } = await test.send('GET', '/_sandbox/deliveries');
    expect(body['deliveries']).toMatchObject([{ orderId: 72 }]);
  });
});

describe('a merchant and a partner', () => {
  it('that are added are known to every operation until they are removed', async () => {
    const test = await startSandbox();
    const merchant = { id: 1007, name: 'Quarry Lamps', currency: 'EUR', resellerId: 7009 };
    const create = async () => (await test.createSession({ merchant_id: 1007 })).status;
    const analyse = async (headers = {}) => {
      const query = { partner_name: 'quarry', timeframe: 'weekly' };
      return test.post('/v1/analytics/partner_analytics', query, headers);
    };
    expect([await create(), (await analyse()).status]).toEqual([404, 403]);
    expect((await test.post('/_sandbox/merchants', merchant)).body).toEqual(merchant);
    expect((await test.post('/_sandbox/merchants', merchant)).status).toBe(409);
    for (const [what, changes] of [
      ['merchants', { id: 1008, name: 'Misspelt' }],
      ['partners', { name: 'misspelt' }],
    ] as const) {
      const misspelt = { ...changes, currency: 'GPB' };
      expect((await test.post(`/_sandbox/${what}`, misspelt)).status).toBe(400);
    }
    await test.post('/_sandbox/partners', { name: 'quarry', resellerId: 7009 });
    await payFor(test, 1001, 71);
    await payFor(test, 1007, 72);
    expect((await analyse()).body['data']).toMatchObject({ transaction_count: 1 });
    expect((await test.readTransfers('1007', undefined, { api_key: API_KEY })).status).toBe(200);
    const other = await test.post('/_sandbox/keys', { name: 'other', resellerId: 7002 });
    expect((await analyse({ api_key: String(other.body['key']) })).status).toBe(403);
    await remove(test, '/merchants/1007');
    await remove(test, '/partners/quarry');
    expect([await create(), (await analyse()).status]).toEqual([404, 403]);
  });

  it('are as in the settings again after a reset, and so are the keys', async () => {
    const { test, headers } = await startWithTwoKeys();
    await test.post('/_sandbox/merchants', { id: 1007, name: 'Quarry Lamps', currency: 'EUR' });
    await remove(test, '/partners/harbour-lane');
    const before = (await startSandbox()).sandbox.control.describe();
    await test.post('/_sandbox/reset', {});
    expect(test.sandbox.control.describe()).toEqual(before);
    expect((await test.post('/v1/transactions/list', {}, headers)).status).toBe(401);
  });

  it('are added, listed and removed by commands', async () => {
    const test = await startSandbox();
    const run = async (...words: readonly string[]) => {
      const written: string[] = [];
      const write = (line: string) => void written.push(line);
      const env = { SANDBOX_URL: test.url };
      return [await runCommand(words, { env, write, writeError: write }), written.join('\n')];
    };
    const done = async (...words: readonly string[]) => expect((await run(...words))[0]).toBe(0);
    await done('merchants', 'add', '1007', 'Quarry Lamps', 'EUR', '--reseller-id', '7009');
    await done('partners', 'add', 'quarry', '--reseller-id', '7009');
    expect(await run('keys', 'add', 'quarry', '--reseller-id', '7009')).toEqual([
      0,
      expect.stringMatching(/"key": "key_[\w-]{32}"/),
    ]);
    for (const list of ['merchants', 'partners', 'keys']) {
      expect((await run(list))[1]).toMatch(/"resellerId": 7009/);
    }
    await done('merchants', 'remove', '1007');
    await done('partners', 'remove', 'quarry');
    await done('keys', 'revoke', 'quarry');
    for (const list of ['merchants', 'partners', 'keys']) {
      expect((await run(list))[1]).not.toMatch(/7009/);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { startSandbox } from '../testing/test-sandbox.js';

const PATH = '/v1/analytics/partner_analytics';
const APPROVED = '9000000000000001';
const DECLINED = '9000000000000019';
const PARTNER = { partner_name: 'harbour-lane' };

function custom(from_date?: string, to_date?: string): object {
  return { ...PARTNER, timeframe: 'custom', from_date, to_date };
}

describe('POST /v1/analytics/partner_analytics', () => {
  it('follows the payments made, and not those that are declined', async () => {
    const test = await startSandbox();
    const read = async () => (await test.post(PATH, PARTNER)).body['data'];
    expect(await read()).toMatchObject({
      transaction_count: 0,
      total_volume: 0,
      average_amount: 0,
      conversion_rate: null,
      payment_methods: {},
      currencies: [],
    });
    const pay = async (fields: object, card = APPROVED) =>
      test.pay(await test.openSession({ ...fields }), card);
    await pay({ Amount: '12.34' });
    await pay({ Amount: '20.00' });
    await pay({ Amount: '7.00' }, DECLINED);
    await pay({ Amount: '1500', merchant_id: 1003 });
    const [newest, second] = await test.listIds();
    await test.post(`/_sandbox/transactions/${String(second)}/refund`, { amount: '5.00' });
    expect(newest).not.toBe(second);
    expect(await read()).toMatchObject({
      currency: 'GBP',
      is_estimate: false,
      transaction_count: 3,
      total_volume: 32.34,
      refunded_volume: 5,
      average_amount: 16.17,
      conversion_rate: 0.75,
      payment_methods: { 'New Card': 3 },
      volumes: { GBP: 32.34, JPY: 1500 },
      currencies: ['GBP', 'JPY'],
    });
  });

  it('has one number a day, of the days of the period only', async () => {
    const test = await startSandbox({ fixedTime: '2026-01-02T09:00:00.000Z' });
    const pay = async () => test.pay(await test.openSession(), APPROVED);
    await pay();
    test.sandbox.control.clock.advance(86_400);
    await pay();
    await pay();
    const { body } = await test.post(PATH, custom('2026-01-01', '2026-01-03'));
    expect(body['data']).toMatchObject({
      transaction_count: 3,
      daily: [
        { date: '2026-01-01', transactions: 0, volume: 0 },
        { date: '2026-01-02', transactions: 1, volume: 12.34 },
        { date: '2026-01-03', transactions: 2, volume: 24.68 },
      ],
    });
    const first = await test.post(PATH, custom('2026-01-01', '2026-01-02'));
    expect(first.body['data']).toMatchObject({ transaction_count: 1, total_volume: 12.34 });
  });

  it('adds up to what the list shows of the same days', async () => {
    const history = { count: 3000, until: '2026-03-31T00:00:00.000Z', days: 60 };
    const test = await startSandbox({ history, maxLimit: 5000 });
    const days = { fromDate: '2026-03-01', toDate: '2026-03-20' };
    const { transactions } = (await test.list({ ...days, limit: 5000 })).data;
    const pence = transactions
      .filter(({ currencyCode }) => currencyCode === 'GBP')
      .reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
    const { body } = await test.post(PATH, custom(days.fromDate, days.toDate));
    expect(body['data']).toMatchObject({
      transaction_count: transactions.length,
      total_volume: pence / 100,
    });
    expect(transactions.length).toBeGreaterThan(900);
  });

  it('counts the merchants of a partner’s reseller alone', async () => {
    const partners = [{ name: 'harbour-lane', resellerId: 7002, currency: 'EUR' }];
    const test = await startSandbox({ partners });
    await test.pay(await test.openSession({ merchant_id: 1001 }), APPROVED);
    await test.pay(await test.openSession({ merchant_id: 1005, Amount: '8.00' }), APPROVED);
    await test.createSession({ merchant_id: 1005 });
    expect((await test.post(PATH, PARTNER)).body['data']).toMatchObject({
      currency: 'EUR',
      transaction_count: 1,
      total_volume: 8,
      conversion_rate: 0.5,
    });
  });

  it.each([
    ['weekly', 7],
    ['monthly', 30],
    ['quarterly', 90],
    [undefined, 30],
  ])('covers the days of %s up to today', async (timeframe, days) => {
    const test = await startSandbox();
    test.sandbox.control.clock.set(new Date('2028-03-01T12:00:00.000Z'));
    const { body } = await test.post(PATH, { ...PARTNER, timeframe });
    const { daily } = body['data'] as { daily: { date: string }[] };
    expect(daily).toHaveLength(days);
    expect(daily.at(-1)?.date).toBe('2028-03-01');
    expect(daily.at(-2)?.date).toBe('2028-02-29');
  });

  it.each([
    ['2026-01-01', '2026-03-30', 200],
    ['2026-01-01', '2026-03-31', 200],
    ['2026-01-01', '2026-04-01', 400],
    ['2028-01-01', '2028-03-30', 200],
    ['2028-01-01', '2028-03-31', 400],
    ['2026-01-02', '2026-01-01', 400],
    ['2026-01-01', '2026-01-01', 200],
    ['2026-02-30', '2026-03-01', 400],
    [undefined, '2026-01-01', 400],
    ['2026-01-01', undefined, 400],
  ])('answers a custom range from %s to %s with %d', async (from, to, status) => {
    const test = await startSandbox();
    expect((await test.post(PATH, custom(from, to))).status).toBe(status);
  });

  it('answers an unknown partner with 403', async () => {
    const test = await startSandbox();
    const answer = await test.post(PATH, { partner_name: 'another-partner' });
    expect(answer.status).toBe(403);
    expect(answer.text).not.toContain('another-partner');
  });

  it('has a partner with nothing to show, and one that fails but sends data', async () => {
    const test = await startSandbox();
    const quiet = await test.post(PATH, { partner_name: 'quiet-harbour' });
    expect(quiet.body).toMatchObject({
      success: true,
      data: { transaction_count: 0, daily: [], conversion_rate: null },
    });
    const broken = await test.post(PATH, { partner_name: 'broken-harbour' });
    expect(broken.status).toBe(200);
    expect(broken.body).toMatchObject({
      success: false,
      data: { partner_name: 'broken-harbour' },
    });
  });

  it.each([
    ['partner_name', undefined],
    ['timeframe', 'yearly'],
    ['from_date', '01/01/2026'],
    ['partner', 'x'],
  ])('refuses %s = %j by name', async (field, value) => {
    const test = await startSandbox();
    const answer = await test.post(PATH, { ...PARTNER, [field]: value });
    expect(answer.status).toBe(400);
    expect(answer.body['errors']).toMatchObject([{ field }]);
  });
});

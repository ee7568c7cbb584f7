import { describe, expect, it } from 'vitest';
import { startSandbox } from '../testing/test-sandbox.js';

const PATH = '/v1/analytics/partner_analytics';
const PARTNER = { partner_name: 'harbour-lane' };

function custom(from_date?: string, to_date?: string): object {
  return { ...PARTNER, timeframe: 'custom', from_date, to_date };
}

describe('POST /v1/analytics/partner_analytics', () => {
  it('has metrics of every JSON type, including a series, the same each time', async () => {
    const test = await startSandbox();
    const { status, text, body } = await test.post(PATH, custom('2026-01-01', '2026-01-03'));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      data: {
        transaction_count: expect.any(Number) as number,
        total_volume: expect.any(Number) as number,
        is_estimate: false,
        payment_methods: { 'New Card': expect.any(Number) as number },
        daily: [{ date: '2026-01-01' }, { date: '2026-01-02' }, { date: '2026-01-03' }],
        currencies: ['EUR', 'GBP'],
      },
    });
    expect((await test.post(PATH, custom('2026-01-01', '2026-01-03'))).text).toBe(text);
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

  it('can count the 90 days the other way', async () => {
    const test = await startSandbox({ rangeCounts: 'difference' });
    expect((await test.post(PATH, custom('2026-01-01', '2026-04-01'))).status).toBe(200);
    expect((await test.post(PATH, custom('2026-01-01', '2026-04-02'))).status).toBe(400);
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

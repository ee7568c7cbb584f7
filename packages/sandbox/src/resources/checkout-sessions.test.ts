import { describe, expect, it } from 'vitest';
import { GOLDEN_FILES } from '../testing/golden-files.js';
import { startSandbox } from '../testing/test-sandbox.js';

const SPLIT = { partner_merchant_id: 501, type_id: 1, value: 0.3, value_type: 'amount' };
const golden = GOLDEN_FILES.find(({ operation }) => operation === 'create-session');
const EVERY_FIELD = { ...golden?.request.body, address2: '', SplitFee: [SPLIT] };

describe('POST /create-session', () => {
  it('answers a session_id of 128 random bits and marks itself as the sandbox', async () => {
    const test = await startSandbox();
    const answer = await test.post('/create-session', EVERY_FIELD);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual(['session_id']);
    expect(answer.body['session_id']).toMatch(/^[0-9a-f]{32}$/);
    expect(answer.headers.get('x-pay-sandbox')).toBe('1');
  });

  it('marks a refusal as the sandbox’s, and creates nothing', async () => {
    const test = await startSandbox();
    const wrong = await test.post('/create-session', EVERY_FIELD, { api_key: 'guessed-key' });
    expect([wrong.status, wrong.headers.get('x-pay-sandbox')]).toEqual([401, '1']);
    expect(test.sandbox.control.sessions()).toEqual([]);
  });

  it('accepts JSON only', async () => {
    const test = await startSandbox();
    const asText = await test.post('/create-session', EVERY_FIELD, {
      'content-type': 'text/plain',
    });
    expect(asText.status).toBe(415);
    const broken = await test.send('POST', '/create-session', {
      headers: { 'content-type': 'application/json', api_key: 'invented-key' },
      body: '{"email":"robin@example.test"',
    });
    expect(broken.status).toBe(400);
    expect(broken.text).not.toContain('robin');
    expect((await test.post('/create-session', { name: 'x'.repeat(70_000) })).status).toBe(413);
  });

  it.each([
    ['order_id', '71'],
    ['order_id', 7.5],
    ['merchant_id', undefined],
    ['email', 7],
    ['host', 'shop.example'],
    ['RedirectUrl', '/return'],
    ['CancelUrl', 'javascript:alert(1)'],
    ['WebhookUrl', 'ftp://pay.example/'],
    ['backurl', ''],
    ['Amount', 9.99],
    ['Amount', '0.00'],
    ['Amount', '-1.00'],
    ['Amount', '1.005'],
    ['Amount', '1e3'],
    ['amount', '9.99'],
    ['SplitFee', {}],
  ])('refuses %s = %j by name', async (field, value) => {
    const test = await startSandbox();
    const answer = await test.post('/create-session', { ...EVERY_FIELD, [field]: value });
    expect(answer.status).toBe(400);
    expect(answer.body['errors']).toEqual([expect.objectContaining({ field })]);
    expect(test.sandbox.control.sessions()).toEqual([]);
  });

  it('answers 404 for an unknown merchant', async () => {
    const test = await startSandbox();
    expect((await test.createSession({ merchant_id: 9 })).status).toBe(404);
  });

  it('lets the merchant decide the currency, and with it the decimals', async () => {
    const test = await startSandbox({ merchants: [{ id: 5, name: 'Paper', currency: 'JPY' }] });
    expect((await test.createSession({ merchant_id: 5, Amount: '1200' })).status).toBe(200);
    expect((await test.createSession({ merchant_id: 5, Amount: '1200.50' })).status).toBe(400);
    expect(test.sandbox.control.sessions()).toMatchObject([{ currency: 'JPY', Amount: '1200' }]);
  });

  it('compares the split with the amount exactly', async () => {
    const test = await startSandbox();
    const split = (...values: number[]) => ({
      Amount: '0.30',
      SplitFee: values.map((value) => ({ ...SPLIT, value })),
    });
    // As binary floats 0.1 + 0.2 is more than 0.3.
    expect((await test.createSession(split(0.1, 0.2))).status).toBe(200);
    expect((await test.createSession(split(0.1, 0.2, 0.01))).status).toBe(400);
    expect((await test.createSession(split(0.005))).status).toBe(400);
    expect((await test.createSession(split(-0.1))).status).toBe(400);
  });

  it('names the invalid field of a split item', async () => {
    const test = await startSandbox();
    const SplitFee = [{ ...SPLIT, type_id: 'one', extra: 1 }];
    const answer = await test.createSession({ SplitFee });
    expect(answer.body['errors']).toMatchObject([
      { field: 'SplitFee.0.type_id' },
      { field: 'SplitFee.0.extra' },
    ]);
  });

  it('creates a second session for the same order_id: the spec shows no idempotency', async () => {
    const test = await startSandbox();
    expect(await test.openSession()).not.toBe(await test.openSession());
    expect(test.sandbox.control.sessions()).toHaveLength(2);
  });

  it('can require more fields', async () => {
    const test = await startSandbox({ requiredFields: ['email'] });
    const answer = await test.createSession();
    expect(answer.body['errors']).toMatchObject([{ field: 'email' }]);
    expect((await test.createSession({ email: 'a@b.test' })).status).toBe(200);
  });
});

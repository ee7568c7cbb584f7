import { describe, expect, it } from 'vitest';

import { answerJson, clientOf, failureOf, startServer } from '../testing/test-server.js';
import type { CreateCheckoutSessionParams } from './checkout-sessions.js';

/** All 22 fields of spec 4.6. */
const EVERY_FIELD: Required<CreateCheckoutSessionParams> = {
  host: 'https://shop.example',
  merchant_id: 1001,
  order_id: 35_000_001,
  customer_id: 'c-1',
  provider: 'xx',
  email: 'ada@example.com',
  phoneNumber: '+44 20 7946 0000',
  name: 'Ada Okafor',
  Amount: '12.34',
  AvsHouseNumber: '4B',
  AvsPostcode: 'ZZ1 1ZZ',
  MerchantReference: 'A1001.35000001',
  RedirectUrl: 'https://pay.example/return',
  CancelUrl: 'https://pay.example/cancel',
  WebhookUrl: 'https://pay.example/hook',
  backurl: 'myshop://back',
  firstname: 'Ada',
  lastname: 'Okafor',
  flat: '',
  address1: 'Ōsaka Street 4B',
  address2: '🏠',
  SplitFee: [{ partner_merchant_id: 501, type_id: 1, value: 0.3, value_type: 'amount' }],
};

describe('checkoutSessions.create', () => {
  it('sends all 22 fields of spec 4.6 as spelt there, with the length in bytes', async () => {
    await using server = await startServer((response) => {
      answerJson(response, { session_id: 's-1', expires: 'later' });
    });
    const session = await clientOf(`${server.url}/prefix`).checkoutSessions.create(EVERY_FIELD);
    expect(session).toEqual({ session_id: 's-1', expires: 'later' });
    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/prefix/create-session' });
    expect(Object.keys(EVERY_FIELD)).toHaveLength(22);
    expect(JSON.parse(request?.body ?? '')).toEqual(EVERY_FIELD);
    expect(request?.headers['content-length']).toBe(String(Buffer.byteLength(request?.body ?? '')));
    expect(request?.headers['api_key']).toBe('test-key');
  });

  it('leaves out what is undefined', async () => {
    await using server = await startServer((response) =>
      answerJson(response, { session_id: 's-1' }),
    );
    await clientOf(server.url).checkoutSessions.create({
      merchant_id: 1,
      order_id: 2,
      flat: undefined,
    });
    expect(server.requests[0]?.body).toBe('{"merchant_id":1,"order_id":2}');
  });

  it.each([200, 201, 202])('takes any success (%i): the code is not shown', async (status) => {
    await using server = await startServer((response) => {
      answerJson(response, { session_id: 's-1' }, status);
    });
    const { checkoutSessions } = clientOf(server.url);
    expect(await checkoutSessions.create({ merchant_id: 1, order_id: 2 })).toEqual({
      session_id: 's-1',
    });
  });

  it.each<[string, object]>([
    ['merchant_id', { merchant_id: '1001' }],
    ['order_id', { order_id: undefined }],
    ['order_id', { order_id: 1.5 }],
    ['Amount', { Amount: 12.34 }],
    ['Amount', { Amount: '12,34' }],
    ['Amount', { Amount: '1e3' }],
    ['Amount', { Amount: '-1.00' }],
    ['amount', { amount: '12.34' }],
    ['RedirectUrl', { RedirectUrl: '/return' }],
    ...['host', 'RedirectUrl', 'CancelUrl', 'WebhookUrl', 'backurl'].map(
      (field): [string, object] => [field, { [field]: 'JavaScript://shop.example/%0aalert(1)' }],
    ),
    ['RedirectUrl', { RedirectUrl: 'javascript:alert(1)' }],
    ['RedirectUrl', { RedirectUrl: 'data://text/html,x' }],
    ['email', { email: null }],
    ['SplitFee', { SplitFee: {} }],
    ['SplitFee', { SplitFee: [{ ...EVERY_FIELD.SplitFee?.[0], value: '0.30' }] }],
    ['SplitFee', { SplitFee: [{ ...EVERY_FIELD.SplitFee?.[0], value: 0.1 + 0.2 }] }],
    ['SplitFee', { SplitFee: [{ ...EVERY_FIELD.SplitFee?.[0], value: NaN }] }],
    ['SplitFee', { SplitFee: [{ value: 1 }] }],
  ])('names %s when it cannot be right (%j), and sends nothing', async (field, change) => {
    await using server = await startServer((response) =>
      answerJson(response, { session_id: 's-1' }),
    );
    const params = { ...EVERY_FIELD, ...change };
    const error = await failureOf(clientOf(server.url).checkoutSessions.create(params));
    expect(error).toMatchObject({ name: 'InvalidRequestError', field, outcome: 'not_sent' });
    expect(server.requests).toHaveLength(0);
  });
});

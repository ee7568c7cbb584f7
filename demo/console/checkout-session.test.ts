import { CHECKOUT_SESSION_FIELDS } from '@pay-checkout/partner-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { problemOf, startConsole, type RunningConsole } from '../testing/running-console.js';
import type { AnswerView, KnownThings } from './console-view.js';
import { renderOperationForm } from './form-html.js';

const SESSIONS = '/api/operations/checkoutSessions.create';
const TEXTS = Object.fromEntries(
  ['customer_id', 'provider', 'phoneNumber', 'name', 'AvsHouseNumber', 'AvsPostcode']
    .concat('MerchantReference', 'firstname', 'lastname', 'flat', 'address1', 'address2')
    .map((name) => [name, `a ${name}`]),
);
const URLS = Object.fromEntries(
  ['host', 'RedirectUrl', 'CancelUrl', 'WebhookUrl', 'backurl'].map((name) => [
    name,
    `https://shop.example/${name}`,
  ]),
);
const FORM = {
  ...TEXTS,
  ...URLS,
  email: 'robin@example.test',
  merchant_id: '1001',
  order_id: '7',
  Amount: '12.34',
  SplitFee: [{ partner_merchant_id: '501', type_id: '1', value: '0.30', value_type: 'amount' }],
};
let partner: RunningConsole;

beforeEach(async () => {
  partner = await startConsole();
});

afterEach(async () => {
  await partner.close();
});

describe('a checkout session', () => {
  it('is created with each of the 22 fields, as the provider’s types', async () => {
    const { status, body } = await partner.post(SESSIONS, FORM);
    const { fields, request } = body as AnswerView;
    expect(status).toBe(200);
    const [session] = partner.sandbox.control.sessions();
    expect(session).toMatchObject({ session_id: fields['session_id'] });
    const sent = JSON.parse(request) as Record<string, unknown>;
    expect(Object.keys(sent).sort()).toEqual([...CHECKOUT_SESSION_FIELDS].sort());
    expect(sent).toMatchObject({ ...TEXTS, ...URLS, merchant_id: 1001, order_id: 7 });
    expect(sent['SplitFee']).toEqual([
      { partner_merchant_id: 501, type_id: 1, value: 0.3, value_type: 'amount' },
    ]);
  });

  it('is sent nothing for what is empty, rows included', async () => {
    const rows = [{ partner_merchant_id: '', value: ' ' }, null];
    const form = { merchant_id: '1001', order_id: '8', Amount: '1.00', email: '', SplitFee: rows };
    const { body } = await partner.post(SESSIONS, form);
    const sent = JSON.parse((body as AnswerView).request) as unknown;
    expect(sent).toEqual({ merchant_id: 1001, order_id: 8, Amount: '1.00' });
  });

  it('can be paid on a page that is set, if there is one', async () => {
    const pageOf = async ({ get }: RunningConsole) =>
      ((await get('/api/known')).body as KnownThings).payPageUrl;
    expect(await pageOf(partner)).toBeUndefined();
    const page = 'https://pay.example/{session}';
    const other = await startConsole({ env: { CONSOLE_PAY_PAGE_URL: page } });
    expect(await pageOf(other)).toBe(page);
    await other.close();
  });

  it('is refused at each field that cannot be read, and nothing is sent', async () => {
    const rows = [null, { partner_merchant_id: 'x', type_id: '1', value: '1,5', colour: 'blue' }];
    const answer = await partner.post(SESSIONS, { order_id: '1.5', SplitFee: rows });
    expect(
      problemOf(answer)
        .errors?.map(({ field }) => field)
        .sort(),
    ).toEqual([
      'SplitFee.1.colour',
      'SplitFee.1.partner_merchant_id',
      'SplitFee.1.value',
      'SplitFee.1.value_type',
      'merchant_id',
      'order_id',
    ]);
    const page = { ...FORM, RedirectUrl: 'javascript:alert(1)' };
    expect(problemOf(await partner.post(SESSIONS, page)).errors).toMatchObject([
      { field: 'RedirectUrl' },
    ]);
    expect(partner.sandbox.control.requests()).toEqual([]);
  });

  it('is called unknown when its answer is lost', async () => {
    partner.sandbox.control.addFault({ operation: 'create-session', fault: 'drop-after-commit' });
    const answer = problemOf(await partner.post(SESSIONS, FORM));
    expect(answer).toMatchObject({ code: 'outcome_unknown', outcome: 'unknown' });
    expect(answer.next).toContain('reference of its own');
  });

  it('has a form with every field of the operation', () => {
    const html = renderOperationForm('checkout-session');
    for (const name of CHECKOUT_SESSION_FIELDS) {
      expect(html).toMatch(new RegExp(`name="${name}"|data-rows="${name}"`));
    }
  });
});

describe('the address check', () => {
  it('is filled from the address lines', async () => {
    const query = 'address1=Flat+2,+14+Larch+Road&address2=&postcode=zz11zz';
    const { body } = await partner.get(`/api/avs?${query}`);
    expect(body).toEqual({ AvsHouseNumber: '14', flat: '2', AvsPostcode: 'ZZ1 1ZZ' });
  });
});

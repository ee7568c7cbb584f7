import { describe, expect, it } from 'vitest';
import { chooseScenario, triggersOf, type Scenario } from './scenario.js';
import { SCENARIOS } from './scenarios.js';
import { startReceiver, startSandbox, type TestSandbox } from './testing/test-sandbox.js';

const APPROVED = '9000000000000001';

function scenarioNamed(name: string): Scenario {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (found === undefined) throw new Error(`There is no scenario ${name}.`);
  return found;
}

/** Pays a session with the card of a scenario, and says which one. */
async function payWith(test: TestSandbox, name: string, fields: Record<string, unknown> = {}) {
  const session = await test.openSession(fields);
  const { body } = await test.pay(session, scenarioNamed(name).cardNumber);
  return { session, outcome: body['outcome'], message: body['message'], body };
}

const rowsOf = async (test: TestSandbox) => (await test.list()).data.transactions;

function passesLuhn(number: string): boolean {
  const sum = [...number].reverse().reduce((total, character, index) => {
    const digit = Number(character) * (index % 2 === 0 ? 1 : 2);
    return total + (digit > 9 ? digit - 9 : digit);
  }, 0);
  return sum % 10 === 0;
}

it('gives every scenario a card of its own that belongs to no scheme and passes the Luhn check', () => {
  const numbers = SCENARIOS.map(({ cardNumber }) => cardNumber);
  expect(new Set(numbers).size).toBe(numbers.length);
  for (const number of numbers) {
    expect(number).toMatch(/^9\d{15}$/);
    expect(passesLuhn(number)).toBe(true);
  }
});

describe('a card that is declined', () => {
  it.each([
    ['insufficient-funds', /not enough money/],
    ['lost-card', /^The card was declined\. Nothing was charged/],
    ['stolen-card', /^The card was declined\. Nothing was charged/],
    ['fraud-suspected', /^The card was declined\. Nothing was charged/],
    ['expired-card', /has expired/],
    ['wrong-code', /security code is wrong/],
    ['avs-none', /not that of the card/],
  ])('%s: takes no money, and another card can pay', async (name, message) => {
    const test = await startSandbox();
    const declined = await payWith(test, name);
    expect(declined.outcome).toBe('declined');
    expect(declined.message).toMatch(message);
    expect(await rowsOf(test)).toEqual([]);
    expect(test.sandbox.control.sessions()).toMatchObject([{ state: 'open', declineReason: name }]);
    expect((await test.pay(declined.session, APPROVED)).body['outcome']).toBe('approved');
  });

  it('does not say to the shopper that it is lost, stolen or suspected', async () => {
    const test = await startSandbox();
    for (const name of ['lost-card', 'stolen-card', 'fraud-suspected']) {
      const { session, body } = await payWith(test, name);
      expect(JSON.stringify(body)).not.toMatch(/lost|stolen|fraud/);
      const page = await test.send('GET', `/pages/pay/${session}`);
      expect(page.text).not.toMatch(new RegExp(`data-message="[^"]*(lost|stolen|fraud)`));
    }
  });
});

describe('the address check', () => {
  it.each([
    ['avs-full', 'full', 'approved'],
    ['avs-partial', 'partial', 'approved'],
    ['avs-none', 'none', 'declined'],
  ])('%s: finds %s, and the card is %s', async (name, addressCheck, outcome) => {
    const test = await startSandbox();
    expect((await payWith(test, name)).outcome).toBe(outcome);
    expect(test.sandbox.control.sessions()).toMatchObject([{ addressCheck }]);
  });
});

describe('3-D Secure', () => {
  it('approves without a challenge when the bank asks nothing', async () => {
    const test = await startSandbox();
    expect((await payWith(test, 'frictionless')).outcome).toBe('approved');
  });

  it.each([
    ['challenge-passed', 2, 'approved', 1],
    ['challenge-failed', 2, 'declined', 0],
    ['challenge-abandoned', 2, 'declined', 0],
    ['challenge-timed-out', 30, 'declined', 0],
  ])('%s: is answered elsewhere after %d seconds: %s', async (name, seconds, outcome, count) => {
    const test = await startSandbox({ fixedTime: '2026-01-01T00:00:00.000Z' });
    const { session, outcome: first } = await payWith(test, name);
    expect(first).toBe('challenge');
    const { text } = await test.send('GET', `/pages/challenge/${session}`);
    expect(text).not.toContain('Code from your bank');
    const answered = test.post(`/pages/sessions/${session}/challenge`, { wait: true });
    test.sandbox.control.clock.advance(seconds - 1);
    expect(test.sandbox.control.sessions()).toMatchObject([{ state: 'open' }]);
    test.sandbox.control.clock.advance(1);
    expect((await answered).body).toMatchObject({ outcome });
    expect(await rowsOf(test)).toHaveLength(count);
    expect((await test.pay(session, APPROVED)).body['outcome']).toBe('approved');
    expect(await rowsOf(test)).toHaveLength(1);
  });

  it('gives a second card nothing of the answer to the first one', async () => {
    const test = await startSandbox({ fixedTime: '2026-01-01T00:00:00.000Z' });
    const { session } = await payWith(test, 'challenge-passed');
    const answered = test.post(`/pages/sessions/${session}/challenge`, { wait: true });
    expect((await test.pay(session, scenarioNamed('declined').cardNumber)).body).toMatchObject({
      outcome: 'declined',
    });
    test.sandbox.control.clock.advance(60);
    expect((await answered).body).toMatchObject({ outcome: 'declined' });
    expect(await rowsOf(test)).toEqual([]);
  });
});

describe('a payment that goes wrong', () => {
  it('comes after the session has expired', async () => {
    const test = await startSandbox();
    expect((await payWith(test, 'paid-late')).outcome).toBe('expired');
    expect(await rowsOf(test)).toEqual([]);
    test.sandbox.control.clock.advance(5);
    await expect.poll(() => rowsOf(test)).toMatchObject([{ amount: 12.34, status: 'SUCCESS' }]);
    expect(test.sandbox.control.sessions()).toMatchObject([{ state: 'paid' }]);
  });

  it('comes after the shopper was sent to the cancel page', async () => {
    const test = await startSandbox();
    const CancelUrl = 'https://pay.example/cancel';
    const { body } = await payWith(test, 'paid-after-cancel', { CancelUrl });
    expect(body).toEqual({ outcome: 'left', redirectUrl: CancelUrl });
    expect(await rowsOf(test)).toEqual([]);
    test.sandbox.control.clock.advance(5);
    await expect.poll(() => rowsOf(test)).toHaveLength(1);
  });

  it('comes not at all after a reset', async () => {
    const test = await startSandbox();
    await payWith(test, 'paid-late');
    await test.post('/_sandbox/reset', {});
    test.sandbox.control.clock.advance(60);
    await payWith(test, 'approved', { order_id: 72 });
    expect(await rowsOf(test)).toMatchObject([{ resellerOrderId: '72' }]);
  });

  it('charges the card twice, and sends a webhook about each', async () => {
    const test = await startSandbox();
    const receiver = await startReceiver();
    await payWith(test, 'paid-twice', { WebhookUrl: receiver.url });
    const rows = await rowsOf(test);
    expect(rows).toMatchObject([
      { amount: 12.34, orderRef: 'A1001.71' },
      { amount: 12.34, orderRef: 'A1001.71' },
    ]);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
    await receiver.whenReceived(2);
  });

  it.each([
    ['other-amount', 1001, { amount: 6.17, currencyCode: 'GBP' }],
    ['other-currency', 1001, { amount: 12.34, currencyCode: 'EUR' }],
    ['other-currency', 1002, { amount: 12.34, currencyCode: 'GBP' }],
  ])('charges %s', async (name, merchant_id, row) => {
    const test = await startSandbox();
    await payWith(test, name, { merchant_id });
    expect(await rowsOf(test)).toMatchObject([row]);
  });
});

describe('a scenario without its card', () => {
  const approved = scenarioNamed('approved');
  const chosen = (request: { Amount: string; AvsPostcode?: string }, card = approved) =>
    chooseScenario(card, request, SCENARIOS).name;

  it.each(SCENARIOS)('$name is selected by its amount and by its postcode', (scenario) => {
    const { amount, postcode } = triggersOf(scenario);
    expect(chosen({ Amount: `${amount}.00` })).toBe(scenario.name);
    expect(chosen({ Amount: '12.34', AvsPostcode: postcode.toLowerCase() })).toBe(scenario.name);
  });

  it('gives way to any card but the approved one, and the postcode to the amount', () => {
    const request = { Amount: '9011', AvsPostcode: 'ZZ21 9ZZ' };
    expect(chosen(request)).toBe('insufficient-funds');
    expect(chosen(request, scenarioNamed('slow'))).toBe('slow');
    expect(chosen({ Amount: '9011.01', AvsPostcode: 'ZZ1 1ZZ' })).toBe('approved');
  });

  it('happens when the session is paid', async () => {
    const test = await startSandbox();
    const byAmount = await payWith(test, 'approved', { Amount: '9012.00' });
    const byPostcode = await payWith(test, 'approved', { AvsPostcode: 'ZZ22 9ZZ' });
    expect([byAmount.outcome, byPostcode.outcome]).toEqual(['declined', 'declined']);
    expect(test.sandbox.control.sessions()).toMatchObject([
      { declineReason: 'lost-card' },
      { declineReason: 'avs-none' },
    ]);
  });
});

import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Delivery } from '../webhooks/delivery-log.js';
import { startReceiver, startSandbox, type TestSandbox } from '../testing/test-sandbox.js';

const APPROVED = '9000000000000001';

function addFault(test: TestSandbox, fault: object): Promise<unknown> {
  return test.post('/_sandbox/faults', fault);
}

async function requestStates(test: TestSandbox): Promise<unknown[]> {
  const { body } = await test.send('GET', '/_sandbox/requests');
  return (body['requests'] as { state: string }[]).map(({ state }) => state);
}

describe('what the control routes show', () => {
  it('shows sessions with what a test needs and without personal data', async () => {
    const test = await startSandbox();
    const session = await test.openSession({ email: 'robin@example.test', address1: 'Lane 1' });
    const answer = await test.send('GET', '/_sandbox/sessions');
    expect(answer.body['sessions']).toMatchObject([
      { session_id: session, state: 'open', order_id: 71, Amount: '12.34', currency: 'GBP' },
    ]);
    expect(answer.text).not.toMatch(/robin|Lane/);
  });

  it('logs every call with operation, status and order, without keys or personal data', async () => {
    const test = await startSandbox();
    await test.createSession({ email: 'robin@example.test' });
    await test.createSession({ Amount: 'much' });
    await test.post('/v1/transactions/list', {}, { api_key: 'guessed-key' });
    const answer = await test.send('GET', '/_sandbox/requests');
    expect(answer.body['requests']).toMatchObject([
      { operation: 'create-session', state: 'answered', status: 200, orderId: 71 },
      { operation: 'create-session', state: 'answered', status: 400 },
      { operation: 'transactions-list', state: 'answered', status: 401 },
    ]);
    expect(answer.text).not.toMatch(/robin|key/);
  });

  it('logs deliveries', async () => {
    const test = await startSandbox();
    const receiver = await startReceiver();
    await test.pay(await test.openSession({ WebhookUrl: receiver.url }), APPROVED);
    await receiver.whenReceived(1);
    await expect
      .poll(async () => (await test.send('GET', '/_sandbox/deliveries')).body['deliveries'])
      .toMatchObject([{ orderId: 71, attempt: 1, status: 200 }]);
  });
});

describe('a webhook that is sent once more', () => {
  it('arrives with its body and id, as another attempt', async () => {
    const test = await startSandbox({ webhookSigning: 'standard-webhooks' });
    const receiver = await startReceiver();
    await test.post('/developer-service/webhooks/create', { url: receiver.url });
    await test.pay(await test.openSession(), APPROVED);
    await receiver.whenReceived(1);
    const deliveries = async (query = '') =>
      (await test.send('GET', `/_sandbox/deliveries${query}`)).body['deliveries'] as Delivery[];
    await expect.poll(() => deliveries()).toHaveLength(1);
    const [{ webhook } = { webhook: '' }] = await deliveries();
    const { body } = await test.post(`/_sandbox/webhooks/${webhook}/resend`, undefined);
    expect(body).toMatchObject({ webhook, attempt: 2, status: 200, orderId: 71 });
    const [first, second] = receiver.received;
    expect(second?.text).toBe(first?.text);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(await deliveries('?limit=1')).toEqual([body]);
    expect((await test.post('/_sandbox/webhooks/none/resend', undefined)).status).toBe(404);
  });
});

describe('a shopper without a browser', () => {
  it('pays with the card of a scenario, and comes back', async () => {
    const test = await startSandbox();
    const shop = await startReceiver();
    const session = await test.openSession({ RedirectUrl: shop.url });
    const declined = await test.post(`/_sandbox/sessions/${session}/pay`, { scenario: 'declined' });
    expect(declined.body).toMatchObject({ outcome: 'declined' });
    expect([await test.listIds(), shop.received]).toEqual([[], []]);
    const paid = await test.post(`/_sandbox/sessions/${session}/pay`, undefined);
    expect(paid.body).toEqual({
      outcome: 'approved',
      redirectUrl: shop.url,
      visit: { status: 200 },
    });
    expect(await test.listIds()).toHaveLength(1);
    expect(shop.received).toHaveLength(1);
  });

  it('pays and does not come back', async () => {
    const test = await startSandbox();
    const shop = await startReceiver();
    const session = await test.openSession({ RedirectUrl: shop.url });
    await test.post(`/_sandbox/sessions/${session}/pay`, { visit: false });
    expect(await test.listIds()).toHaveLength(1);
    expect(shop.received).toEqual([]);
  });

  it.each([
    ['cancel', 'CancelUrl'],
    ['back', 'backurl'],
  ])('leaves by %s, and may still pay', async (how, field) => {
    const test = await startSandbox();
    const shop = await startReceiver();
    const address = shop.url.replace('127.0.0.1', 'shop.localhost');
    const session = await test.openSession({ [field]: address });
    const { body } = await test.post(`/_sandbox/sessions/${session}/${how}`, undefined);
    expect(body).toMatchObject({ session_id: session, state: 'open', visit: { status: 200 } });
    expect(shop.received).toHaveLength(1);
    expect((await test.pay(session, APPROVED)).body).toMatchObject({ outcome: 'approved' });
    const other = await test.openSession();
    expect((await test.post(`/_sandbox/sessions/${other}/${how}`, undefined)).status).toBe(409);
  });

  it('is too late once the session is expired, which a payment is never', async () => {
    const test = await startSandbox();
    const session = await test.openSession();
    const expire = () => test.post(`/_sandbox/sessions/${session}/expire`, undefined);
    expect((await expire()).body).toMatchObject({ state: 'expired' });
    expect((await test.pay(session, APPROVED)).body).toEqual({ outcome: 'expired' });
    const paid = await test.openSession();
    await test.pay(paid, APPROVED);
    const answer = await test.post(`/_sandbox/sessions/${paid}/expire`, undefined);
    expect(answer.body).toMatchObject({ state: 'paid' });
  });

  it('needs a session and a scenario that there are', async () => {
    const test = await startSandbox();
    expect((await test.post('/_sandbox/sessions/none/pay', {})).status).toBe(404);
    const session = await test.openSession();
    const answer = await test.post(`/_sandbox/sessions/${session}/pay`, { scenario: 'lucky' });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('never-returns')]);
  });
});

describe('transactions through the control routes', () => {
  it('adds any row, leaves fields out, and keeps further properties', async () => {
    const test = await startSandbox();
    const answer = await test.post('/_sandbox/transactions', {
      row: { id: 'mine', amount: '7.10', status: 'STRANGE', colour: 'green' },
      omit: ['orderRef', 'firstname'],
    });
    expect(answer.status).toBe(201);
    const list = await test.post('/v1/transactions/list', {});
    expect(list.text).toContain('"amount":7.10,');
    const [row] = (await test.list()).data.transactions;
    expect(row).toMatchObject({ id: 'mine', status: 'STRANGE', colour: 'green' });
    expect(row).not.toHaveProperty('firstname');
    expect((await test.post('/_sandbox/transactions', { row: { id: 'mine' } })).status).toBe(409);
  });

  it('hides a row until its time', async () => {
    const test = await startSandbox();
    await test.post('/_sandbox/transactions', { row: { id: 'a' }, visibleInSeconds: 60 });
    expect(await test.listIds()).toEqual([]);
    await test.post('/_sandbox/clock', { advanceSeconds: 60 });
    expect(await test.listIds()).toEqual(['a']);
    await test.post('/_sandbox/transactions/a/visibility', { seconds: 60 });
    expect(await test.listIds()).toEqual([]);
    await test.post('/_sandbox/transactions/a/visibility', { seconds: 0 });
    expect(await test.listIds()).toEqual(['a']);
  });

  it('delays the listing of new approvals', async () => {
    const test = await startSandbox();
    await test.setSwitches({ listingDelaySeconds: 30 });
    await test.pay(await test.openSession(), APPROVED);
    expect(await test.listIds()).toEqual([]);
    test.sandbox.control.clock.advance(30);
    expect(await test.listIds()).toHaveLength(1);
  });

  it('refunds partly, then fully, by changing the row', async () => {
    const test = await startSandbox();
    await test.post('/_sandbox/transactions', { row: { id: 'a', amount: '10.00' } });
    const refund = (body?: object) => test.post('/_sandbox/transactions/a/refund', body ?? {});
    expect((await refund({ amount: '3.10' })).body).toMatchObject({
      status: 'SUCCESS',
      amountRefunded: 3.1,
    });
    expect((await refund({ amount: '7.00' })).status).toBe(400);
    expect((await refund()).text).toContain('"amountRefunded":10.00');
    expect((await test.list()).data.transactions).toMatchObject([{ id: 'a', status: 'REFUNDED' }]);
    expect((await refund()).status).toBe(400);
  });

  it('refunds by adding a row', async () => {
    const test = await startSandbox();
    await test.post('/_sandbox/transactions', { row: { id: 'a', orderRef: 'A1001.71' } });
    await test.post('/_sandbox/transactions/a/refund', { amount: '4.00', as: 'add' });
    expect((await test.list()).data.transactions).toMatchObject([
      { status: 'REFUNDED', amount: 4, orderRef: 'A1001.71' },
      { id: 'a', status: 'SUCCESS', amount: 10 },
    ]);
  });

  it('answers 404 for an unknown transaction', async () => {
    const test = await startSandbox();
    expect((await test.post('/_sandbox/transactions/no/refund', {})).status).toBe(404);
  });
});

describe('faults', () => {
  it('holds the answer after the session is created, until it is released', async () => {
    const test = await startSandbox();
    await addFault(test, { operation: 'create-session', fault: 'hold' });
    const held = test.createSession();
    await expect.poll(() => requestStates(test)).toEqual(['held']);
    expect(test.sandbox.control.sessions()).toHaveLength(1);
    expect((await test.createSession({ order_id: 72 })).status).toBe(200);
    await test.send('DELETE', '/_sandbox/faults');
    expect((await held).body).toHaveProperty('session_id');
    expect(await requestStates(test)).toEqual(['answered', 'answered']);
  });

  it('cuts the connection after the session is created', async () => {
    const test = await startSandbox();
    await addFault(test, { operation: 'create-session', fault: 'drop-after-commit' });
    await expect(test.createSession()).rejects.toThrow('fetch failed');
    expect(test.sandbox.control.sessions()).toHaveLength(1);
    await expect.poll(() => requestStates(test)).toEqual(['dropped']);
  });

  it('fails as many times as set, without doing anything', async () => {
    const test = await startSandbox();
    await addFault(test, { operation: 'create-session', fault: 'error', status: 503, times: 2 });
    expect((await test.createSession()).status).toBe(503);
    expect((await test.createSession()).status).toBe(503);
    expect(test.sandbox.control.sessions()).toEqual([]);
    expect((await test.createSession()).status).toBe(200);
  });

  it('limits the list with Retry-After, fails it, and holds it', async () => {
    const test = await startSandbox();
    const operation = 'transactions-list';
    await addFault(test, { operation, fault: 'error', status: 429, retryAfterSeconds: 3 });
    await addFault(test, { operation, fault: 'error' });
    await addFault(test, { operation, fault: 'hold' });
    const list = () => test.post('/v1/transactions/list', {});
    const limited = await list();
    expect(limited.status).toBe(429);
    expect(limited.headers.get('retry-after')).toBe('3');
    expect((await list()).status).toBe(500);
    const held = list();
    await expect.poll(() => requestStates(test)).toContain('held');
    expect((await test.send('GET', '/_sandbox/faults')).body).toEqual({ queued: [], held: 1 });
    await test.send('DELETE', '/_sandbox/faults');
    expect((await held).status).toBe(200);
  });

  it('is not used up by a refused call', async () => {
    const test = await startSandbox();
    await addFault(test, { operation: 'create-session', fault: 'error' });
    expect((await test.createSession({ Amount: 'much' })).status).toBe(400);
    expect((await test.createSession()).status).toBe(500);
  });

  it.each([{ operation: 'refund' }, { fault: 'explode' }, { status: 200 }, { times: 0 }, { x: 1 }])(
    'refuses %j',
    async (change) => {
      const test = await startSandbox();
      const fault = { operation: 'create-session', fault: 'error', ...change };
      expect((await test.post('/_sandbox/faults', fault)).status).toBe(400);
    },
  );
});

describe('the state of the other operations', () => {
  it('lists schedules, signup links, transfers and webhooks, and resets them', async () => {
    const test = await startSandbox();
    const id = 'sch_1001_daily';
    await test.post('/v1/reports/update-schedule', { id, status: 'paused' });
    await test.post('/developer-service/webhooks/create', { url: 'https://platform.example/' });
    const read = async (name: string) => (await test.send('GET', `/_sandbox/${name}`)).body;
    const statusOf = async () =>
      ((await read('schedules'))['schedules'] as { id: string; status: string }[]).find(
        (schedule) => schedule.id === id,
      )?.status;
    expect(await statusOf()).toBe('paused');
    expect((await read('webhooks'))['webhooks']).toHaveLength(1);
    expect((await read('signup-links'))['signupLinks']).toHaveLength(6);
    expect((await read('transfers'))['transfers']).toHaveLength(12);
    await test.post('/_sandbox/reset', {});
    expect(await statusOf()).toBe('active');
    expect((await read('webhooks'))['webhooks']).toEqual([]);
  });
});

describe('the rest of the control routes', () => {
  it('sets the clock, and shows it', async () => {
    const test = await startSandbox();
    const { body } = await test.post('/_sandbox/clock', { now: '2031-05-01T12:00:00.000Z' });
    expect(body['now']).toMatch(/^2031-05-01T12:00:0/);
    await test.pay(await test.openSession(), APPROVED);
    const [row] = (await test.list()).data.transactions;
    expect(row?.['transactionTime']).toMatch(/^2031-05-01T12:00/);
  });

  it.each([{ advanceSeconds: 1e300 }, { advanceSeconds: 3e11 }, { advanceSeconds: -1e12 }])(
    'refuses a clock beyond the years of four digits (%j), and goes on',
    async (order) => {
      const test = await startSandbox();
      const { status, body } = await test.post('/_sandbox/clock', order);
      expect([status, body['errors']]).toMatchObject([400, [{ field: 'advanceSeconds' }]]);
      expect((await test.createSession()).status).toBe(200);
      expect(test.sandbox.control.clock.offsetSeconds).toBe(0);
      expect(() => test.sandbox.control.clock.advance(NaN)).toThrow('from the year 0 to 9999');
    },
  );

  it('refuses a fault longer than any timer', async () => {
    const test = await startSandbox();
    const order = { operation: 'create-session', fault: 'slow-body', seconds: 1e10 };
    const { status, body } = await test.post('/_sandbox/faults', order);
    expect([status, body['errors']]).toMatchObject([400, [{ field: 'seconds' }]]);
  });

  it('resets everything', async () => {
    const test = await startSandbox();
    await test.pay(await test.openSession(), APPROVED);
    await addFault(test, { operation: 'create-session', fault: 'error' });
    test.sandbox.control.clock.advance(3600);
    await test.post('/_sandbox/reset', {});
    expect(await test.listIds()).toEqual([]);
    expect(test.sandbox.control.sessions()).toEqual([]);
    expect(test.sandbox.control.clock.offsetSeconds).toBe(0);
    expect((await test.createSession()).status).toBe(200);
  });

  it('refuses pages of other sites', async () => {
    const test = await startSandbox();
    await test.openSession();
    const asForm = await test.post('/_sandbox/faults', {}, { 'content-type': 'text/plain' });
    expect(asForm.status).toBe(415);
    const crossSite = await test.post('/_sandbox/reset', {}, { 'sec-fetch-site': 'cross-site' });
    expect(crossSite.status).toBe(403);
    expect(test.sandbox.control.sessions()).toHaveLength(1);
  });

  it.each([
    ['another port of this machine', { 'sec-fetch-site': 'same-site' }],
    ['an origin without Sec-Fetch-Site', { origin: 'http://127.0.0.1:1' }],
    ['another scheme', { origin: 'null' }],
  ])('refuses a page of %s', async (_name, headers) => {
    const test = await startSandbox();
    const send = (method: string, path: string) => test.send(method, path, { headers });
    expect((await send('POST', '/_sandbox/reset')).status).toBe(403);
    expect((await send('GET', '/_sandbox/requests')).status).toBe(403);
    expect((await send('GET', '/_sandbox/events')).status).toBe(403);
  });

  it('lets its own page in, and a person who opens a route', async () => {
    const test = await startSandbox();
    const own = { 'sec-fetch-site': 'same-origin', origin: test.url };
    expect((await test.send('POST', '/_sandbox/reset', { headers: own })).status).toBe(204);
    const opened = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await test.sendRaw('GET', '/_sandbox/requests', opened)).status).toBe(200);
  });
});

describe('a name that a web page made lead to the sandbox', () => {
  it.each(['/', '/_sandbox/sessions', '/_sandbox/reset'])('is refused: %s', async (path) => {
    const test = await startSandbox();
    const { port } = new URL(test.url);
    const statusFor = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const options = { port, path, method: path.endsWith('reset') ? 'POST' : 'GET' };
        request({ ...options, host: '127.0.0.1', headers: { host } }, ({ statusCode }) => {
          resolve(statusCode);
        })
          .on('error', reject)
          .end();
      });
    expect(await statusFor(`rebound.example:${port}`)).toBe(421);
    expect(await statusFor('localhost.rebound.example')).toBe(421);
    for (const host of ['127.0.0.1', '[::1]:4300', 'localhost:4300', 'sandbox.localhost']) {
      expect(await statusFor(host)).toBeLessThan(300);
    }
  });
});

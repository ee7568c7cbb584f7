import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, startSessionServer } from './running-server.js';
import { createTestDatabase, type TestDatabase } from './testing/postgres-store.js';
import { TestStack } from './testing/test-stack.js';

let database: TestDatabase;
let stack: TestStack;
beforeEach(async () => {
  database = await createTestDatabase();
  const PAY_ENCRYPTION_KEY = `test:${Buffer.alloc(32, 1).toString('base64')}`;
  stack = await TestStack.start({ env: { DATABASE_URL: database.url, PAY_ENCRYPTION_KEY } });
});
afterEach(async () => {
  await stack.close();
  await database.drop();
});

const countOf = async (table: string) =>
  (await database.query(`SELECT count(*)::int AS count FROM ${table}`))[0]?.['count'];

describe('a server with a DATABASE_URL', () => {
  it('takes an order from its page to its shop, with nothing in the data file', async () => {
    const { body } = await stack.open('A1001', { amount: '9.99' });
    await stack.payAtProvider(body.sessionId ?? '');
    await stack.fetch(stack.returnPath(body.sessionId ?? '', 'RedirectUrl'));
    await stack.until(body.checkout, 'paid');
    await expect.poll(() => stack.shop.events.length).toBeGreaterThan(0);
    expect(stack.shop.events.map(({ type }) => type)).toContain('checkout.paid');
    expect(await countOf('checkouts')).toBe(1);
    expect((await stack.fetch('/readyz')).status).toBe(200);
  });

  it('is not ready while its tables are of an older version', async () => {
    const ready = async () => (await stack.fetch('/readyz')).status;
    const versions = await database.query('SELECT version FROM schema_version');
    await database.query('UPDATE schema_version SET version = 0');
    await expect.poll(ready, { timeout: 5000 }).toBe(503);
    await database.query(`UPDATE schema_version SET version = ${String(versions[0]?.['version'])}`);
    await expect.poll(ready, { timeout: 5000 }).toBe(200);
  });

  it('has all that it answered after a restart', async () => {
    const { body } = await stack.open('A1001', { amount: '9.99' });
    await stack.server.close();
    await stack.startServer();
    expect((await stack.reopen('A1001')).body).toMatchObject({ sessionId: body.sessionId });
    expect(stack.createSessionCalls()).toBe(1);
  });
});

describe('two servers on one database', () => {
  let other: RunningServer;
  beforeEach(async () => {
    other = await startSessionServer(stack.config, { clock: stack.clock });
  });
  afterEach(() => other.close());
  const atOther = (path: string, init?: RequestInit) =>
    fetch(`http://127.0.0.1:${String(other.port)}${path}`, init);

  it('make one session of an order that is opened at both, twenty times at once', async () => {
    stack.shop.orders.set('A1001', { amount: '9.99' });
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://shop.localhost:4100' },
      body: JSON.stringify({
        merchant: 'teashop',
        order: 'A1001',
        orderToken: stack.token('A1001'),
      }),
    };
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const answer = await (at % 2 === 0 ? atOther : fetchOwn)('/v1/checkouts', request);
        return (await answer.json()) as { readonly sessionId?: string };
      }),
    );
    expect(new Set(answers.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(answers[0]?.sessionId).toBeDefined();
    expect(stack.createSessionCalls()).toBe(1);
  });

  it('answer who waits at one of them when the other moves the checkout', async () => {
    const { body } = await stack.open('A1001', { amount: '9.99' });
    const waiting = atOther(`/v1/checkouts?id=${body.checkout}:1&wait=25`);
    await stack.fetch(stack.returnPath(body.sessionId ?? '', 'CancelUrl'));
    const answer = (await (await waiting).json()) as { checkouts: object[] };
    expect(answer.checkouts).toMatchObject([{ state: 'cancelled', revision: 2 }]);
  });

  it('send the events of an order once each', async () => {
    const { body } = await stack.open('A1001', { amount: '9.99' });
    await stack.payAtProvider(body.sessionId ?? '');
    await stack.fetch(stack.returnPath(body.sessionId ?? '', 'RedirectUrl'));
    await stack.until(body.checkout, 'paid');
    const delivered = () =>
      database.query(`SELECT id FROM outbox_events WHERE status = 'delivered'`);
    await expect.poll(async () => (await delivered()).length).toBe(1);
    expect(stack.shop.events.map(({ type }) => type)).toEqual(['checkout.paid']);
  });

  const fetchOwn = (path: string, init?: RequestInit) => fetch(`${stack.url}${path}`, init);
});

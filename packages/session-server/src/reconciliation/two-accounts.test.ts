import { createHash } from 'node:crypto';
import { text as readText } from 'node:stream/consumers';
import { Secret } from '@pay-checkout/partner-api';
import { createSandbox, type Sandbox } from '@pay-checkout/sandbox';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CreateCheckoutReply } from '../contract.js';
import type { LogFields, Logger } from '../logger.js';
import { fixedMerchants, readMerchantsFile } from '../merchants/merchant-source.js';
import { signOrderToken } from '../orders/order-token.js';
import { startSessionServer } from '../running-server.js';
import { LocalServer } from '../testing/local-server.js';
import { TestStack } from '../testing/test-stack.js';

const NORTH_KEY = 'canary-key-of-the-north';
const BOOKSHOP_KEY = `sha256:${createHash('sha256').update('key of the bookshop').digest('hex')}`;
let stack: TestStack;
let north: Sandbox;
/** All that came to the address of each account. */
let received: Record<'default' | 'north', string[]>;
let logged: { level: string; fields: LogFields; message: string }[];
let closing: AsyncDisposableStack;

/** Passes everything on to an account's sandbox, and keeps a copy. */
async function startAccount(url: () => string, copies: string[]): Promise<string> {
  const server = await LocalServer.start((request, response) => {
    void readText(request)
      .then(async (body) => {
        copies.push(JSON.stringify([request.url, request.rawHeaders, body]));
        const headers = {
          'content-type': 'application/json',
          api_key: String(request.headers['api_key']),
        };
        const answer = await fetch(url() + (request.url ?? ''), { method: 'POST', headers, body });
        response.writeHead(answer.status, { 'content-type': 'application/json' });
        response.end(await answer.text());
      })
      .catch(() => response.destroy());
  });
  closing.defer(() => server.close());
  return server.url;
}

function startSandbox(apiKey: string): Sandbox {
  const merchants = [{ id: 1001, name: 'Test Books', currency: 'GBP' }];
  const sandbox = createSandbox({ apiKey, merchants });
  closing.defer(() => sandbox.close());
  return sandbox;
}

const keep = (level: string) => (fields: LogFields, message: string) => {
  logged.push({ level, fields, message });
};

beforeEach(async () => {
  closing = new AsyncDisposableStack();
  received = { default: [], north: [] };
  logged = [];
  north = startSandbox(NORTH_KEY);
  const { url } = await north.listen();
  const logger: Logger = {
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
  };
  const PAY_PARTNER_API_URL = await startAccount(() => stack.sandboxUrl, received.default);
  stack = await TestStack.start({ env: { PAY_PARTNER_API_URL }, logger });
  const apiUrl = await startAccount(() => url, received.north);
  // The same number at both accounts.
  stack.addMerchant({ id: 'bookshop', account: 'north', apiKeyHash: [BOOKSHOP_KEY] });
  stack.changeMerchantsFile(() => ({ accounts: { north: { apiUrl, apiKey: NORTH_KEY } } }));
  await restart();
});
afterEach(async () => {
  await stack.close();
  await closing.disposeAsync();
});

/** Restarts the server, which then has read the merchants file. */
async function restart(change?: () => void): Promise<void> {
  await stack.server.close();
  change?.();
  await stack.startServer();
}

/** Opens an order of one of the two merchants. */
async function open(merchant: 'teashop' | 'bookshop', order: string) {
  stack.shop.orders.set(order, { amount: '9.99' });
  const expiresAt = Math.floor(stack.clock.now() / 1000) + 600;
  const orderToken = signOrderToken(stack.orderTokenSecret, { merchant, order, expiresAt });
  const { body } = await stack.post<CreateCheckoutReply>('/v1/checkouts', {
    ...{ merchant, order, orderToken },
  });
  return { checkout: body.checkout, sessionId: body.sessionId ?? '' };
}

const sessionAt = ({ control }: Sandbox, sessionId: string) =>
  control.sessions().find(({ session_id: id }) => id === sessionId);

/** Lists a payment of a session, wherever that session is. */
function listPayment(at: Sandbox, sessionId: string, id = 'txn-1'): void {
  const session = sessionAt(stack.sandbox, sessionId) ?? sessionAt(north, sessionId);
  at.control.addTransaction({
    row: {
      ...{ id, merchantId: 1001, currencyCode: 'GBP', amount: '9.99', status: 'SUCCESS' },
      orderRef: session?.MerchantReference ?? '',
      transactionTime: new Date(stack.clock.now()).toISOString(),
    },
  });
}

it('two orders at two accounts are paid by two transactions with one id', async () => {
  const tea = await open('teashop', 'A1');
  const book = await open('bookshop', 'A1');
  expect(sessionAt(stack.sandbox, tea.sessionId)).toBeDefined();
  expect(sessionAt(north, book.sessionId)).toBeDefined();
  listPayment(stack.sandbox, tea.sessionId);
  listPayment(north, book.sessionId);
  await stack.until(tea.checkout, 'paid');
  await stack.until(book.checkout, 'paid');
  const paid = () => stack.shop.events.filter(({ type }) => type === 'checkout.paid');
  await expect.poll(() => paid().length).toBe(2);
  for (const { data } of paid()) {
    expect(data).toMatchObject({ transaction: 'txn-1', attention: [] });
  }
});

it('a payment that is listed at another account proves nothing', async () => {
  const book = await open('bookshop', 'A1');
  const tea = await open('teashop', 'A2');
  listPayment(stack.sandbox, book.sessionId, 'txn-1');
  listPayment(stack.sandbox, tea.sessionId, 'txn-2');
  await stack.until(tea.checkout, 'paid');
  const { RedirectUrl = '' } = sessionAt(north, book.sessionId) ?? {};
  await stack.fetch(new URL(RedirectUrl).pathname);
  stack.advance(301);
  await stack.until(book.checkout, 'unconfirmed');
});

it('the key of an account is sent to the address of that account alone, and to no log', async () => {
  const tea = await open('teashop', 'A1');
  const book = await open('bookshop', 'A2');
  listPayment(stack.sandbox, tea.sessionId);
  listPayment(north, book.sessionId);
  await stack.until(tea.checkout, 'paid');
  await stack.until(book.checkout, 'paid');
  const defaultKey = stack.env['PAY_PARTNER_API_KEY'] ?? '';
  for (const request of received.default) {
    expect(request).toContain(defaultKey);
    expect(request).not.toContain(NORTH_KEY);
  }
  for (const request of received.north) {
    expect(request).toContain(NORTH_KEY);
    expect(request).not.toContain(defaultKey);
  }
  expect(received.default.length).toBeGreaterThan(1);
  expect(received.north.length).toBeGreaterThan(1);
  const log = JSON.stringify(logged);
  expect(log).toContain('the list of transactions is polled');
  expect(log).not.toContain(NORTH_KEY);
  expect(log).not.toContain(defaultKey);
});

it('a merchant that changes its account: a shopper who pays in an old session is not kept waiting', async () => {
  const { checkout, sessionId } = await open('bookshop', 'A1');
  await restart(() => {
    stack.changeMerchantsFile(({ merchants: [tea, book] }) => ({
      merchants: [tea, { ...book, account: 'default' }],
    }));
  });
  listPayment(north, sessionId);
  await stack.until(checkout, 'paid');
  const created = stack.createSessionCalls();
  await open('bookshop', 'A2');
  expect(stack.createSessionCalls()).toBe(created + 1);
});

it('a merchant that changes its account: old attempts are watched at the old one, also when no one waits', async () => {
  const { sessionId } = await open('teashop', 'A1');
  await restart(() => {
    stack.changeMerchant({ account: 'north', providerMerchantId: 2002 });
  });
  listPayment(stack.sandbox, sessionId);
  stack.advance(120);
  const { data } = await stack.shop.event('checkout.paid');
  expect(data).toMatchObject({ order: 'A1', certain: true });
});

it('a file that takes away the account of a merchant is refused, and the one before stays in force', async () => {
  stack.changeMerchantsFile(() => ({ accounts: {} }));
  const refusals = () =>
    logged.filter(({ message }) => message.startsWith('merchants file refused'));
  await expect.poll(refusals).toHaveLength(1);
  expect(refusals()[0]?.fields['mistakes']).toEqual([
    expect.stringMatching(/^merchants\.1\.account \(line 1, column \d+\): expected "default"/),
  ]);
  const { sessionId } = await open('bookshop', 'A1');
  expect(sessionAt(north, sessionId)).toBeDefined();
});

it('an account that was removed while attempts are watched there is named; put back, they are paid', async () => {
  const { checkout, sessionId } = await open('bookshop', 'A1');
  listPayment(north, sessionId);
  let accounts: unknown;
  stack.changeMerchantsFile(({ merchants: [tea, book], ...file }) => {
    ({ accounts } = file as { accounts?: unknown });
    return { accounts: {}, merchants: [tea, { ...book, account: 'default' }] };
  });
  const warnings = () =>
    logged.filter(({ message }) => message.includes('account that was removed'));
  await expect.poll(warnings).toHaveLength(1);
  expect(warnings()[0]).toMatchObject({ level: 'warn', fields: { account: 'north', attempts: 1 } });
  await restart(() => {
    stack.changeMerchantsFile(() => ({ accounts }));
  });
  expect(warnings()).toHaveLength(1);
  await stack.until(checkout, 'paid');
});

it('a new address and key of an account count from the next call on', async () => {
  const moved = startSandbox('another-key-of-the-north');
  const { url: apiUrl } = await moved.listen();
  await open('bookshop', 'A1');
  stack.changeMerchantsFile(() => ({
    accounts: { north: { apiUrl, apiKey: 'another-key-of-the-north' } },
  }));
  const reloaded = () => logged.some(({ message }) => message === 'merchants file reloaded');
  await expect.poll(reloaded).toBe(true);
  const { sessionId } = await open('bookshop', 'A2');
  expect(sessionAt(moved, sessionId)).toBeDefined();
});

it('a platform brings accounts of its own with its merchants', async () => {
  await stack.server.close();
  const file = readMerchantsFile(stack.config.merchantsFile, 'sandbox');
  const { apiUrl = '' } = file.accounts.get('north') ?? {};
  const accounts = new Map([['north', { apiUrl, apiKey: new Secret(NORTH_KEY) }]]);
  const merchants = fixedMerchants({ ...file, accounts });
  stack.server = await startSessionServer(stack.config, { clock: stack.clock, merchants });
  const { checkout, sessionId } = await open('bookshop', 'A1');
  listPayment(north, sessionId);
  await stack.until(checkout, 'paid');
});

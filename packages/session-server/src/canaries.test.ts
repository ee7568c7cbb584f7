import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { context, diag, propagation, trace } from '@opentelemetry/api';
import { startNodeSdk } from '@opentelemetry/sdk-node';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseConfig } from './config.js';
import type { PutOrderReply } from './contract.js';
import type { LogFields, Logger } from './logger.js';
import { FileMerchantSource } from './merchants/merchant-source.js';
import { signOrderToken } from './orders/order-token.js';
import { startSessionServer } from './running-server.js';
import { askAsPage, signIn } from './testing/page-browser.js';
import { LocalServer } from './testing/local-server.js';
import { type Answer, TestStack } from './testing/test-stack.js';

/** An invented person: nothing of theirs may turn up anywhere. */
const PERSON = {
  id: 'canary-customer-4711',
  name: 'Canary Nightjar-Whole',
  firstName: 'Canary-First',
  lastName: 'Nightjar-Last',
  email: 'canary.nightjar@example.test',
  phone: '+44 0000 111222',
};
const HOME = {
  houseNumber: '77 Canary-C',
  postcode: 'ZZ9 7CN',
  flat: 'Canary Flat',
  address1: '77 Canary Lane',
  address2: 'Nightjar Wharf',
};
const OPERATOR_KEY = `canary-operator-key-${randomBytes(16).toString('hex')}`;
const BODY_KEY = randomBytes(32).toString('base64');
const ENDPOINT_TOKEN = `canary-endpoint-${randomBytes(16).toString('hex')}`;
const PUTTING_KEY = `canary-putting-${randomBytes(16).toString('hex')}`;
/** A shop's own notes: they go to it alone. */
const NOTE = 'canary note of the shop 5813';
const ORDER = { amount: '9.99', customer: PERSON, address: HOME };

/** Everything that came out of the server, by where it came out. */
const seen: Record<'answers' | 'log' | 'operator' | 'metrics' | 'events' | 'traces', string[]> = {
  answers: [],
  log: [],
  operator: [],
  metrics: [],
  events: [],
  traces: [],
};
const spans = new InMemorySpanExporter();
const sdk = startNodeSdk({
  spanProcessors: [new SimpleSpanProcessor({ exporter: spans })],
  metricReaders: [],
  logRecordProcessors: [],
});
const keep = (fields: LogFields, message: string): void => {
  seen.log.push(JSON.stringify({ ...fields, message }));
};
const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep };

let stack: TestStack;
/** The back end of another merchant, which puts people where they were not asked for. */
let talkativeShop: LocalServer;
/** The provider, which lists a person where a row should be. */
let talkativeProvider: LocalServer;
/** Tokens that this payment was given, none of which leaves by another way than its own. */
const tokens: string[] = [];

function read<T>(answer: Answer<T>, where: string[] = seen.answers): Answer<T> {
  where.push(JSON.stringify([...answer.headers]), answer.text);
  return answer;
}

async function ask(path: string, init?: RequestInit): Promise<void> {
  read(await stack.fetch(path, init));
}

async function askOperator(path: string, init: RequestInit = {}): Promise<void> {
  const headers = { authorization: `Bearer ${OPERATOR_KEY}`, ...(init.headers as object) };
  const where = path === '/metrics' ? seen.metrics : seen.operator;
  read(await stack.askOperator(path, { ...init, headers }), where);
}

/** What the talkative shop answers to the lookup of each order. */
const TALK: Readonly<Record<string, (order: string) => [status: number, body: string]>> = {
  T1: () => [500, JSON.stringify({ message: `no row for ${PERSON.email}`, ...ORDER })],
  T2: () => [200, JSON.stringify({ ...ORDER, order: PERSON.name, status: PERSON.email })],
  T3: () => [200, `<h1>${PERSON.name}</h1> ${HOME.address1}`],
  T4: () => [302, `gone to ${PERSON.email}`],
  T5: () => [200, JSON.stringify({ ...ORDER, note: PERSON.name.repeat(5000) })],
  T6: (order) => [
    200,
    JSON.stringify({ ...ORDER, order, status: 'payable', currency: 'GBP', [PERSON.email]: HOME }),
  ],
};

async function startTalkativeShop(): Promise<LocalServer> {
  return LocalServer.start((request, response) => {
    void readText(request).then((body) => {
      const { order = '' } = JSON.parse(body) as { order?: string };
      const answer = request.url === '/order-lookup' ? TALK[order]?.(order) : undefined;
      const [status, text] = answer ?? [500, JSON.stringify({ ...PERSON, ...HOME })];
      const location = `https://elsewhere.example/${encodeURIComponent(PERSON.email)}`;
      response.writeHead(status, { location, 'x-shopper': PERSON.email }).end(text);
    });
  });
}

/** Our sandbox, with two rows more in each page of its list. */
async function startTalkativeProvider(): Promise<LocalServer> {
  return LocalServer.start((request, response) => {
    void readText(request)
      .then(async (body) => {
        const { method = 'GET', url = '' } = request;
        const headers = new Headers(request.headers as Record<string, string>);
        for (const name of ['host', 'connection', 'content-length']) headers.delete(name);
        const answer = await fetch(`${stack.sandboxUrl}${url}`, { method, headers, body });
        const text = await answer.text();
        response.writeHead(answer.status, { 'content-type': 'application/json' });
        response.end(url.endsWith('/transactions/list') ? withOddRows(text) : text);
      })
      .catch(() => response.destroy());
  });
}

function withOddRows(text: string): string {
  const { data, ...rest } = JSON.parse(text) as { data?: { transactions: unknown[] } };
  if (!data) return text;
  const odd = [`${PERSON.name} <${PERSON.email}>`, { ...PERSON, id: HOME, amount: HOME.address1 }];
  return JSON.stringify({
    ...rest,
    data: { ...data, transactions: [...odd, ...data.transactions] },
  });
}

function tokenOfTalkative(order: string): string {
  const claim = { merchant: 'talkative', order, expiresAt: 2e9 };
  return signOrderToken(stack.orderTokenSecret, claim);
}

/** Orders of a shop whose answers are wrong in every way, and which refuses its events. */
async function meetTalkativeShop(): Promise<void> {
  const answers = [];
  for (const order of Object.keys(TALK)) {
    const orderToken = tokenOfTalkative(order);
    answers.push(read(await stack.reopen(order, { merchant: 'talkative', orderToken })));
  }
  const [last] = answers.splice(-1);
  expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set(['order_lookup_failed']));
  const { checkout = '', sessionId } = last?.body ?? {};
  read(await stack.post(`/v1/checkouts/${checkout}/hints`, { kind: 'cancelled', sessionId }));
  await vi.waitFor(() => {
    expect(seen.log.join()).toContain('an event was not delivered');
  });
}

/** One order that is paid, and others that go wrong in every way that meets personal data. */
async function runPayments(): Promise<void> {
  const { body } = read(await stack.open('C1', ORDER));
  const sessionId = body.sessionId ?? '';
  const session = stack.session(sessionId);
  for (const field of ['RedirectUrl', 'CancelUrl', 'backurl', 'WebhookUrl'] as const) {
    tokens.push(new URL(session[field] ?? '').pathname.split('/').at(-1) ?? '');
  }
  const avs = { houseNumber: HOME.houseNumber, postcode: HOME.postcode };
  read(await stack.reopen('C1', { avs }));
  read(await stack.reopen('C1', { email: PERSON.email, avs: { ...avs, name: PERSON.name } }));
  read(await stack.reopen('C1', { avs: { ...avs, postcode: PERSON.email } }));
  // Its own answer may name what the caller sent; the log may not.
  await stack.reopen('C1', { [PERSON.name]: 1, [PERSON.email]: 2, avs: { [PERSON.id]: 3 } });
  read(await stack.reopen(PERSON.name));
  stack.sandbox.control.addFault({ operation: 'create-session', fault: 'error', status: 400 });
  read(await stack.open('C2', ORDER));
  stack.sandbox.control.addFault({
    operation: 'create-session',
    fault: 'drop-after-commit',
    times: 2,
  });
  read(await stack.open('C3', ORDER));
  read(await stack.open('C4', { ...ORDER, amount: PERSON.email }));
  read(await stack.open('C5', { ...ORDER, currency: PERSON.name }));
  read(
    await stack.open('C6', {
      ...ORDER,
      returnUrl: `https://elsewhere.example/${PERSON.email}/{checkout}`,
    }),
  );
  read(await stack.post(`/v1/checkouts/${body.checkout}/hints`, { kind: PERSON.name }));
  read(await stack.post(stack.webhookPath(sessionId), { ...PERSON, ...HOME }));
  read(await stack.post(`/v1/webhooks/${ENDPOINT_TOKEN}`, { order_id: '1', ...PERSON }));
  await stack.payAtProvider(sessionId);
  stack.sandbox.control.addFault({ operation: 'transactions-list', fault: 'error', status: 500 });
  for (const field of ['RedirectUrl', 'CancelUrl'] as const) {
    await ask(`${stack.returnPath(sessionId, field)}?name=${encodeURIComponent(PERSON.name)}`);
  }
  await stack.until(body.checkout, 'paid');
  await stack.shop.event('checkout.paid');
  await ask(`/v1/checkouts?id=${body.checkout}:0`);
  await ask(`/v1/checkouts/${body.checkout}/leave?kind=return`, { redirect: 'manual' });
  for (const key of [stack.merchantKey, PERSON.name]) {
    await ask('/v1/merchant/orders/C1', { headers: { authorization: `Bearer ${key}` } });
  }
  await putOrders();
  await ask('/healthz');
  await ask('/readyz');
  await ask(`/v1/${encodeURIComponent(PERSON.email)}`);
}

/** Orders that a shop puts, right and wrong, with the person in each of their fields. */
async function putOrders(): Promise<void> {
  const put = (order: string, body: unknown) =>
    stack.fetch<PutOrderReply>(`/v1/merchant/orders/${order}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${PUTTING_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const { body } = await put('O1', { ...ORDER, currency: 'GBP' });
  tokens.push(body.orderToken.split('.').at(-1) ?? '');
  read(await put('O2', { ...ORDER, currency: PERSON.email, returnUrl: HOME.address1 }));
  // Its own answer may name what the caller sent; the log may not.
  await put('O3', { ...ORDER, customer: { [PERSON.name]: PERSON.email } });
  await put(PERSON.name, ORDER);
  const orderToken = body.orderToken;
  read(await stack.reopen('O1', { merchant: 'putting', orderToken }));
  for (const path of ['orders/O1', 'orders', 'events']) {
    await ask(`/v1/merchant/${path}`, { headers: { authorization: `Bearer ${PUTTING_KEY}` } });
  }
  await payWithNote(put);
}

/** An order with a note of its shop, seen by a shopper in every way. */
async function payWithNote(
  put: (order: string, body: unknown) => Promise<Answer<PutOrderReply>>,
): Promise<void> {
  const price = { amount: '9.99', currency: 'GBP' };
  const lineItems = [{ name: 'Tea', amount: '9.99' }];
  const { body } = await put('O4', { ...price, metadata: { note: NOTE }, lineItems });
  await put('O5', { ...price, metadata: { [NOTE]: NOTE } });
  const shopper = { merchant: 'putting', orderToken: body.orderToken };
  read(await stack.reopen('O4', { ...shopper, preview: true }));
  await ask(new URL(body.payUrl).pathname);
  const { body: opened } = read(await stack.reopen('O4', shopper));
  const { checkout, sessionId = '' } = opened;
  expect(JSON.stringify(stack.session(sessionId))).not.toContain(NOTE);
  read(await stack.post(`/v1/checkouts/${checkout}/hints`, { kind: 'cancelled', sessionId }));
  const { data } = await stack.shop.event('checkout.cancelled');
  expect(data).toMatchObject({ order: 'O4', metadata: { note: NOTE } });
}

async function askOperators(): Promise<void> {
  await vi.waitFor(
    async () => {
      await askOperator('/operator/webhooks/unmatched');
      expect(seen.operator.at(-1)).toContain('teashop');
    },
    { timeout: 60_000 },
  );
  await askOperator('/operator/health');
  await askOperator('/operator/orders/teashop/C1/explain');
  await askOperator('/operator/orders/teashop/C3/explain');
  await askOperator(`/operator/orders/${encodeURIComponent(PERSON.name)}/C1/explain`);
  await askOperator('/operator/events/dead-lettered');
  await askOperator(`/operator/attention?days=${encodeURIComponent(PERSON.name)}`);
  await askOperator('/operator/attention');
  await askOperator('/operator/events/redeliver', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: PERSON.name, email: PERSON.email }),
  });
  await askOperator('/operator/health', { headers: { authorization: `Bearer ${PERSON.name}` } });
  // The page finds the person, of put orders and of those that a shop was asked for, and names no one.
  const cookie = await signIn(stack, OPERATOR_KEY);
  const found = await askAsPage<{ orders: { order: string; by: string }[] }>(
    stack,
    '/page/search',
    {
      ...{ method: 'POST', body: { q: PERSON.email } },
      headers: { cookie },
    },
  );
  seen.operator.push(found.text);
  expect(found.body.orders.map(({ order, by }) => `${order} ${by}`)).toEqual(
    expect.arrayContaining(['C1 email', 'O1 email']),
  );
  await askOperator('/metrics');
}

describe('canaries in keys, secrets, names, addresses and e-mails', () => {
  beforeAll(async () => {
    const tokenHash = `sha256:${createHash('sha256').update(ENDPOINT_TOKEN).digest('hex')}`;
    const env: Record<string, string> = {
      PAY_OPERATOR_PORT: '0',
      PAY_OPERATOR_KEY: OPERATOR_KEY,
      PAY_ENCRYPTION_KEY: `canary:${BODY_KEY}`,
    };
    stack = await TestStack.start({
      logger,
      env,
      merchant: { webhookEndpoints: [{ tokenHash, paths: { orderId: 'order_id' } }] },
    });
    talkativeShop = await startTalkativeShop();
    talkativeProvider = await startTalkativeProvider();
    env['PAY_PARTNER_API_URL'] = talkativeProvider.url;
    await stack.server.close();
    stack.addMerchant({
      id: 'talkative',
      orderLookup: { url: `${talkativeShop.url}/order-lookup`, allowPrivateAddress: true },
      events: { url: `${talkativeShop.url}/events`, allowPrivateAddress: true },
      apiKeyHash: [`sha256:${'0'.repeat(64)}`],
      webhookEndpoints: [],
    });
    stack.addMerchant({
      id: 'putting',
      orderLookup: undefined,
      apiKeyHash: [`sha256:${createHash('sha256').update(PUTTING_KEY).digest('hex')}`],
    });
    await stack.startServer();
    await runPayments();
    await meetTalkativeShop();
    await askOperators();
    seen.events.push(...stack.shop.events.map((event) => event.body));
    seen.traces = spans
      .getFinishedSpans()
      .map(({ name, attributes, events, links, status, resource }) =>
        JSON.stringify({ name, attributes, events, links, status, of: resource.attributes }),
      );
  });
  afterAll(async () => {
    await stack.close();
    await Promise.all([talkativeShop.close(), talkativeProvider.close(), sdk.shutdown()]);
    for (const api of [trace, context, propagation, diag]) api.disable();
  });

  const secrets = () => [
    stack.env['PAY_PARTNER_API_KEY'] ?? '',
    stack.merchantKey,
    stack.orderTokenSecret,
    stack.signingSecret,
    OPERATOR_KEY,
    BODY_KEY,
    ENDPOINT_TOKEN,
    PUTTING_KEY,
  ];
  /** Everything that was planted, in each form that it could be written in. */
  const planted = () => {
    const canaries = [...Object.values(PERSON), ...Object.values(HOME), ...secrets(), ...tokens];
    expect(canaries.every((canary) => canary.length >= 7)).toBe(true);
    return canaries;
  };
  const isIn = (text: string) => (canary: string) =>
    [
      canary,
      encodeURIComponent(canary),
      Buffer.from(canary).toString('base64url').slice(0, -4),
      Buffer.from(canary).toString('base64').replaceAll('=', '').slice(0, -4),
      Buffer.from(canary).toString('hex'),
    ].some((form) => text.includes(form));
  const proofs = () =>
    [stack.token('C1'), tokenOfTalkative('T6')].map((token) => token.split('.').at(-1) ?? '');

  const where = ['answers', 'log', 'operator', 'metrics', 'events', 'traces'] as const;

  it('has a shop’s own notes in its events and nowhere else', () => {
    expect(seen.events.some((text) => text.includes(NOTE))).toBe(true);
    for (const place of where.filter((name) => name !== 'events')) {
      expect(
        seen[place].filter((text) => isIn(text)(NOTE)),
        place,
      ).toEqual([]);
    }
  });

  it('went through a payment that was logged, counted, asked for and reported', () => {
    for (const place of where) expect(seen[place].length, place).toBeGreaterThan(0);
    expect(seen.operator.join('\n')).toContain(': counts');
    expect(seen.log.join('\n')).toContain('rows of the list of transactions could not be read');
    expect(seen.metrics.join('\n')).toContain('to="paid"');
    // The provider was given the person, and its list names them: all of it passed through us.
    expect(JSON.stringify(stack.sandbox.control.transactions())).toContain(PERSON.lastName);
  });

  it.each(where)('are found in no text of: %s', (place) => {
    expect(planted().filter(isIn(seen[place].join('\n')))).toEqual([]);
  });

  it.each(['log', 'metrics', 'operator', 'events', 'traces'] as const)(
    'nor is an order token, a session or a merchant’s hash in: %s',
    (place) => {
      const text = seen[place].join('\n');
      const sessions = stack.sandbox.control.sessions().map((session) => session.session_id);
      const hash = createHash('sha256').update(stack.merchantKey).digest('hex');
      expect([...proofs(), hash, ...sessions].filter((secret) => text.includes(secret))).toEqual(
        [],
      );
    },
  );

  it('are not in the data file, where bodies are sealed and tokens hashed', () => {
    const files = readdirSync(stack.folder).filter((name) => name.startsWith('data.sqlite'));
    const bytes = files.map((name) => readFileSync(join(stack.folder, name), 'latin1')).join('');
    expect(bytes).toContain('C1');
    const sealedKey = Buffer.from(BODY_KEY, 'base64').toString('latin1');
    expect(planted().filter(isIn(bytes))).toEqual([]);
    expect([sealedKey, ...proofs()].filter((secret) => bytes.includes(secret))).toEqual([]);
  });

  it('are not shown by inspecting what a platform holds, nor are they in its errors', async () => {
    const config = stack.config;
    const { merchantsFile: path, environment } = config;
    const source = new FileMerchantSource({ path, environment, logger });
    const things: unknown[] = [stack.server, config, source];
    const keepError = (error: unknown): void => void things.push(error);
    // Secrets at the wrong place, as they get there by a slip of the hand.
    const slips = Object.fromEntries(
      Object.keys(stack.env).map((name, at) => [name, secrets()[at % secrets().length]]),
    );
    try {
      parseConfig({ ...slips, PAY_ENVIRONMENT: 'production' });
    } catch (error) {
      keepError(error);
    }
    const mistaken = join(stack.folder, 'mistaken.json');
    const entry = { id: stack.merchantKey, name: stack.signingSecret, currency: OPERATOR_KEY };
    const lists = { apiKeyHash: [stack.merchantKey], signingSecret: [stack.orderTokenSecret] };
    writeFileSync(mistaken, JSON.stringify({ merchants: [{ ...entry, ...lists, ...PERSON }] }));
    await startSessionServer({ ...config, merchantsFile: mistaken }, { logger }).catch(keepError);
    writeFileSync(mistaken, `{"merchants": ["${stack.signingSecret}", "${PERSON.email}`);
    await startSessionServer({ ...config, merchantsFile: mistaken }, { logger }).catch(keepError);
    // The data file is open already.
    await startSessionServer(config, { logger }).catch(keepError);
    things.push(await source.all());
    await source.close();
    expect(things).toHaveLength(8);
    const shown = things.flatMap((thing) => [
      inspect(thing, { depth: 12, showHidden: true }),
      JSON.stringify(thing),
      String(thing),
    ]);
    expect(planted().filter(isIn(shown.join('\n')))).toEqual([]);
  });
});

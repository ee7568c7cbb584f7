import { spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LOG_FIELDS, type LogFields, type Logger } from './logger.js';
import { TestStack } from './testing/test-stack.js';
import { VERSION } from './version.js';

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const UNKNOWN_SHOP = { url: 'http://no-such-shop.invalid/', allowPrivateAddress: true };

let lines: (LogFields & { readonly level: string; readonly message: string })[];
const write = (level: string) => (fields: LogFields, message: string) =>
  void lines.push({ ...fields, level, message });
const logger: Logger = {
  debug: write('debug'),
  info: write('info'),
  warn: write('warn'),
  error: write('error'),
};
/** What pino writes of a line, without level, time and server. */
const textOf = ({ level: _, message: msg, ...fields }: (typeof lines)[number]): string =>
  JSON.stringify({ ...fields, msg });
const linesOf = (message: string) => lines.filter((line) => line.message === message);

let stack: TestStack;
beforeEach(async () => {
  lines = [];
  stack = await TestStack.start({ logger });
});
afterEach(async () => {
  await stack.close();
  const fields = lines.flatMap(({ level: _, message: __, ...rest }) => Object.keys(rest));
  const isListed = (field: string) =>
    /^(PAY_|DATABASE_URL$)/.test(field) || (LOG_FIELDS as readonly string[]).includes(field);
  expect(fields.filter((field) => !isListed(field))).toEqual([]);
});

describe('the log of a payment', () => {
  it('has eight lines, and none of polls and status requests', async () => {
    lines = [];
    const { checkout, sessionId = '' } = (await stack.open('A1001', { amount: '9.99' })).body;
    for (const kind of ['shown', 'submitted']) {
      await stack.post(`/v1/checkouts/${checkout}/hints`, { kind, sessionId });
    }
    await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'));
    await stack.payAtProvider(sessionId);
    await stack.post(stack.webhookPath(sessionId), { event: 'payment' });
    await stack.until(checkout, 'paid');
    await expect.poll(() => linesOf('event delivered')).toHaveLength(1);
    const isOfWebhook = ({ kind }: LogFields) => kind === 'webhook';
    await expect.poll(() => linesOf('hint received').some(isOfWebhook)).toBe(true);
    const written = lines.filter(({ level }) => level !== 'debug');
    expect(written.map(({ message }) => message).toSorted()).toEqual(
      [
        'checkout created',
        ...['hint received', 'hint received', 'hint received', 'hint received'],
        'checkout changed',
        'payment confirmed',
        'event delivered',
      ].toSorted(),
    );
    expect(written.map(textOf).join('').length).toBeLessThan(2000);
  });

  it('has one line for each thing that happened, with order, checkout, request and time', async () => {
    const opened = await stack.open('A1001', { amount: '9.99' });
    const { checkout, sessionId = '' } = opened.body;
    await stack.reopen('A1001');
    const hint = { kind: 'submitted', sessionId };
    const hinted = await stack.post(`/v1/checkouts/${checkout}/hints`, hint);
    // Before the payment, whose webhook leads to a poll of its own.
    const returned = await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'));
    await stack.payAtProvider(sessionId);
    await stack.until(checkout, 'paid');
    await expect.poll(() => linesOf('event delivered')).toHaveLength(1);

    const about = {
      merchant: 'teashop',
      order: 'A1001',
      checkout,
      ms: expect.any(Number) as number,
    };
    const requestIdOf = (answer: { headers: Headers }) => answer.headers.get('x-request-id');
    expect(linesOf('checkout created')).toEqual([
      expect.objectContaining({ ...about, requestId: requestIdOf(opened) }),
    ]);
    expect(linesOf('hint received').filter(({ kind }) => kind !== 'webhook')).toEqual([
      expect.objectContaining({ ...about, requestId: requestIdOf(hinted), kind: 'submitted' }),
      expect.objectContaining({ ...about, requestId: requestIdOf(returned), kind: 'return' }),
    ]);
    expect(linesOf('payment confirmed')).toEqual([
      expect.objectContaining({ ...about, from: 'returned', state: 'paid' }),
    ]);
    // The request that created the checkout names the payment from the page to the shop's back end.
    const requestId = requestIdOf(opened);
    const event = await stack.shop.event('checkout.paid');
    expect(opened.body).toMatchObject({ requestId });
    expect((await stack.reopen('A1001')).body).toMatchObject({ requestId });
    expect(event.data).toMatchObject({ requestId });
    expect(linesOf('payment confirmed')).toMatchObject([{ requestId }]);
    expect(linesOf('event delivered')).toMatchObject([{ requestId }]);
    expect(linesOf('event delivered')).toEqual([
      expect.objectContaining({ ...about, type: 'checkout.paid', status: 204, tries: 1 }),
    ]);
  });

  it('has one line for an event that the shop refused, with what the shop answered', async () => {
    stack.shop.eventAnswers.push(503);
    const { checkout, sessionId = '' } = (await stack.open('A1003', { amount: '9.99' })).body;
    await stack.fetch(stack.returnPath(sessionId, 'CancelUrl'));
    const event = { merchant: 'teashop', order: 'A1003', checkout, type: 'checkout.cancelled' };
    await expect
      .poll(() => linesOf('an event was not delivered'))
      .toEqual([
        expect.objectContaining({
          ...{ ...event, level: 'warn', status: 503, tries: 1 },
          ms: expect.any(Number) as number,
          retryInSeconds: expect.any(Number) as number,
        }),
      ]);
  });

  it('says in debug for how many attempts the list is polled, and how far back', async () => {
    const { sessionId = '' } = (await stack.open('A1002', { amount: '9.99' })).body;
    const polls = () => lines.filter(({ message }) => message.endsWith('is polled'));
    const before = polls().length;
    await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'));
    await expect.poll(() => polls().length).toBeGreaterThan(before);
    const [poll] = polls().slice(before);
    expect(poll).toMatchObject({ level: 'debug', account: 'default' });
    expect(poll?.['attempts']).toBeGreaterThan(0);
    expect(Date.parse(String(poll?.['since']))).toBeLessThan(Date.now());
  });
});

describe('the log of a refusal', () => {
  it.each<[string, () => Promise<{ body: { code: string; detail: string } }>]>([
    ['an unknown order', () => stack.reopen('Z1')],
    ['a wrong field', () => stack.post('/v1/checkouts', { merchant: 1 })],
    ['another origin', () => stack.post('/v1/checkouts', REQUEST, { origin: 'https://a.example' })],
    ['an unknown checkout', () => stack.fetch(`/v1/checkouts?id=${'x'.repeat(30)}:0`)],
    ['a wrong key', () => stack.fetch('/v1/merchant/orders/A1')],
    ['an unknown address', () => stack.fetch('/v1/nothing')],
  ])('has the reason that the caller is given: %s', async (_what, ask) => {
    const { code, detail } = (await ask()).body;
    const [refusal] = linesOf('a request was refused');
    expect(refusal).toMatchObject({ level: 'info', code, ms: expect.any(Number) as number });
    expect(detail).toContain(refusal?.['detail']);
  });

  it('names no field that only the caller knows', async () => {
    await stack.post('/v1/checkouts', { ...REQUEST, 'Ann Example': 1, amount: '1.00' });
    const [refusal] = linesOf('a request was refused');
    expect(refusal?.['detail']).toContain('amount: not accepted here');
    expect(refusal?.['detail']).not.toContain('Ann');
  });

  it('names the host of a shop that was not found', async () => {
    stack.changeMerchant({ orderLookup: UNKNOWN_SHOP });
    await stack.server.close();
    await stack.startServer();
    await stack.reopen('A1');
    const reason = expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/) as string;
    const shop = { merchant: 'teashop', host: 'no-such-shop.invalid', reason };
    expect(linesOf('a request failed')).toMatchObject([{ code: 'order_lookup_failed', ...shop }]);
  });

  it.each([
    [
      { fault: 'error', status: 429 },
      { status: 429, error: 'RateLimitError' },
    ],
    [
      { fault: 'error', status: 400 },
      { status: 400, error: 'RequestRefusedError' },
    ],
  ] as const)('says what the provider answered, without a stack: %j', async (fault, answer) => {
    stack.sandbox.control.addFault({ operation: 'create-session', times: 2, ...fault });
    await stack.open('A1003', { amount: '9.99' });
    const [refusal] = linesOf('create-session gave no session');
    expect(refusal).toMatchObject({ merchant: 'teashop', ...answer });
    expect(refusal?.['detail']).toContain(String(answer.status));
    expect(lines.filter((line) => 'at' in line)).toEqual([]);
  });
});

describe('the log of a start', () => {
  it('names each file with secrets that other users can read', async () => {
    await stack.server.close();
    const { merchantsFile } = stack.config;
    const { databaseFile } = stack;
    const warnings = () => linesOf('other users can read this: run chmod go-rwx on it');
    expect(warnings()).toEqual([]);
    chmodSync(merchantsFile, 0o644);
    chmodSync(databaseFile, 0o640);
    await stack.startServer();
    expect(warnings()).toMatchObject([
      { level: 'warn', file: databaseFile, mode: '640' },
      { level: 'warn', file: merchantsFile, mode: '644' },
    ]);
    await stack.server.close();
    lines = [];
    chmodSync(merchantsFile, 0o440);
    chmodSync(databaseFile, 0o600);
    await stack.startServer();
    expect(warnings()).toEqual([]);
  });

  it('says version and settings, masked, and has ISO times', async () => {
    const child = spawn(process.execPath, [PROGRAM], {
      env: {
        ...stack.env,
        PAY_LOG_LEVEL: 'info',
        PAY_SERVER_NAME: 'pay-7',
        PAY_DATABASE_FILE: join(stack.folder, 'other.sqlite'),
        PAY_EARLIER_WIDGET_SCRIPTS: '',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const started: Record<string, unknown>[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      started.push(JSON.parse(line) as Record<string, unknown>);
      if (started.length === 2) child.kill();
    }
    expect(started).toMatchObject([
      {
        msg: 'server starts',
        version: VERSION,
        PAY_ENVIRONMENT: 'sandbox',
        PAY_PARTNER_API_KEY: '***',
      },
      { msg: 'server listens', host: '127.0.0.1', port: expect.any(Number) as number },
      {
        ...{ msg: 'server stopped', signal: 'SIGTERM', drained: true },
        ms: expect.any(Number) as number,
      },
    ]);
    expect(started.map(({ server }) => server)).toEqual(['pay-7', 'pay-7', 'pay-7']);
    for (const { time } of started) expect(new Date(String(time)).toISOString()).toBe(time);
    expect(JSON.stringify(started)).not.toContain(stack.env['PAY_PARTNER_API_KEY']);
  });

  it('says that an error was not handled as its last line, without its message', async () => {
    const mistake = `process.once('SIGUSR2', () => { throw new RangeError(process.env.MESSAGE); })`;
    const args = ['--import', `data:text/javascript,${encodeURIComponent(mistake)}`, PROGRAM];
    const child = spawn(process.execPath, args, {
      env: {
        ...stack.env,
        PAY_LOG_LEVEL: 'info',
        PAY_DATABASE_FILE: join(stack.folder, 'another.sqlite'),
        MESSAGE: 'canary',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (line.includes('server listens')) child.kill('SIGUSR2');
    }
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      msg: 'the process ends: an error was not handled',
      error: 'RangeError',
    });
    expect(lines.join()).not.toContain('canary');
  });
});

const REQUEST = { merchant: 'teashop', order: 'A1' };

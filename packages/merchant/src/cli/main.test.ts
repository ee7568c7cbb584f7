import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PayCheckout } from '../client.js';
import { API_KEY, MERCHANT, RealStack, SIGNING_SECRET } from '../testing/real-stack.js';
import { startFlakyProxy } from '../testing/flaky-proxy.js';
import { main } from './main.js';
import { EVENT_TYPES } from './trigger.js';

const ENV = {
  PAY_CHECKOUT_SERVER: 'http://127.0.0.1:1',
  PAY_CHECKOUT_MERCHANT: MERCHANT,
  PAY_CHECKOUT_API_KEY: API_KEY,
  PAY_CHECKOUT_SIGNING_SECRET: SIGNING_SECRET,
};
const LISTEN = ['listen', '--forward-to', 'http://localhost:3000/events'];

/** Runs the command until it ends, and gives its exit code and what it wrote. */
async function run(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = ENV,
  stop = AbortSignal.abort(),
) {
  const lines: string[] = [];
  const errors: string[] = [];
  const code = await main(args, env, {
    write: (line) => lines.push(line),
    writeError: (line) => errors.push(line),
    stop,
  });
  return { code, output: lines.join('\n'), errors: errors.join('\n') };
}

describe('pay-checkout', () => {
  it('says what it does, and which version it is', async () => {
    for (const args of [['--help'], ['-h'], ['listen', '--help'], []]) {
      const { code, output } = await run(args);
      expect([code, output]).toEqual([0, expect.stringContaining('--forward-to <address>')]);
    }
    const { code, output } = await run(['--version']);
    expect([code, output]).toEqual([0, expect.stringMatching(/^\d/)]);
  });

  it.each([
    [['pay'], 'expected one of the commands listen, trigger <type> and verify <file>'],
    [['listen', 'now'], 'expected one of the commands'],
    [['trigger', 'checkout.paid'], '--forward-to'],
    [
      ['trigger', 'paid', ...LISTEN.slice(1)],
      'trigger: expected one of checkout.paid, checkout.failed',
    ],
    [['verify'], 'verify: expected a file'],
    [['verify', 'nothing-here'], 'verify: ENOENT'],
    [['listen'], '--forward-to'],
    [['listen', '--forward-to', 'localhost:3000'], '--forward-to'],
    [[...LISTEN, '--api-key', 'x'], '--api-key'],
  ])('refuses %j with exit code 2', async (args, words) => {
    const { code, errors } = await run(args);
    expect([code, errors]).toEqual([2, expect.stringContaining(words)]);
    expect(errors).toContain('pay-checkout --help');
  });

  it.each(Object.keys(ENV).slice(0, 3))(
    'names %s when it is missing, and shows no secret',
    async (name) => {
      const { code, errors } = await run(LISTEN, { ...ENV, [name]: undefined });
      expect([code, errors]).toEqual([2, expect.stringContaining(name)]);
      expect(errors).not.toContain('canary');
    },
  );
});

describe('pay-checkout verify', () => {
  const folder = mkdtempSync(join(tmpdir(), 'verify-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const SENT_AT = new Date('2026-03-01T10:15:00.000Z');
  const BODY = JSON.stringify({ type: 'checkout.paid', data: { order: 'A1', shop: 'Café' } });

  /** A stored delivery, as a tool may show it. */
  function store(changes: {
    body?: string;
    headers?: Record<string, string>;
    lineBreak?: string;
  }): string {
    const { body = BODY, headers = {}, lineBreak = '\r\n' } = changes;
    const all = {
      'Content-Type': 'application/json',
      'Webhook-Id': 'msg_1',
      'Webhook-Timestamp': String(SENT_AT.getTime() / 1000),
      'Webhook-Signature': `v1,bm90aGluZw== ${new Webhook(SIGNING_SECRET).sign('msg_1', SENT_AT, BODY)}`,
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}${lineBreak}`);
    const file = join(folder, 'delivery.http');
    writeFileSync(file, `POST /events HTTP/1.1${lineBreak}${lines.join('')}${lineBreak}${body}`);
    return file;
  }

  it.each(['\n', '\r\n'])(
    'says that a signature is right, and that it is old now',
    async (lineBreak) => {
      const { code, output } = await run(['verify', store({ lineBreak })]);
      expect(code).toBe(0);
      expect(output).toMatch(
        /^The signature is right\. It was signed at 2026-03-01T10:15:00\.000Z\./,
      );
      expect(output).toContain('now it would refuse it');
    },
  );

  it.each<[string, Parameters<typeof store>[0], string]>([
    [
      'a line break at its end',
      { body: `${BODY}\n` },
      'a line break or space was added at its end',
    ],
    [
      'other spaces',
      { body: JSON.stringify(JSON.parse(BODY), null, 2) },
      'it was parsed and written again',
    ],
    [
      'another encoding',
      { body: Buffer.from(BODY, 'utf8').toString('latin1') },
      'read in another encoding',
    ],
    [
      'another amount',
      { body: BODY.replace('A1', 'A2') },
      'PAY_CHECKOUT_SIGNING_SECRET is probably another one',
    ],
    ['half of it', { body: BODY.slice(0, 20) }, 'something has changed it'],
    ['no signature', { headers: { 'Webhook-Signature': '' } }, 'no webhook-signature'],
    [
      'a signature of another kind',
      { headers: { 'Webhook-Signature': 'sha256=0' } },
      'expected "v1,"',
    ],
    [
      'a time in words',
      { headers: { 'Webhook-Timestamp': 'noon' } },
      'webhook-timestamp: expected seconds',
    ],
  ])('says why one with %s is not right', async (_what, changes, words) => {
    const { code, output, errors } = await run(['verify', store(changes)]);
    expect([code, output, errors]).toEqual([1, expect.stringContaining(words), '']);
    expect(output).not.toContain(SIGNING_SECRET);
    const json = await run(['verify', store(changes), '--json']);
    expect(JSON.parse(json.output)).toMatchObject({ kind: 'refused', message: output });
  });

  it('needs the secret', async () => {
    const { code, errors } = await run(['verify', store({})], {});
    expect([code, errors]).toEqual([2, expect.stringContaining('PAY_CHECKOUT_SIGNING_SECRET')]);
  });
});

describe('pay-checkout listen', () => {
  const PRICE = { amount: '9.99', currency: 'GBP' };
  let stack: RealStack;
  let pay: PayCheckout;
  let order = '';
  let number = 1000;

  beforeAll(async () => {
    stack = await RealStack.start({ merchant: { orderLookup: undefined, events: undefined } });
    pay = stack.client();
  });
  beforeEach(() => {
    number += 1;
    order = `A${number}`;
  });
  afterAll(() => stack.close());

  /** The command as it runs, and its lines as they come. */
  function start(args: readonly string[] = [], changes: Readonly<Record<string, string>> = {}) {
    const stop = new AbortController();
    const lines: string[] = [];
    const errors: string[] = [];
    let wake = (): void => undefined;
    const env = { ...ENV, PAY_CHECKOUT_SERVER: stack.url, ...changes };
    const command = main(['listen', '--forward-to', `${stack.shopUrl}/events`, ...args], env, {
      write: (line) => {
        lines.push(line);
        wake();
      },
      writeError: (line) => errors.push(line),
      stop: stop.signal,
    });
    return {
      lines,
      errors,
      ended: command,
      /** Resolves with the first line that matches. */
      async line(pattern: RegExp): Promise<string> {
        for (;;) {
          const found = lines.find((line) => pattern.test(line));
          if (found !== undefined) return found;
          await new Promise<void>((resolve) => (wake = resolve));
        }
      },
      async stop(): Promise<number> {
        stop.abort();
        return command;
      },
    };
  }

  async function payOrder(): Promise<void> {
    const { orderToken = '' } = await pay.orders.put(order, PRICE);
    await stack.pay(await stack.openCheckout(order, orderToken));
  }

  /** A shop that answers with these statuses, then with 204, and verifies what comes. */
  function openShop(...statuses: number[]): string[] {
    const received: string[] = [];
    const handler = pay.events.handler({
      expectedAmount: () => PRICE,
      onPaid: ({ order: paid }, { id }) => received.push(`${paid} ${id}`),
    });
    stack.shop = (request, response) => {
      const status = statuses.shift();
      return status === undefined ? handler(request, response) : response.writeHead(status).end();
    };
    return received;
  }

  it('passes events on as they come, signed, with the answer on one line', async () => {
    await payOrder();
    const older = order;
    const received = openShop();
    order = `${order}-new`;
    const listening = start();
    await listening.line(/^Events of teashop go to http/);
    await payOrder();
    const line = await listening.line(/checkout\.paid/);
    expect(line).toMatch(/^\d\d:\d\d:\d\d checkout\.paid A\d+-new msg_\S+ 204 \d+ ms$/);
    expect(await listening.stop()).toBe(0);
    expect(received).toEqual([`${order} ${line.split(' ')[3] ?? ''}`]);
    expect(listening.lines.join('\n')).not.toContain(`${older} `);
    expect(listening.lines.join('\n')).not.toContain('canary');
  });

  it('sends an event again until it is acknowledged', async () => {
    const received = openShop(500);
    const listening = start();
    await listening.line(/^Events of/);
    await payOrder();
    expect(await listening.line(/ 500 /)).toMatch(/ms, again in 1 s$/);
    await listening.line(/ 204 /);
    expect(received).toHaveLength(1);
    await listening.stop();
  });

  it('goes on where it stopped, with what it had not passed on', async () => {
    const shopIsOut = Array.from({ length: 100 }, () => 503);
    openShop(...shopIsOut);
    const first = start();
    await first.line(/^Events of/);
    await payOrder();
    await first.line(/ 503 /);
    await first.stop();
    const [, cursor = ''] = /--after (\S+)$/.exec(await first.line(/^Stopped/)) ?? [];
    const received = openShop();
    const second = start(['--after', cursor]);
    await second.line(/ 204 /);
    await second.stop();
    expect(received.map((text) => text.split(' ')[0])).toEqual([order]);
  });

  it('passes on everything with --from-start', async () => {
    await payOrder();
    const received = openShop();
    const listening = start(['--from-start']);
    await listening.line(new RegExp(`${order} .* 204 `));
    await listening.stop();
    expect(received.length).toBeGreaterThan(1);
  });

  it.each([
    [
      'the merchant is not that of the key',
      ['--merchant', 'nope'],
      {},
      /^--merchant .*not of nope/,
    ],
    [
      'the key is wrong',
      [],
      { PAY_CHECKOUT_API_KEY: 'canary' },
      /^PAY_CHECKOUT_API_KEY: .*unknown/,
    ],
  ])('ends with code 2 when %s, and says what to change', async (_what, args, env, words) => {
    const listening = start(args, env);
    expect(await listening.ended).toBe(2);
    expect(listening.errors.join()).toMatch(words);
    expect(listening.errors.join()).not.toMatch(/canary|merchant entry/);
  });

  it('says why the shop gave no answer', async () => {
    stack.shop = (request) => request.socket.destroy();
    const listening = start();
    await listening.line(/^Events of/);
    await payOrder();
    await listening.line(/ no answer \(UND_ERR_SOCKET\) \d+ ms, again in 1 s$/);
    await listening.stop();
  });

  it('says that the session server does not answer, and that it does again', async () => {
    const proxy = await startFlakyProxy(() => stack.url);
    try {
      openShop();
      const listening = start([], { PAY_CHECKOUT_SERVER: proxy.url });
      await listening.line(/^Events of/);
      // The client makes a call three times.
      proxy.faults.push('cut', 'cut', 'cut');
      expect(await listening.line(/Trying again in 2 s\.$/)).toMatch(
        /^\d\d:\d\d:\d\d The session server does not answer as it should: GET \S+ no answer \(UND_ERR_SOCKET\)\. Trying/,
      );
      await listening.line(/^\d\d:\d\d:\d\d Connected again\.$/);
      await listening.stop();
    } finally {
      await proxy.close();
    }
  });

  it('signs with a secret that it prints where none is set, the same each time', async () => {
    const received: unknown[] = [];
    let secret = '';
    stack.shop = (request, response) => {
      void text(request).then((body) => {
        const headers = request.headers as Record<string, string>;
        received.push(new Webhook(secret).verify(body, headers));
        response.writeHead(204).end();
      });
    };
    const listening = start([], { PAY_CHECKOUT_SIGNING_SECRET: '' });
    const line = await listening.line(/^For the shop/);
    secret = /PAY_CHECKOUT_SIGNING_SECRET=(whsec_\S+)$/.exec(line)?.[1] ?? '';
    await listening.line(/^Events of/);
    await payOrder();
    await listening.line(/ 204 /);
    expect(received).toMatchObject([{ type: 'checkout.paid' }]);
    await listening.stop();
    const again = start([], { PAY_CHECKOUT_SIGNING_SECRET: '' });
    expect(await again.line(/^For the shop/)).toBe(line);
    await again.stop();
    expect(line).not.toContain(API_KEY);
  });

  it('prints an object in each line with --json', async () => {
    openShop(500);
    const listening = start(['--json']);
    await listening.line(/"kind":"ready"/);
    await payOrder();
    await listening.line(/"status":204/);
    await listening.stop();
    const lines = listening.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toMatchObject([
      { kind: 'ready', merchant: MERCHANT },
      { kind: 'event', type: 'checkout.paid', order, status: 500, retryMs: 1000 },
      { kind: 'event', type: 'checkout.paid', order, status: 204 },
      { kind: 'stopped' },
    ]);
    expect(lines.every(({ time }) => !Number.isNaN(Date.parse(String(time))))).toBe(true);
  });

  it('ends with code 1 when the session server refuses it', async () => {
    const listening = start(['--after', 'no-cursor']);
    expect(await listening.ended).toBe(1);
    expect(listening.errors.join()).toContain('cursor');
  });
});

describe('pay-checkout trigger', () => {
  let stack: RealStack;
  beforeAll(async () => {
    stack = await RealStack.start({ merchant: { orderLookup: undefined, events: undefined } });
  });
  afterAll(() => stack.close());
  const send = (type: string, ...more: string[]) =>
    run(
      ['trigger', type, '--forward-to', `${stack.shopUrl}/events`, ...more],
      {
        ...ENV,
        PAY_CHECKOUT_SERVER: stack.url,
      },
      new AbortController().signal,
    );

  it.each(EVENT_TYPES)('sends a signed %s as the session server would', async (type) => {
    const received: unknown[] = [];
    stack.shop = (request, response) => {
      void text(request).then((body) => {
        const headers = request.headers as Record<string, string>;
        received.push(new Webhook(SIGNING_SECRET).verify(body, headers));
        response.writeHead(204).end();
      });
    };
    const { code, output } = await send(type, '--order', 'A7');
    expect(code).toBe(0);
    expect(output).toMatch(new RegExp(`${type} A7 msg_\\S+ 204 \\d+ ms$`));
    expect(received).toMatchObject([{ type, data: { merchant: MERCHANT, order: 'A7' } }]);
    const guide = readFileSync(new URL('../../../../docs/events.md', import.meta.url), 'utf8');
    expect(guide).toContain(`\`${type}\``);
  });

  it('says why a receiver that asks the session server takes no sample', async () => {
    const pay = stack.client();
    stack.shop = pay.events.handler({
      expectedAmount: () => undefined,
      onPaid: () => undefined,
      onError: () => undefined,
    });
    const { code, output } = await send('checkout.paid');
    expect(code).toBe(1);
    expect(output).toMatch(/checkout\.paid SAMPLE-1 msg_\S+ (404|500) /);
    expect(output).toContain('A sample proves nothing');
  });

  it('shows what a receiver says of a wrong secret', async () => {
    const pay = stack.client();
    stack.shop = pay.events.handler({
      expectedAmount: () => undefined,
      onPaid: () => undefined,
      onError: () => undefined,
    });
    const { code, output } = await run(
      ['trigger', 'checkout.paid', '--forward-to', `${stack.shopUrl}/events`],
      { ...ENV, PAY_CHECKOUT_SIGNING_SECRET: '' },
      new AbortController().signal,
    );
    expect(code).toBe(1);
    expect(output).toMatch(/ 401 .*\n {2}No signature fits the raw body and the signing secret/);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PayCheckout } from '../client.js';
import { API_KEY, MERCHANT, RealStack, SIGNING_SECRET } from '../testing/real-stack.js';
import { main } from './main.js';

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
) {
  const lines: string[] = [];
  const errors: string[] = [];
  const code = await main(args, env, {
    write: (line) => lines.push(line),
    writeError: (line) => errors.push(line),
    stop: AbortSignal.abort(),
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
    [['pay'], 'The only command is: listen'],
    [['listen'], '--forward-to'],
    [['listen', '--forward-to', 'localhost:3000'], '--forward-to'],
    [[...LISTEN, '--api-key', 'x'], '--api-key'],
  ])('refuses %j with exit code 2', async (args, words) => {
    const { code, errors } = await run(args);
    expect([code, errors]).toEqual([2, expect.stringContaining(words)]);
    expect(errors).toContain('pay-checkout --help');
  });

  it.each(Object.keys(ENV))('names %s when it is missing, and shows no secret', async (name) => {
    const { code, errors } = await run(LISTEN, { ...ENV, [name]: undefined });
    expect([code, errors]).toEqual([2, expect.stringContaining(name)]);
    expect(errors).not.toContain('canary');
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

  it('ends with code 1 when the session server refuses it', async () => {
    const listening = start(['--after', 'no-cursor']);
    expect(await listening.ended).toBe(1);
    expect(listening.errors.join()).toContain('cursor');
  });
});

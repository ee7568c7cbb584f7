import { describe, expect, it } from 'vitest';
import { runCommand } from './cli.js';
import { CONTROL_ROUTES } from './control/control-routes.js';
import { FAULT_KINDS, FAULT_TARGETS } from './faults/fault-table.js';
import { SCENARIOS } from './scenarios.js';
import { startReceiver, startSandbox, type TestSandbox } from './testing/test-sandbox.js';

interface Delivered {
  readonly status: string;
}

/** Runs a command as the shell would. */
async function run(words: string, env: Record<string, string> = {}) {
  const written: string[] = [];
  const errors: string[] = [];
  const code = await runCommand(words.split(' '), {
    env,
    write: (line) => written.push(line),
    writeError: (line) => errors.push(line),
  });
  return { code, text: written.join('\n'), error: errors.join('\n') };
}

const at = (test: TestSandbox) => ({ SANDBOX_URL: test.url });

describe('pay-sandbox <command>', () => {
  it('pays the newest open session with the card of a scenario', async () => {
    const test = await startSandbox();
    await test.openSession({ order_id: 70 });
    await test.openSession({ order_id: 71 });
    const declined = await run('trigger declined', at(test));
    expect([declined.code, JSON.parse(declined.text)]).toMatchObject([0, { outcome: 'declined' }]);
    await run('trigger approved', at(test));
    expect(test.sandbox.control.sessions().map(({ state }) => state)).toEqual(['open', 'paid']);
    await run('trigger approved', at(test));
    const none = await run('trigger approved', at(test));
    expect([none.code, none.error]).toEqual([1, expect.stringContaining('No session is open')]);
  });

  it('asks the sandbox of the port that the sandbox itself is given', async () => {
    const test = await startSandbox();
    await test.openSession();
    const { port } = new URL(test.url);
    const { code, text } = await run('sessions', { SANDBOX_PORT: port, SANDBOX_URL: '' });
    expect([code, JSON.parse(text)]).toMatchObject([0, { sessions: [{ state: 'open' }] }]);
  });

  it('pays, declines and expires the session that is named', async () => {
    const test = await startSandbox();
    const [first, second, newest] = [
      await test.openSession(),
      await test.openSession(),
      await test.openSession(),
    ];
    await run(`sessions decline ${first}`, at(test));
    expect(test.sandbox.control.transactions()).toEqual([]);
    await run(`sessions pay ${first}`, at(test));
    await run(`sessions expire ${second}`, at(test));
    await run(`trigger approved --session ${newest}`, at(test));
    const { text } = await run('sessions', at(test));
    const { sessions } = JSON.parse(text) as { sessions: { state: string }[] };
    expect(sessions.map(({ state }) => state)).toEqual(['paid', 'expired', 'paid']);
  });

  it('refunds in part, by a row of its own', async () => {
    const test = await startSandbox();
    await run(`sessions pay ${await test.openSession()}`, at(test));
    const [id] = await test.listIds();
    const { code } = await run(
      `transactions refund ${String(id)} --amount 2.34 --as add`,
      at(test),
    );
    expect(code).toBe(0);
    const { transactions } = (await test.list()).data;
    expect(transactions.map(({ amount, status }) => [amount, status])).toEqual([
      [2.34, 'REFUNDED'],
      [12.34, 'SUCCESS'],
    ]);
  });

  it('moves the clock, and starts over', async () => {
    const test = await startSandbox();
    await test.openSession();
    await run('clock set 2031-05-01T12:00:00.000Z', at(test));
    await run('clock advance 86400', at(test));
    expect((await run('clock', at(test))).text).toContain('2031-05-02T12:00:0');
    expect(await run('reset', at(test))).toEqual({ code: 0, text: '', error: '' });
    expect(test.sandbox.control.sessions()).toEqual([]);
    expect(test.sandbox.control.clock.offsetSeconds).toBe(0);
  });

  it('starts over with other transactions of the past', async () => {
    const test = await startSandbox({ history: { count: 3 } });
    const before = await test.listIds();
    await run('reset --seed other', at(test));
    const other = await test.listIds();
    expect(other).toHaveLength(3);
    expect(other).not.toEqual(before);
    await run('reset', at(test));
    expect(await test.listIds()).toEqual(before);
  });

  it('sends, resends, forges, delays and reorders webhooks', async () => {
    const test = await startSandbox();
    const receiver = await startReceiver();
    const session = await test.openSession({ WebhookUrl: receiver.url });
    await run('webhooks reorder 2', at(test));
    await run(`webhooks send ${session} --outcome declined`, at(test));
    await run(`webhooks forge ${session}`, at(test));
    await receiver.whenReceived(2);
    const delivered = receiver.received.map((each) => (JSON.parse(each.text) as Delivered).status);
    expect(delivered).toEqual(['SUCCESS', 'FAILED']);
    await expect.poll(() => test.sandbox.control.deliveries()).toHaveLength(2);
    const [first] = test.sandbox.control.deliveries();
    expect((await run(`webhooks resend ${String(first?.webhook)}`, at(test))).code).toBe(0);
    expect(receiver.received).toHaveLength(3);
    const delay = await run('webhooks delay 60', at(test));
    expect(JSON.parse(delay.text)).toMatchObject({ name: 'webhookDelaySeconds', value: 60 });
    expect(test.sandbox.control.switches.webhookDelaySeconds).toBe(60);
  });

  it('queues, lists and clears faults', async () => {
    const test = await startSandbox();
    const options = '--times 2 --probability 0.5 --latency-seconds 0.2,1.5 --status 503';
    expect((await run(`faults add sdk-script error ${options}`, at(test))).code).toBe(0);
    const { text } = await run('faults', at(test));
    expect(JSON.parse(text)).toEqual({
      queued: [
        {
          operation: 'sdk-script',
          fault: 'error',
          times: 2,
          probability: 0.5,
          latencySeconds: [0.2, 1.5],
          status: 503,
        },
      ],
      held: 0,
    });
    await run('faults clear', at(test));
    expect(test.sandbox.control.faults().queued).toEqual([]);
    const refused = await run('faults add webhook gzip', at(test));
    expect([refused.code, refused.error]).toEqual([1, expect.stringContaining('- fault:')]);
  });

  it('says what the sandbox refused, and which sandbox does not answer', async () => {
    const test = await startSandbox();
    await test.openSession();
    const refused = await run('trigger lucky', at(test));
    expect(refused.code).toBe(1);
    expect(refused.error).toContain('scenario: expected approved, declined');
    expect((await run('sessions pay ../reset', at(test))).error).toContain('no session');
    const { url } = test;
    await test.sandbox.close();
    const gone = await run(`sessions --url ${url}`);
    expect([gone.code, gone.error]).toEqual([1, expect.stringContaining(url)]);
  });

  it.each([
    'trigger',
    'sessions pay',
    'sessions refund x',
    'clock advance 1 2',
    '--port 3',
    'sessions pay x --times 2',
    'serve',
  ])('does not understand: %s', async (words) => {
    const { code, error } = await run(words);
    expect([code, error]).toEqual([2, expect.stringContaining('pay-sandbox --help')]);
  });

  it('says which words a command is missing', async () => {
    const { code, error } = await run('sessions decline');
    expect([code, error]).toEqual([
      2,
      'Expected: pay-sandbox sessions decline <session>\nTry: pay-sandbox --help',
    ]);
  });

  it('has a command for each route but those that programs watch, or that take an object', () => {
    const without = CONTROL_ROUTES.filter(({ command }) => command === undefined);
    expect(without.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'post /sessions',
      'post /transactions',
      'get /events',
      'patch /switches',
    ]);
  });

  it('gives each field of a query or body as a word or an option', async () => {
    const test = await startSandbox({ history: { count: 3 } });
    await test.openSession({ order_id: 71 });
    await test.openSession({ order_id: 72 });
    const { text } = await run('sessions --state open --limit 1', at(test));
    expect(JSON.parse(text)).toMatchObject({ sessions: [{ order_id: 72 }], total: 2 });
    const [{ session_id: id } = { session_id: '' }] = test.sandbox.control.sessions();
    const paid = await run(`sessions pay ${id} --scenario declined --visit false`, at(test));
    expect(JSON.parse(paid.text)).toMatchObject({ outcome: 'declined' });
    const [row] = await test.listIds();
    await run(`transactions hide ${String(row)} 60`, at(test));
    expect(await test.listIds()).toHaveLength(2);
    const many = await run('transactions hide x many', at(test));
    expect(many.error).toContain('- seconds:');
  });

  it('has a help that names each scenario and fault, and each command once', async () => {
    const { code, text } = await run('--help');
    expect(code).toBe(0);
    for (const { name } of SCENARIOS) expect(text).toContain(name);
    for (const name of [...FAULT_TARGETS, ...FAULT_KINDS]) expect(text).toContain(name);
    const commands = text.split('\n').flatMap((line) => /^ {2}(\w.*?) {2}/.exec(line)?.[1] ?? []);
    expect(commands.length).toBeGreaterThan(20);
    expect(new Set(commands).size).toBe(commands.length);
  });
});

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createSandbox } from '@pay-checkout/sandbox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSessionServer } from './running-server.js';
import { runCheck } from './start-checks.js';
import { takeDataFileLock } from './store/data-file.js';
import { LocalServer } from './testing/local-server.js';
import { TestStack } from './testing/test-stack.js';
import { VERSION } from './version.js';

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));

let stack: TestStack;
beforeEach(async () => {
  stack = await TestStack.start();
  await stack.server.close();
});
afterEach(() => stack.close());

/** An SDK that shows pictures of cards in the page. */
const DRAWING = {
  sdk: {
    url: 'https://sdk.example/sdk.js',
    global: 'Sdk',
    argument: 'object',
    origins: { script: [], frame: [], connect: [], image: ['https://cards.example'] },
  },
};

const fileOf = (name: string) => join(stack.folder, name);

/** Runs the program as an operator would; answers how it ended, and what it wrote. */
async function run(env: Readonly<Record<string, string>>, ...words: string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [said, complaint, [code]] = await Promise.all([
    readText(child.stdout),
    readText(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, said, complaint: complaint.replace(/^\(.*\n/gm, '').trim() };
}

/** Changes the entry of the merchants file. */
function writeMerchant(changes: object): void {
  const file = JSON.parse(readFileSync(fileOf('merchants.json'), 'utf8')) as {
    merchants: object[];
  };
  const merchants = file.merchants.map((entry) => ({ ...entry, ...changes }));
  writeFileSync(fileOf('merchants.json'), JSON.stringify({ merchants }));
}

/** What each stage of a start can stumble over, one of each. */
function spoilEverything(): Record<string, string> {
  writeFileSync(fileOf('merchants.json'), '{"merchants": [\n  {"id": "teashop"}\n]}');
  rmSync(fileOf('data.sqlite'));
  writeFileSync(fileOf('data.sqlite'), 'x'.repeat(9999));
  return { ...stack.env, PAY_ENVIRONMENT: '', PAY_WIDGET_SCRIPT: fileOf('missing.js') };
}

/** Leaves a data file that passes every check, and then refuses what a start writes. */
async function refuseRecovery(): Promise<void> {
  await stack.startServer();
  await stack.open('A1001', { amount: '5.00' });
  await stack.server.close();
  const database = new DatabaseSync(fileOf('data.sqlite'));
  database.exec(`UPDATE attempts SET status = 'sending';
    CREATE TRIGGER refuse BEFORE UPDATE ON attempts BEGIN SELECT raise(ABORT, 'refused'); END`);
  database.close();
}

describe('a start that fails', () => {
  it('lists the mistakes of every stage at once, and none in the words of a library', async () => {
    const taken = await LocalServer.start((_, response) => response.end());
    const env = { ...spoilEverything(), PAY_PORT: String(taken.port), PAY_WATCH_DAYS: '0' };
    const { code, said, complaint } = await run(env);
    await taken.close();
    expect([code, said]).toEqual([78, '']);
    const settings = complaint.split('\n').map((line) => /^ {2}- (\w+): /.exec(line)?.[1]);
    expect([...new Set(settings)]).toEqual([
      undefined,
      'PAY_ENVIRONMENT',
      'PAY_WATCH_DAYS',
      'PAY_MERCHANTS_FILE',
      'PAY_DATABASE_FILE',
      'PAY_WIDGET_SCRIPT',
      'PAY_PORT',
    ]);
    expect(complaint).toContain('merchants.0.name (line 2, column 3): is missing; expected text');
    expect(complaint).toContain('another program listens there');
    expect(complaint).not.toMatch(/Invalid input|Too small|Unrecognized|EADDR|ENOENT|SQLITE|\bat /);
  });

  it.each<[string, number, () => Record<string, string>]>([
    ['the environment', 78, () => ({ PAY_ENVIRONMENT: '' })],
    ['the merchants file', 78, () => ({ PAY_MERCHANTS_FILE: fileOf('missing.json') })],
    ['the data file', 1, () => ({ PAY_DATABASE_FILE: fileOf('missing/data.sqlite') })],
    ['a folder as the data file', 78, () => ({ PAY_DATABASE_FILE: stack.folder })],
    ['the script', 78, () => ({ PAY_WIDGET_SCRIPT: fileOf('missing.js') })],
    ['the port', 1, () => ({ PAY_HOST: 'no-such-host.invalid' })],
    ['one port for both', 78, () => ({ PAY_PORT: '45911', PAY_OPERATOR_PORT: '45911' })],
  ])(
    'for %s ends with status %i, says it in one line, and holds nothing',
    async (_, exit, change) => {
      const { code, complaint } = await run({ ...stack.env, ...change() });
      expect(code).toBe(exit);
      expect(complaint).toMatch(/^pay-session-server: the server did not start: PAY_\w+: .+$/);
      await stack.startServer();
    },
  );

  it.each(['PAY_WIDGET_SCRIPT', 'PAY_EARLIER_WIDGET_SCRIPTS'])(
    'for a path of %s that leads to a file with secrets refuses to serve it',
    async (setting) => {
      const refused = await run({ ...stack.env, [setting]: fileOf('merchants.json') });
      expect(refused.code).toBe(78);
      expect(refused.complaint).toContain(
        `${setting}: expected the path of pay-checkout.js; its hash is read from ` +
          'merchants.json.integrity next to it, and there is no such file',
      );
      writeFileSync(fileOf('changed.js'), 'changed after its build');
      copyFileSync(fileOf('pay-checkout.js.integrity'), fileOf('changed.js.integrity'));
      const changed = await run({ ...stack.env, [setting]: fileOf('changed.js') }, 'check');
      expect(changed.code).toBe(1);
      expect(changed.complaint).toContain(
        'it does not have the hash in changed.js.integrity next to it',
      );
    },
  );

  it('for a path of PAY_APPLE_PAY_FILE that leads to another file refuses to serve it', async () => {
    const name = 'apple-developer-merchantid-domain-association';
    writeFileSync(fileOf(name), '');
    for (const [path, why] of [
      ['merchants.json', 'its name is "merchants.json"'],
      [`none/${name}`, 'there is no such file'],
      [name, 'it has 0 bytes'],
    ] as const) {
      const refused = await run({ ...stack.env, PAY_APPLE_PAY_FILE: fileOf(path) });
      expect(refused.code).toBe(78);
      expect(refused.complaint).toContain(
        `PAY_APPLE_PAY_FILE: expected the path of ${name}; ${why}`,
      );
    }
  });

  it('changes nothing: no data file is created, and none is brought up to date', async () => {
    const fresh = fileOf('fresh.sqlite');
    const env = { PAY_DATABASE_FILE: fresh, PAY_WIDGET_SCRIPT: fileOf('missing.js') };
    await run({ ...stack.env, ...env });
    expect(() => new DatabaseSync(fresh, { readOnly: true })).toThrow();
  });

  it('after every check lets go of everything', async () => {
    await refuseRecovery();
    await expect(startSessionServer(stack.config)).rejects.toThrow('refused');
    takeDataFileLock(fileOf('data.sqlite')).close();
  });

  it('after every check, ends as well: it exits without having listened', async () => {
    await refuseRecovery();
    const { code, said, complaint } = await run({ ...stack.env, PAY_LOG_LEVEL: 'info' });
    expect([code, said.includes('server starts')]).toEqual([1, true]);
    expect(said).not.toContain('server listens');
    expect(complaint).toMatch(/^pay-session-server: the server did not start: internal error .+$/);
    takeDataFileLock(fileOf('data.sqlite')).close();
  });

  it('for a script that is gone by then lets go of everything', async () => {
    const config = { ...stack.config, widgetScript: fileOf('missing.js') };
    await expect(startSessionServer(config)).rejects.toThrow('there is no such file');
    await stack.startServer();
  });
});

describe('the program', () => {
  it('prints its help and its version, whatever the environment says', async () => {
    const help = await run({}, '--help');
    expect([help.code, help.said.split('\n')[0], help.complaint]).toEqual([0, 'Usage:', '']);
    expect(await run({}, 'restore', '--help')).toEqual(help);
    expect(await run({}, '--version')).toEqual({ code: 0, said: `${VERSION}\n`, complaint: '' });
  });

  it('fails for an order that there is not: in one line, and with --json in one of JSON', async () => {
    await stack.startServer();
    const { code, said, complaint } = await run(stack.env, 'explain', 'NOPE');
    expect([code, said]).toEqual([1, '']);
    expect(complaint).toBe('pay-session-server: there is no order "NOPE"');
    for (const command of ['explain', 'export', 'erase']) {
      const refused = await run(stack.env, command, 'NOPE', '--json');
      expect([refused.code, JSON.parse(refused.complaint) as unknown]).toEqual([
        1,
        { error: { code: 'order_not_found', message: 'there is no order "NOPE"' } },
      ]);
    }
    const settings = await run({ ...stack.env, PAY_PORT: 'x' }, 'webhooks', '--json');
    expect([settings.code, JSON.parse(settings.complaint) as unknown]).toEqual([
      1,
      {
        error: {
          ...{ code: 'configuration', message: 'environment' },
          mistakes: [expect.stringMatching(/^PAY_PORT: /)],
        },
      },
    ]);
  });

  it('prints JSON on request whatever the command', async () => {
    await stack.startServer();
    const day = new Date().toISOString().slice(0, 10);
    for (const command of [
      ['check'],
      ['webhooks'],
      ['events', 'dead-lettered'],
      ['events', 'redeliver', '--all'],
      ['report', '--day', day],
      ['merchants', 'list'],
    ]) {
      const { said, complaint } = await run(stack.env, ...command, '--json');
      expect(() => JSON.parse(said) as unknown, `${command.join(' ')}: ${complaint}`).not.toThrow();
    }
  });

  it('prints its help as a complaint for a word that it does not know', async () => {
    const { code, said, complaint } = await run(stack.env, 'explian');
    expect([code, said, complaint.split('\n')[0]]).toEqual([2, '', 'Usage:']);
  });
});

describe('checking the settings', () => {
  it('warns of what a start would warn of, while the server runs', async () => {
    writeMerchant({ brand: { accent: '#1f4fd8' } });
    await stack.startServer();
    const env = { ...stack.env, PAY_PORT: String(stack.server.port) };
    const { code, said, complaint } = await run(env, 'check');
    expect([code, complaint]).toEqual([0, '']);
    expect(said.split('\n')).toEqual([
      'warning: teashop: accent_low_contrast: #1f4fd8 has a contrast of 2.54 on the dark surface, ' +
        'and needs 3; give brand.accent a lighter colour for it',
      `account default: ${stack.sandboxUrl} was asked for the newest transactions of 1 merchant: there are none yet to compare; transactionList "account" is not verified`,
      expect.stringMatching(/^hosted page of teashop: default-src 'none'; /),
      'Settings, scripts and 1 merchant: no mistakes.',
      '',
    ]);
  });

  /** What it says of the lists of an account whose merchant has 30 transactions. */
  async function checkLists(changes: {
    readonly omitted?: string[];
    readonly transactionList?: 'account' | 'merchant';
    /** Answers a request for the list of the account in place of the provider. */
    readonly answer?: (response: ServerResponse) => void;
  }) {
    await using closing = new AsyncDisposableStack();
    const sandbox = createSandbox({
      ...{
        apiKey: stack.env['PAY_PARTNER_API_KEY'] ?? '',
        merchants: [{ id: 1001, name: 'Test', currency: 'GBP' }],
      },
      omittedTransactionFields: changes.omitted ?? [],
    });
    closing.defer(() => sandbox.close());
    const { url } = await sandbox.listen();
    for (let at = 0; at < 30; at += 1) {
      const transactionTime = new Date(Date.now() - at * 60_000).toISOString();
      sandbox.control.addTransaction({ row: { merchantId: 1001, transactionTime } });
    }
    const provider = await LocalServer.start((request, response) => {
      void readText(request).then(async (body) => {
        const ofAccount = (JSON.parse(body) as { merchantId?: number }).merchantId === undefined;
        if (ofAccount && changes.answer) return changes.answer(response);
        const headers = {
          'content-type': 'application/json',
          api_key: String(request.headers['api_key']),
        };
        const answer = await fetch(url + (request.url ?? ''), { method: 'POST', headers, body });
        response.writeHead(answer.status, { 'content-type': 'application/json' });
        return response.end(await answer.text());
      });
    });
    closing.defer(() => provider.close());
    const { transactionList } = changes;
    stack.changeMerchantsFile(() => ({
      accounts: transactionList ? { default: { transactionList } } : {},
    }));
    const lines = await runCheck({ ...stack.env, PAY_PARTNER_API_URL: provider.url });
    return lines[0];
  }

  const empty = (response: ServerResponse): void => {
    const page = { data: { transactions: [], timezone: 'UTC' }, pagination: { hasMore: false } };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(page));
  };

  it.each<[string, Parameters<typeof checkLists>[0], RegExp]>([
    [
      'shows them all, and is read',
      {},
      /^account default: its list shows all of 30 transactions of its merchants; transactionList "account" is right$/,
    ],
    [
      'shows them all, and is not read',
      { transactionList: 'merchant' },
      /^warning: .+ set transactionList of accounts\.default to "account"$/,
    ],
    [
      'does not show them',
      { answer: empty },
      /^warning: account default: its list does not show 30 of 30 transactions of its merchants; set transactionList of accounts\.default to "merchant"$/,
    ],
    [
      'does not show them, and is not read',
      { answer: empty, transactionList: 'merchant' },
      /^account default: .+; transactionList "merchant" is right$/,
    ],
    [
      'gives no matching merchantId',
      { omitted: ['merchantId'] },
      /^warning: account default: its list gives no matching merchantId for 30 of 30 .+ to "merchant"$/,
    ],
    [
      'is refused',
      { answer: (response) => response.writeHead(400).end('{}') },
      /^warning: account default: its list cannot be read \(transactions\.list: the provider refused the request \(400\)\), .+ to "merchant"$/,
    ],
  ])(
    'compares the list of an account that %s with those of its merchants',
    async (_what, changes, line) => {
      expect(await checkLists(changes)).toMatch(line);
    },
  );

  it('says that nothing is confirmed where the provider cannot be asked', async () => {
    const env = { ...stack.env, PAY_PARTNER_API_URL: 'http://127.0.0.1:9' };
    expect((await runCheck(env))[0]).toMatch(/^warning: account default: .+ is not verified$/);
  });

  it('refuses a key that the provider refuses, and says what was asked and answered', async () => {
    const { code, said } = await run({ ...stack.env, PAY_PARTNER_API_KEY: 'of-another' }, 'check');
    expect(code).toBe(1);
    expect(said).toContain(
      `error: account default: ${stack.sandboxUrl} was asked for the newest transactions of merchant 1001: transactions.list: the provider refused the request (401)`,
    );
    expect(said).toMatch(/; check address, PAY_PARTNER_API_KEY and providerMerchantId\n/);
    expect(said).toMatch(/: 1 error\.\n$/);
    expect(said).not.toContain('of-another');
  });

  it('refuses private addresses of a shop that has no permission for them', async () => {
    const url = 'https://10.1.2.3/events';
    writeMerchant({ events: { url }, orderLookup: { url: 'http://localhost:1/lookup' } });
    const { code, said } = await run(stack.env, 'check', '--json');
    expect(code).toBe(1);
    const { findings } = JSON.parse(said) as { findings: { level: string; about: string }[] };
    expect(findings.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        about: 'teashop: events.url',
        text: expect.stringContaining('10.1.2.3') as unknown,
      },
      {
        level: 'error',
        about: 'teashop: orderLookup.url',
        text: expect.stringContaining('allow') as unknown,
      },
    ]);
  });

  it('says once what is so of a hundred merchants', async () => {
    writeMerchant({ events: { url: 'https://10.1.2.3/events' } });
    const path = fileOf('merchants.json');
    const { merchants } = JSON.parse(readFileSync(path, 'utf8')) as { merchants: [object] };
    const others = Array.from({ length: 99 }, (_, index) => {
      const apiKeyHash = [`sha256:${String(index).padStart(64, '0')}`];
      return { ...merchants[0], id: `shop-${String(index)}`, apiKeyHash };
    });
    writeFileSync(path, JSON.stringify({ merchants: [...merchants, ...others] }));
    const { said } = await run(stack.env, 'check');
    expect(said.split('\n').filter((line) => line.includes('10.1.2.3'))).toEqual([
      expect.stringMatching(/^error: teashop: events\.url, and 99 more: 10\.1\.2\.3 is a private/),
    ]);
  });

  it('refuses a database whose order ids are used up', async () => {
    const database = new DatabaseSync(fileOf('data.sqlite'));
    database.exec(`INSERT INTO counters (name, value) VALUES ('order_id_offset', 2000000000)`);
    database.close();
    const { code, said } = await run({ ...stack.env, PAY_MAX_ORDER_ID: '2000000000' }, 'check');
    expect([code, said]).toEqual([1, expect.stringContaining('error: PAY_MAX_ORDER_ID: the next')]);
  });

  it('warns of webhooks that are to go to a private address in production', async () => {
    writeMerchant({
      ...{ origins: ['https://shop.example'], returnUrl: 'https://shop.example/{checkout}' },
      orderLookup: undefined,
      events: undefined,
      sdk: {
        ...{ url: 'https://sdk.example/a.js', global: 'A', argument: 'object' },
        ...{ container: 'selector', origins: { script: [], frame: [], connect: [] } },
      },
    });
    const lines = await runCheck({
      ...stack.env,
      PAY_ENVIRONMENT: 'production',
      PAY_PUBLIC_URL: 'https://pay.example',
      PAY_WEBHOOK_BASE_URL: 'https://pay.internal',
      PAY_PARTNER_API_URL: 'https://127.0.0.1:9',
      PAY_ENCRYPTION_KEY: `2026:${Buffer.alloc(32, 1).toString('base64')}`,
      PAY_TRUST_PROXY: '1',
    });
    expect(lines[0]).toMatch(/^warning: webhooks: pay\.internal is a private address/);
  });

  it('says what the hosted page will allow, once for merchants who allow the same', async () => {
    const keyOf = (id: string) => [`sha256:${createHash('sha256').update(id).digest('hex')}`];
    stack.changeMerchant(DRAWING);
    stack.addMerchant({ id: 'coffee', apiKeyHash: keyOf('coffee') });
    const sdk = { ...DRAWING.sdk, inlineStyle: true };
    stack.addMerchant({ id: 'wine', apiKeyHash: keyOf('wine'), sdk });
    const lines = (await runCheck(stack.env)).filter((line) => line.startsWith('hosted page'));
    const loads = "script-src 'self' https://sdk.example; style-src 'self'";
    const rest =
      "img-src 'self' data: https://cards.example; frame-src 'self'; " +
      "connect-src 'self' https://sdk.example; base-uri 'none'; form-action 'none'";
    expect(lines).toEqual([
      `hosted page of teashop and 1 more: default-src 'none'; ${loads}; ${rest}`,
      `hosted page of wine: default-src 'none'; ${loads} 'unsafe-inline'; ${rest}`,
    ]);
  });

  it('lists every mistake, and ends with status 1', async () => {
    const { code, said, complaint } = await run(spoilEverything(), 'check');
    expect([code, said]).toEqual([1, '']);
    expect(complaint).toContain('pay-session-server: the server would not start:');
    const settings = complaint.split('\n').map((line) => /^ {2}- (\w+): /.exec(line)?.[1]);
    expect([...new Set(settings)]).toEqual([
      undefined,
      'PAY_ENVIRONMENT',
      'PAY_MERCHANTS_FILE',
      'PAY_WIDGET_SCRIPT',
    ]);
  });
});

import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  CANARY,
  type CliInput,
  type CliResult,
  makeFolder,
  run,
  type SandboxProcess,
  startSandbox,
} from '../testing/cli-runner.js';
import {
  answerJson,
  clientOf,
  failureOf,
  findDeadUrl,
  pageOf,
  startServer,
} from '../testing/test-server.js';

let sandbox: SandboxProcess;
const said: string[] = [];

beforeAll(async () => {
  sandbox = await startSandbox({ SANDBOX_TRANSACTIONS: '30' });
});

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
});

async function pay(line: string, input: CliInput = {}): Promise<CliResult> {
  const env = { ...sandbox.env, ...input.env };
  const result = await run(line.split(' '), { ...input, env });
  said.push(result.stdout, result.stderr);
  return result;
}

describe('every operation', () => {
  it('lists transactions in aligned columns, and says how to go on', async () => {
    const { code, stdout, stderr } = await pay('transactions list --limit 3');
    const lines = stdout.trimEnd().split('\n');
    expect([code, lines.length]).toEqual([0, 4]);
    const at = lines[0]!.indexOf('currencyCode');
    expect(lines.slice(1).every((line) => /^[A-Z]{3}/.test(line.slice(at)))).toBe(true);
    expect(stderr).toContain('--cursor ');
    expect(stdout).not.toContain('\u001b');
  });

  it('prints a page as one JSON document, and all pages as one line a row', async () => {
    const page = await pay('transactions list --limit 3 --json');
    expect(JSON.parse(page.stdout)).toMatchObject({ pagination: { hasMore: true } });
    const all = await pay('transactions list --limit 7 --all --json');
    const rows = all.stdout.trimEnd().split('\n');
    expect(new Set(rows.map((row) => (JSON.parse(row) as { id: string }).id)).size).toBe(30);
    expect(all.stderr).toBe('');
  });

  it('lists the rows around one that is no object, and says where that one stood', async () => {
    await using server = await startServer((response) => {
      answerJson(response, { ...pageOf(null as unknown as object, { id: 'a' }) });
    });
    const input = { env: { PAY_PARTNER_BASE_URL: server.url } };
    const words = 'Warning: 1 row is no object and was left out';
    for (const [line, place] of [
      ['transactions list --columns id', 'index 0 of the first page (null)'],
      ['transactions list --columns id --cursor c1', "index 0 of --cursor 'c1' (null)"],
      ['transactions list --columns id --all', 'index 0 of the first page (null)'],
    ] as const) {
      const { code, stdout, stderr } = await pay(line, input);
      expect([code, stdout]).toEqual([0, 'id\na\n']);
      expect(stderr).toContain(words);
      expect(stderr).toContain(place);
    }
  });

  it('shows a row as a block where the terminal is too narrow for columns', async () => {
    const { stdout } = await pay('transactions list --limit 2', { columns: 40 });
    expect(stdout).toMatch(/^transactionTime +\S+ [\d:]{8} \S+\nid +txn_/);
  });

  it('draws analytics as bars, and gives them as JSON', async () => {
    // The sandbox has its past transactions in 2025.
    const bars = await pay('analytics harbour-lane --from-date 2025-11-01 --to-date 2025-12-31');
    expect(bars.stdout).toMatch(/^payment_methods\n\S.* \d+ {2}█+/m);
    const json = await pay('analytics harbour-lane --timeframe weekly --json');
    expect(JSON.parse(json.stdout)).toMatchObject({ success: true });
  });

  it('puts a schedule into words with its next run, and leaves other text as it is', async () => {
    const { stdout } = await pay('transfers list 1001 --schedule-timezone Europe/London');
    expect(stdout).toMatch(/30 6 \* \* 1-5 +At 06:30, Monday through Friday +\w{3} \d{4}-/);
    expect(stdout).toMatch(/Last working day of each month\n/);
  });

  it('updates a report schedule, reactivates a signup link, creates a session', async () => {
    const report = await pay('reports update-schedule sch_1001_daily --status active');
    expect(report.stdout).toMatch(/^status +active$/m);
    const link = await pay('merchants associate 1001');
    expect([link.code, link.stdout]).toEqual([0, expect.stringContaining('14 days')]);
    const session = await pay(
      'checkout-sessions create --merchant-id 1001 --order-id 7 --amount 12.34 --split-fee 501:1:0.30',
    );
    expect([session.code, /^\S+\n$/.test(session.stdout)]).toEqual([0, true]);
  });

  it('reports what an endpoint answered to a test, also when it answered no', async () => {
    await using endpoint = await startServer((response) => answerJson(response, {}, 418));
    const created = await pay(`webhooks create ${endpoint.url}/hooks --print-key --json`);
    const { webhook_id } = JSON.parse(created.stdout) as { webhook_id: string };
    const failed = await pay(`webhooks test ${webhook_id} --fail`);
    expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining('418')]);
    expect((await pay(`webhooks test ${webhook_id} --fail --json`)).code).toBe(1);
    const { code, stdout } = await pay(`webhooks test ${webhook_id}`);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^status_code +418$/m)]);
  });
});

describe('an amount of 68.00', () => {
  const ROWS = '[{"id":"a","amount":68.00},{"id":"b","amount":5.5}]';
  const PAGE = `{"data":{"transactions":${ROWS}},"pagination":{"hasMore":false}}`;

  it.each([
    ['transactions list --columns id,amount', 'id  amount\na    68.00\nb     5.5\n'],
    ['transactions list --json', '"amount": 68.00'],
    ['transactions list --all --json', '{"id":"a","amount":68.00}\n'],
    ['transactions list --csv --columns id,amount', '"a",68.00\r\n'],
    ['transactions export -o - --format csv --columns id,amount', '"a",68.00\r\n'],
    ['transactions export -o - --format ndjson', '{"id":"a","amount":68.00}\n'],
    ['analytics harbour-lane', 'volume  68.00\n\nby shop\nquay  68.00  █'],
    ['analytics harbour-lane --json', '"volume": 68.00'],
    ['reports update-schedule s --status active', 'fee         68.00\n'],
    ['checkout-sessions create --merchant-id 1 --order-id 2 --json', '"fee": 68.00'],
  ])('is the same in the output of %s', async (line, expected) => {
    await using server = await startServer((response, { url }) => {
      if (url.includes('transactions')) response.end(PAGE);
      else if (url.includes('analytics')) {
        response.end('{"data":{"volume":68.00,"by shop":{"quay":68.00}}}');
      } else response.end('{"session_id":"s","fee":68.00}');
    });
    const { code, stdout } = await pay(line, { env: { PAY_PARTNER_BASE_URL: server.url } });
    expect([code, stdout]).toEqual([0, expect.stringContaining(expected)]);
  });
});

describe('transactions list --csv', () => {
  it('has one header for all pages, and each row once', async () => {
    const { code, stdout } = await pay('transactions list --csv --all --limit 7 --columns id');
    const [header, ...lines] = stdout.trimEnd().split('\r\n');
    expect([code, header, new Set(lines).size, lines.length]).toEqual([0, '"id"', 30, 30]);
    expect(stdout.match(/"id"/g)).toHaveLength(1);
  });

  it('is not given with --json', async () => {
    const { code, stderr } = await pay('transactions list --csv --json');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--csv or --json')]);
  });
});

describe('--body -', () => {
  it.each([
    ['transfers list 1001', '{"request_id":"r"}', '{"request_id":"r"}'],
    [
      'checkout-sessions create --amount 2.00',
      '{"merchant_id":1,"order_id":2,"Amount":"1.00"}',
      '{"merchant_id":1,"order_id":2,"Amount":"2.00"}',
    ],
  ])('sends what %s reads from stdin, below the options', async (line, stdin, body) => {
    await using server = await startServer((response, { method }) =>
      answerJson(response, method === 'GET' ? [] : { session_id: 's' }),
    );
    const env = { PAY_PARTNER_BASE_URL: server.url };
    expect((await pay(`${line} --body -`, { env, stdin })).code).toBe(0);
    expect(server.requests.map((request) => request.body)).toEqual([body]);
  });
});

describe('a row that an offset repeats', () => {
  it.each(['list --all --columns id', 'export -o - --format csv --columns id'])(
    'is left out and noted by transactions %s',
    async (line) => {
      await using server = await startServer((response, { body }) => {
        const isFirst = !body.includes('c1');
        const transactions = (isFirst ? ['a', 'b'] : ['b', 'c']).map((id) => ({ id }));
        const pagination = isFirst ? { hasMore: true, nextCursor: 'c1' } : { hasMore: false };
        answerJson(response, { data: { transactions }, pagination });
      });
      const env = { PAY_PARTNER_BASE_URL: server.url };
      const { stdout, stderr } = await pay(`transactions ${line}`, { env });
      expect(stdout.match(/\b[abc]\b/g)).toEqual(['a', 'b', 'c']);
      expect(stderr).toContain('1 row came twice');
    },
  );
});

describe('a custom range of analytics', () => {
  it('has at most 90 days, counted in the same way by the client and the sandbox', async () => {
    const line = 'analytics harbour-lane --from-date 2026-01-01 --to-date';
    expect((await pay(`${line} 2026-03-31`)).code).toBe(0);
    expect((await pay(`${line} 2026-04-01`)).code).toBe(2);
    const { analytics } = clientOf(sandbox.url, { apiKey: CANARY, analyticsDays: 'difference' });
    const days = { timeframe: 'custom', from_date: '2026-01-01', to_date: '2026-04-01' };
    const tooMany = analytics.partner({ partner_name: 'harbour-lane', ...days });
    expect(await failureOf(tooMany)).toMatchObject({ status: 400 });
  });
});

describe('--timeout and --retries', () => {
  it.each([
    'transactions list',
    'webhooks test wh_1',
    'checkout-sessions create --merchant-id 1 --order-id 2',
  ])('limit the whole call of %s', async (line) => {
    await using server = await startServer(() => undefined);
    const env = { PAY_PARTNER_BASE_URL: server.url };
    const { stderr } = await pay(`${line} --timeout 0.2`, { env });
    expect(stderr).toContain('within the 0.2 s of the call');
  });

  it.each([0, 1])('allow %i repetitions', async (retries) => {
    await using server = await startServer((response) => answerJson(response, {}, 503));
    const env = { PAY_PARTNER_BASE_URL: server.url };
    await pay(`transactions list --retries ${retries}`, { env });
    expect(server.requests).toHaveLength(retries + 1);
  });
});

describe('plain http to another machine', () => {
  it.each([
    ['sandbox', 'Warning: the key travels unencrypted to h.example'],
    ['production', '--base-url must start with https:// in production'],
  ])('in the environment %s: %s', async (environment, words) => {
    const line = `transactions list --limit 0 --base-url http://h.example --environment ${environment}`;
    const env = { PAY_PARTNER_MERCHANTS_BASE_URL: '' };
    const { code, stderr } = await pay(line, { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});

describe('drift', () => {
  it.each([
    ['transactions list', 'transactions-list'],
    ['transactions list --all --json', 'transactions-list'],
    ['analytics harbour-lane', 'partner-analytics'],
    ['doctor', 'transactions-list'],
  ])('is noted in one line by %s', async (line, operation) => {
    await sandbox.control('/faults', { operation, fault: 'unknown-field' });
    const { code, stderr } = await pay(line);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^Drift: [1-9]\d* fields .*\n$/m)]);
    expect((await pay(line)).stderr).not.toContain('Drift');
  });
});

describe('exit codes', () => {
  it.each([
    ['1, when the provider refuses', 'analytics unknown --timeframe weekly', 1],
    ['2, for an option that cannot be right', 'transactions list --limit 0', 2],
    ['2, for an unknown option', 'transactions list --bogus', 2],
    ['2, for an unknown command', 'transaction', 2],
    ['2, without a command', 'transactions', 2],
    ['2, for more than 90 days', 'analytics x --from-date 2026-01-01 --to-date 2026-06-01', 2],
    ['0, for help', 'transactions export --help', 0],
  ])('%s', async (_title, line, expected) => {
    expect((await pay(line)).code).toBe(expected);
  });

  it('3, when it is unknown whether a session exists', async () => {
    await sandbox.control('/faults', { operation: 'create-session', fault: 'drop-after-commit' });
    const { code, stderr } = await pay('checkout-sessions create --merchant-id 1001 --order-id 8');
    // The sandbox wants an amount first: without one it refuses, and the fault waits.
    expect([code, stderr]).toEqual([1, expect.stringContaining('did nothing')]);
    const lost = await pay(
      'checkout-sessions create --merchant-id 1001 --order-id 8 --amount 1.00',
    );
    expect(lost.code).toBe(3);
    expect(lost.stderr).toContain('A session may exist');
  });

  it('4, when nothing was sent', async () => {
    const env = { PAY_PARTNER_BASE_URL: await findDeadUrl() };
    const { code, stderr } = await pay('transactions list --retries 0', { env });
    expect([code, stderr]).toEqual([4, expect.stringContaining('Nothing was sent.')]);
  });

  it.each([
    ['transactions list', 4, 'It only reads. You may repeat it.'],
    ['analytics harbour-lane', 4, 'It only reads. You may repeat it.'],
    ['reports update-schedule s1 --status active', 4, 'You may repeat it: the result is the same.'],
    ['checkout-sessions create --merchant-id 1 --order-id 2', 3, 'Do not repeat it blindly.'],
    ['transfers list 1001 --body -', 3, 'Do not repeat it blindly.'],
  ])('%s without an answer: %i', async (line, code, words) => {
    await using server = await startServer((response) => response.destroy());
    const env = { PAY_PARTNER_BASE_URL: server.url };
    const result = await pay(`${line} --retries 0`, { env, stdin: '{}' });
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(words)]);
    expect(result.stderr).not.toContain('not known');
  });

  it('6, when a file cannot be read', async () => {
    const { code, stderr } = await pay('transactions list --api-key-file ./no-such-file');
    expect([code, stderr]).toEqual([6, expect.stringContaining('ENOENT')]);
  });

  it('reports an error as JSON on stderr for scripts, with nothing on stdout', async () => {
    const { stdout, stderr } = await pay('analytics unknown --timeframe weekly --json');
    expect(stdout).toBe('');
    const { error } = JSON.parse(stderr) as { error: object };
    expect(error).toMatchObject({ name: 'UnknownPartnerError', outcome: 'refused', exitCode: 1 });
  });
});

describe('a refusal', () => {
  const KEY = 'The key came from PAY_PARTNER_API_KEY. Set another one with PAY_PARTNER_API_KEY';

  it.each([
    ['transactions list', 401, KEY],
    ['analytics harbour-lane', 401, KEY],
    ['transfers list 1001', 401, '--transfers-api-key-file'],
    ['transactions list', 404, 'The address in use is http://127.0.0.1:'],
    ['merchants associate 1001', 404, 'The address in use is http://127.0.0.1:'],
    ['transactions list', 403, undefined],
    ['analytics harbour-lane', 400, undefined],
    ['analytics harbour-lane', 403, 'Is partner_name spelled'],
  ])('of %s with %i says what to check', async (line, status, words) => {
    await using server = await startServer((response) =>
      answerJson(response, { message: 'Account blocked' }, status),
    );
    const merchants = `${server.url}/merchants`;
    const env = { PAY_PARTNER_BASE_URL: server.url, PAY_PARTNER_MERCHANTS_BASE_URL: merchants };
    const { code, stderr } = await pay(line, { env });
    expect([code, stderr]).toEqual([1, expect.stringContaining('The provider says: Account')]);
    for (const other of [KEY, '--transfers-api-key-file', 'The address in use', 'partner_name']) {
      expect([other, stderr.includes(other)]).toEqual([other, words?.includes(other) ?? false]);
    }
    expect(stderr).toContain(words ?? '');
    expect(stderr.includes('--merchants-base-url')).toBe(
      line.startsWith('merchants') && status === 404,
    );
    const json = JSON.parse((await pay(`${line} --json`, { env })).stderr) as { error: object };
    expect(json.error).toMatchObject({ providerMessage: 'Account blocked' });
  });

  it.each([
    ['--api-key-file', '--api-key-file -', {}],
    ['--api-key', `--api-key ${CANARY}`, {}],
    ['the profile', '--profile kept', {}],
    ['apiKeyFile of the profile', '--profile filed', {}],
  ])('of a key says that it came from %s', async (from, options) => {
    await using folder = await makeFolder();
    await using server = await startServer((response) => answerJson(response, {}, 401));
    await writeFile(folder.at('k'), CANARY);
    const profiles = { kept: { apiKey: CANARY }, filed: { apiKeyFile: folder.at('k') } };
    await writeFile(folder.at('c.json'), JSON.stringify({ profiles }), { mode: 0o600 });
    const env = { PAY_PARTNER_BASE_URL: server.url, PAY_PARTNER_API_KEY: '' };
    const line = `transactions list ${options} --config ${folder.at('c.json')}`;
    const { stderr } = await pay(line, { env, stdin: CANARY });
    expect(stderr).toContain(`The key came from ${from}. `);
  });
});

describe('with --json', () => {
  it.each([
    ['an option that cannot be right', 'transactions list --limit x --json', '--limit'],
    ['an unknown option', 'transactions list --json --bogus=secret', '--bogus'],
    ['an unknown command', 'transaction --json', 'transaction'],
    ['a command that is missing', 'transactions --json', '--help'],
  ])('%s is reported as one JSON line, too', async (_title, line, named) => {
    const { code, stdout, stderr } = await pay(line);
    const { error } = JSON.parse(stderr) as { error: { message: string } };
    expect([code, stdout, error]).toMatchObject([2, '', { name: 'UsageError', exitCode: 2 }]);
    expect(error.message).toContain(named);
    expect(error.message).not.toContain('secret');
  });

  it('an interruption is reported as one JSON line, too', async () => {
    const signal = AbortSignal.abort();
    const { code, stderr } = await pay('transactions list --json', { signal });
    expect([code, JSON.parse(stderr)]).toMatchObject([130, { error: { exitCode: 130 } }]);
  });
});

describe('what cannot be right', () => {
  it.each([
    ['transactions list --limit 0', '--limit must'],
    ['transactions export -o - --format csv --page-size 0', '--page-size must'],
    ['transactions list --from-date 2026-02-30', '--from-date must be a day that exists'],
    ['transactions list --timeout 99999999', '--timeout must'],
    ['checkout-sessions create --merchant-id 1 --order-id 2 --amount 1e3', '--amount must'],
    ['checkout-sessions create --merchant-id 1', '--order-id is missing'],
    ['analytics x --timeframe custom --to-date 2026-01-01', '--from-date'],
    ['reports update-schedule s1', '--status or another field must be given'],
  ])('%s is named as it was typed', async (line, named) => {
    const { code, stdout, stderr } = await pay(line);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(named)]);
  });

  it.each(['constructor', '__proto__'])(
    'no profile is called %s unless the file has it',
    async (name) => {
      const { code, stderr } = await pay(`transactions list --profile ${name}`);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`no profile ${name}`)]);
      const shown = await pay(`profiles show ${name}`);
      expect([shown.code, shown.stderr]).toEqual([2, expect.stringContaining('no profile')]);
    },
  );

  it.each([
    'transactions list --columns id,amout',
    'transactions list --columns toString',
    'transactions list --csv --columns amout',
    'transactions export -o - --format csv --columns constructor',
  ])('a column that does not exist is an error: %s', async (line) => {
    const { code, stdout, stderr } = await pay(line);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/--columns: a transaction has no field \w+; there are id, source,/);
  });

  it('a column may be a field that only the rows have, and extra in CSV', async () => {
    await using server = await startServer((response) =>
      answerJson(response, pageOf({ id: 'a', colour: 'red' })),
    );
    const env = { PAY_PARTNER_BASE_URL: server.url };
    const table = await pay('transactions list --columns id,colour', { env });
    expect(table.stdout).toBe('id  colour\na   red\n');
    for (const line of ['list --csv', 'list --csv --all', 'export -o - --format csv']) {
      const { stdout } = await pay(`transactions ${line} --columns id,extra`, { env });
      expect(stdout).toBe('"id","extra"\r\n"a","{""colour"":""red""}"\r\n');
    }
  });

  it.each(['webhooks bogus --help', 'transactions bogus', 'help bogus', 'help webhooks bogus'])(
    'an unknown command is an error, help or not: %s',
    async (line) => {
      const { code, stdout, stderr } = await pay(line);
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining("command 'bogus'")]);
    },
  );
});

describe('--web', () => {
  it('names the page of the console with the same filters, and asks the provider nothing', async () => {
    const line = 'transactions list --web --from-date 2026-03-01 --status SUCCESS --limit 5';
    const env = { PAY_PARTNER_CONSOLE_URL: 'https://partner.example', PAY_PARTNER_BASE_URL: '' };
    const { code, stdout } = await pay(line, { env });
    expect([code, stdout]).toEqual([
      0,
      'https://partner.example/transactions?fromDate=2026-03-01&status=SUCCESS\n',
    ]);
  });

  it.each(['', 'partner.example', 'javascript:alert(1)'])(
    'needs the address of a console: %j is none',
    async (console) => {
      const env = { PAY_PARTNER_CONSOLE_URL: console };
      const { code, stderr } = await pay('transactions list --web', { env });
      expect([code, stderr]).toEqual([2, expect.stringContaining('PAY_PARTNER_CONSOLE_URL')]);
    },
  );
});

describe('fields of JSON', () => {
  it('are those of --columns, with every digit, of a page and of all', async () => {
    await using server = await startServer((response) => {
      response.setHeader('content-type', 'application/json');
      response.end(
        '{"success":true,"data":{"transactions":[{"id":"a","amount":12345678901234567.89,"status":"x"}]},"pagination":{"hasMore":false}}',
      );
    });
    const env = { PAY_PARTNER_BASE_URL: server.url };
    const all = await pay('transactions list --all --json --columns id,amount', { env });
    expect(all.stdout).toBe('{"id":"a","amount":12345678901234567.89}\n');
    const page = await pay('transactions list --json --columns amount', { env });
    expect(page.stdout.replaceAll(/\s/g, '')).toContain(
      '"transactions":[{"amount":12345678901234567.89}]',
    );
  });
});

describe('on a terminal', () => {
  it.each([60, 80, 100])(
    'a table of transactions fits %i columns, with ids as they are, and times with their zone',
    async (columns) => {
      const { stdout } = await pay('transactions list --limit 20', { columns });
      const lines = stdout.trimEnd().split('\n');
      const leftOut = lines.pop();
      expect([lines.length, lines.every((line) => line.length <= columns)]).toEqual([21, true]);
      expect(leftOut).toMatch(/^Too wide, left out: \w/);
      const { data } = JSON.parse((await pay('transactions list --limit 20 --json')).stdout) as {
        data: { transactions: { id: string; transactionTime: string }[] };
      };
      const seconds = (text = ''): number => Math.floor(new Date(text).getTime() / 1000);
      for (const [at, { id, transactionTime }] of data.transactions.entries()) {
        expect(lines[at + 1]).toContain(id);
        const [, shown] = /^(\S+ \S+ \S+) {2}/.exec(lines[at + 1] ?? '') ?? [];
        expect(seconds(shown)).toBe(seconds(transactionTime));
      }
    },
  );

  it('a pause that the provider asked for is shown, but not with --quiet', async () => {
    await using server = await startServer((response, _, number) => {
      if (number % 2 === 1) response.writeHead(429, { 'Retry-After': '0.2' }).end();
      else answerJson(response, pageOf({ id: 'a' }));
    });
    const env = { PAY_PARTNER_BASE_URL: server.url };
    const { code, stderr } = await pay('transactions list', { env });
    const words = '[transactions.list] 429: the next attempt is in 0.2 s, as the provider asked\n';
    expect([code, stderr]).toEqual([0, words]);
    expect((await pay('transactions list --quiet', { env })).stderr).toBe('');
  });
});

describe('help and completion', () => {
  it('of a command shows its own options, and where the others are', async () => {
    const { stdout } = await pay('transactions list --help');
    expect(stdout).toContain('--columns');
    expect(stdout).not.toContain('--merchants-base-url');
    expect(stdout).toContain('Options of every command: pay-partner --help');
    expect((await pay('--help')).stdout).toContain('--merchants-base-url');
  });

  it.each([
    [['tra'], ['transactions', 'transfers']],
    [
      ['transactions', ''],
      ['list', 'export'],
    ],
    [['--profile', 'x', 'webhooks', 'te'], ['test']],
    [['transactions', 'list', '--col'], ['--columns']],
    [['transactions', 'list', '--base'], ['--base-url']],
    [
      ['transactions', 'export', '--formulas', ''],
      ['guard', 'keep'],
    ],
    [['transactions', 'list', '--from-date', ''], []],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['compl'], ['completion']],
  ])('completes %j', async (words, expected) => {
    const { code, stdout } = await run(['complete', '--', ...words]);
    expect([code, stdout.split('\n').filter(Boolean)]).toEqual([0, expected]);
  });

  it.each(['bash', 'zsh', 'fish'])('has a script for %s', async (shell) => {
    const { code, stdout } = await run(['completion', shell]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('pay-partner complete -- ')]);
  });

  const quote = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

  /** Each shell, what it lacks without a terminal, and how it is asked for completions. */
  it.for<[string, string, (words: readonly string[]) => string]>([
    [
      'bash',
      '',
      (words) => `COMP_WORDS=(${quote(words)}); COMP_CWORD=${words.length - 1}; _pay_partner
        printf '%s\\n' "\${COMPREPLY[@]:-files}"`,
    ],
    [
      'zsh',
      'compdef() {}; compadd() { shift; print -l -- $@ }; _files() { print files }',
      (words) => `words=(${quote(words)}); CURRENT=${words.length}; _pay_partner`,
    ],
    ['fish', '', (words) => `complete -C '${words.join(' ')}'`],
  ])(
    'completes in a real %s, with files where no word fits',
    async ([shell, before, ask], { skip }) => {
      skip(spawnSync(shell, ['-c', 'true']).status !== 0, `there is no ${shell}`);
      await using folder = await makeFolder();
      const cwd = folder.at('.');
      const bin = fileURLToPath(new URL('../../dist/cli/bin.js', import.meta.url));
      const command = `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`;
      await writeFile(folder.at('pay-partner'), command, { mode: 0o755 });
      await writeFile(folder.at('files'), '');
      const { stdout: script } = await run(['completion', shell]);
      const complete = async (...words: string[]): Promise<string[]> => {
        await writeFile(
          folder.at('s'),
          [before, script, ask(['pay-partner', ...words])].join('\n'),
        );
        const env = { HOME: cwd, PATH: `${cwd}:${process.env['PATH'] ?? ''}` };
        const { stdout } = await promisify(execFile)(shell, ['s'], { cwd, env });
        return stdout.trim().split(/\s+/).sort();
      };
      expect(await complete('transactions', 'ex')).toEqual(['export']);
      expect(await complete('transactions', '')).toEqual(['export', 'list']);
      expect(await complete('transactions', 'export', '--output', 'fi')).toEqual(['files']);
    },
  );
});

describe('Ctrl-C', () => {
  it('ends a run that waits for a key on stdin', async () => {
    const stopping = new AbortController();
    const waiting = pay('transactions list --api-key-file -', {
      openStdin: true,
      signal: stopping.signal,
    });
    stopping.abort();
    expect(await waiting).toMatchObject({ code: 130, stderr: 'Stopped.\n' });
  });

  it.each(['doctor', 'conformance'])(
    'ends %s as an interruption, between its checks',
    async (command) => {
      const stopping = new AbortController();
      await using server = await startServer((response) => {
        stopping.abort();
        answerJson(response, pageOf());
      });
      const env = { PAY_PARTNER_BASE_URL: server.url };
      const { code, stderr } = await pay(command, { env, signal: stopping.signal });
      expect([code, stderr]).toEqual([130, 'Stopped.\n']);
    },
  );
});

describe('the key', () => {
  it('comes from stdin, and from an argument only with a warning', async () => {
    const env = { PAY_PARTNER_API_KEY: '' };
    const piped = await pay('transactions list --api-key-file -', { env, stdin: `${CANARY}\n` });
    expect(piped.code).toBe(0);
    const argument = await pay(`transactions list --api-key ${CANARY}`, { env });
    expect([argument.code, argument.stderr]).toEqual([
      0,
      expect.stringContaining('Warning: --api'),
    ]);
    const none = await pay('transactions list', { env });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('PAY_PARTNER_API_KEY')]);
  });

  it('is not shown by a provider that sends it back, with everything shown that can be', async () => {
    await using echo = await startServer((response, { headers }) => {
      const key = String(headers['api_key']);
      response.writeHead(400, { 'x-request-id': key }).end(JSON.stringify({ message: key }));
    });
    const env = { PAY_PARTNER_BASE_URL: echo.url };
    const text = await pay('transactions list --verbose --show-body', { env });
    expect(text.stderr).toContain('"message":"[secret]"');
    await pay('transactions list --verbose --show-body --json', { env });
    await using page = await startServer((response, { headers }) =>
      answerJson(response, pageOf({ id: headers['api_key'] })),
    );
    const row = await pay('transactions list', { env: { PAY_PARTNER_BASE_URL: page.url } });
    expect(row.stdout).toContain('[secret]');
  });

  it('is not shown by a mistyped option, by doctor or by conformance', async () => {
    await pay(`transactions list --api-keyy=${CANARY}`);
    await pay('doctor --verbose');
    await pay('doctor --json');
    await pay('conformance --partner-name harbour-lane --verbose');
  });

  it('was in nothing that any command of this file said', () => {
    expect(said.length).toBeGreaterThan(50);
    expect(said.filter((text) => text.includes(CANARY))).toEqual([]);
  });
});

describe('text of others on a terminal', () => {
  it('cannot move the cursor, fake a line or turn the direction', async () => {
    const name = 'a\u001b[2J\nb\u202ec';
    await using server = await startServer((response) =>
      answerJson(response, pageOf({ id: name, merchantName: name })),
    );
    const env = { PAY_PARTNER_BASE_URL: server.url };
    const { stdout } = await pay('transactions list --columns id,merchantName', { env });
    expect(stdout.split('\n')[1]).toBe('a�[2J�b�c  a�[2J�b�c');
  });

  it.each([
    ['transactions list --json', 0],
    ['transactions list --all --json', 0],
    ['transactions export -o - --format ndjson', 80],
    ['transactions export -o - --format csv', 80],
    ['transactions list --columns id,colour', 80],
    ['analytics harbour-lane', 80],
    ['reports update-schedule s --status active', 80],
    ['transfers list 1001', 0],
    ['checkout-sessions create --merchant-id 1 --order-id 2', 0],
  ])('holds no C0, C1, DEL or bidi mark in the output of %s', async (line, columns) => {
    const text = 'a\u001b[2J\u009b2Jb\u007fc\u202ed\u2066e\re\u0085f';
    const row = { id: text, colour: text, [text]: text, status: text };
    await using server = await startServer((response, { url }) => {
      if (url.includes('transactions')) return answerJson(response, pageOf(row));
      if (url.includes('schedule-transfer')) return answerJson(response, [row]);
      return answerJson(response, { data: row, session_id: text, ...row });
    });
    const env = { PAY_PARTNER_BASE_URL: server.url };
    const terminal = columns === 0 ? {} : { columns };
    const { code, stdout, stderr } = await pay(line, { env, ...terminal });
    expect([code, stdout.includes('a')]).toEqual([0, true]);
    // Ours: the line of progress, and line ends.
    const ours = ['\r\u001b[K', '\r\n', '\n'];
    const others = ours.reduce((text, own) => text.replaceAll(own, ''), stdout + stderr);
    expect(others).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    if (line.endsWith('list --json')) {
      expect(JSON.parse(stdout)).toMatchObject({ data: { transactions: [row] } });
    }
  });

  it('is exported as it came where no terminal reads it', async () => {
    await using server = await startServer((response) =>
      answerJson(response, pageOf({ id: 'a\u009bb\u202e' })),
    );
    const env = { PAY_PARTNER_BASE_URL: server.url };
    const line = 'transactions export -o - --format csv --columns id';
    expect((await pay(line, { env })).stdout).toBe('"id"\r\n"a\u009bb\u202e"\r\n');
  });

  it('is plain in the cursor of the next page too, which is shown only if there is one', async () => {
    let hasMore = true;
    await using server = await startServer((response) =>
      answerJson(response, {
        data: { transactions: [{ id: 'a' }] },
        pagination: { hasMore, nextCursor: 'c\u001b[2J' },
      }),
    );
    const env = { PAY_PARTNER_BASE_URL: server.url };
    const more = await pay('transactions list', { env });
    expect(more.stderr).toBe("There is more: --cursor 'c�[2J', or --all.\n");
    hasMore = false;
    expect((await pay('transactions list', { env })).stderr).toBe('');
  });
});

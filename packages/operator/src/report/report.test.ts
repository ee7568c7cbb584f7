import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runReport } from '../cli/report-command.js';
import {
  askAsPage,
  OPERATOR_KEY,
  signIn,
} from '../../../session-server/src/testing/page-browser.js';
import { TestStack } from '../../../session-server/src/testing/test-stack.js';
import type { ReportView } from './report-view.js';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start({ env: { PAY_OPERATOR_PORT: '0' } });
  // Early in the day before, so that it does not end while the tests move the clock on, and is never behind
  // that of the command, which has the system's.
  stack.advance((Date.parse(`${today()}T00:05:00Z`) - stack.clock.now()) / 1000 - 86_400);
});
afterAll(() => stack.close());
afterEach(() => {
  process.exitCode = 0;
});

const today = () => new Date(stack.clock.now()).toISOString().slice(0, 10);

/** Of `GET /operator/report`, each time another question. */
let asked = 0;
async function report(more = ''): Promise<ReportView> {
  // A view of the same question may be five minutes old.
  stack.clock.advance(asked === 0 ? 0 : 301);
  asked += 1;
  const answer = await stack.askOperator<ReportView>(`/operator/report?day=${today()}${more}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

interface PaidEvent {
  readonly type: string;
  readonly data: { readonly order: string; readonly transaction: string };
}

/** The list fails in the meantime, for everyone. */
async function whileListFails<T>(
  work: () => Promise<T>,
  kind: { fault: 'missing-cursor' | 'error'; status?: number } = { fault: 'error', status: 400 },
): Promise<T> {
  const { control } = stack.sandbox;
  control.addFault({ operation: 'transactions-list', ...kind, times: 1000 });
  try {
    return await work();
  } finally {
    control.releaseFaults();
  }
}

async function pay(order: string, amount: string): Promise<string> {
  const { body } = await stack.open(order, { amount });
  await stack.payAtProvider(body.sessionId ?? '');
  await stack.fetch(stack.returnPath(body.sessionId ?? '', 'RedirectUrl'));
  await stack.until(body.checkout, 'paid');
  const events = () => stack.shop.events.map((event) => JSON.parse(event.body) as PaidEvent);
  const find = () =>
    events().find(({ type, data }) => type.endsWith('paid') && data.order === order);
  await expect.poll(find).toBeDefined();
  return find()?.data.transaction ?? '';
}

function addStranger(id: string, row: Readonly<Record<string, unknown>> = {}): void {
  const transactionTime = new Date(stack.clock.now()).toISOString();
  stack.sandbox.control.addTransaction({
    row: {
      ...{ id, merchantId: 1001, currencyCode: 'GBP', amount: '1.10', status: 'SUCCESS' },
      ...{ orderRef: 'elsewhere', service_fee: '0.07', transactionTime, ...row },
    },
  });
}

describe('the report of a day', () => {
  it('has what is matched, what is unknown to us and what the provider does not list', async () => {
    await pay('R1', '10.00');
    const hidden = await pay('R2', '20.00');
    addStranger('stranger-1');
    addStranger('stranger-2', { amount: '0.05' });
    stack.sandbox.control.hideTransaction(hidden, 3600);
    const { isComplete, problems, totals, matched, unknown, missing } = await report();
    expect([isComplete, problems]).toEqual([true, []]);
    expect(matched).toMatchObject([{ merchant: 'teashop', order: 'R1', amount: '10.00' }]);
    expect(unknown.map(({ transaction, order }) => [transaction, order])).toEqual([
      ['stranger-2', ''],
      ['stranger-1', ''],
    ]);
    expect(missing).toMatchObject([{ transaction: hidden, order: 'R2', amount: '20.00' }]);
    const fee = matched[0]?.serviceFee ?? '';
    expect(totals).toEqual([
      {
        merchant: 'teashop',
        currency: 'GBP',
        matched: { count: 1, amount: '10.00' },
        unknown: { count: 2, amount: '1.15' },
        missing: { count: 1, amount: '20.00' },
        refunded: '0.00',
        fees: (Number(fee) + 0.14).toFixed(2),
        splits: [
          { partnerMerchantId: 501, typeId: 1, amount: '0.25' },
          { partnerMerchantId: 502, typeId: 2, amount: '0.30' },
        ],
      },
    ]);
  });

  it('says that it is incomplete, and that nothing is missing, when the list is', async () => {
    const failed = await whileListFails(() => report());
    expect(failed.isComplete).toBe(false);
    expect(failed.problems).toEqual([expect.stringMatching(/^default: /)]);
    expect(failed.missing).toEqual([]);
    // Not kept: it is read again at once.
    const again = await stack.askOperator<ReportView>(`/operator/report?day=${today()}`);
    expect(again.body.isComplete).toBe(true);
  });

  it('reads on when the provider asks for a pause', async () => {
    const fault = { operation: 'transactions-list', fault: 'error', status: 429 } as const;
    stack.sandbox.control.addFault({ ...fault, retryAfterSeconds: 1 });
    expect((await report()).isComplete).toBe(true);
  });

  it('counts each row once where the list is cut off and read by days, and says so', async () => {
    for (let row = 0; row < 150; row += 1) addStranger(`many-${String(row)}`, { amount: '0.01' });
    const cut = await whileListFails(() => report(), { fault: 'missing-cursor' });
    expect(cut.isComplete).toBe(false);
    expect(cut.problems).toEqual(['default: the provider cut its list off']);
    // The newest page came again with each of the days before.
    const ids = cut.unknown.map(({ transaction }) => transaction);
    expect(cut.totals[0]?.unknown.count).toBe(new Set(ids).size);
    expect(ids.length).toBeLessThan(152);
    expect(cut.missing).toEqual([]);
    expect((await report()).totals[0]?.unknown).toEqual({ count: 152, amount: '2.65' });
  });

  it('is of the day in UTC, to the millisecond', async () => {
    const midnight = Date.parse(`${today()}T00:00:00.000Z`);
    const before = (await report()).totals[0]?.unknown.count ?? 0;
    addStranger('first', { transactionTime: new Date(midnight).toISOString() });
    addStranger('yesterday', { transactionTime: new Date(midnight - 1).toISOString() });
    expect((await report()).totals[0]?.unknown.count).toBe(before + 1);
    const yesterday = new Date(midnight - 1).toISOString().slice(0, 10);
    const { body } = await stack.askOperator<ReportView>(`/operator/report?day=${yesterday}`);
    expect(body.unknown.map(({ transaction }) => transaction)).toEqual(['yesterday']);
  });

  it.each(['2026-02-30', 'yesterday', '2999-01-01', ''])('refuses the day %j', async (day) => {
    const answer = await stack.askOperator(`/operator/report?day=${day}`);
    expect(answer.status).toBe(400);
  });

  it('refuses a merchant that is not there', async () => {
    const answer = await stack.askOperator(`/operator/report?day=${today()}&merchant=unknown`);
    expect(answer.status).toBe(404);
  });
});

describe('the report on the operator’s page', () => {
  it('is for a person who has signed in', async () => {
    const keyed = await TestStack.start({
      env: { PAY_OPERATOR_PORT: '0', PAY_OPERATOR_KEY: OPERATOR_KEY },
    });
    const cookie = await signIn(keyed);
    for (const path of ['report', 'report.csv']) {
      const address = `/page/${path}?day=${today()}`;
      expect((await askAsPage(keyed, address)).status).toBe(401);
      expect((await askAsPage(keyed, address, { headers: { cookie } })).status).toBe(200);
      expect((await keyed.askOperator(`/operator/${path}?day=${today()}`)).status).toBe(401);
    }
    await keyed.close();
  });
});

describe('the CSV of a report', () => {
  it('has every transaction, says that it is whole, and runs no formula', async () => {
    addStranger('=HYPERLINK("x")', { status: '+1', currencyCode: '@SUM' });
    const { text, headers } = await stack.askOperator(`/operator/report.csv?day=${today()}`);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toContain(`report-${today()}.csv`);
    const lines = text.split('\r\n');
    expect(lines[0]).toMatch(/^"kind","merchant","account","transaction",/);
    expect(lines.at(-2)).toMatch(/^"complete",/);
    expect(lines.filter((line) => line.startsWith('"unknown"'))).toHaveLength(154);
    expect(text).toContain('"\'=HYPERLINK(""x"")"');
    expect(text).toContain('"\'+1"');
    expect(text).toContain('"\'@SUM"');
    expect(text).not.toMatch(/[,"][=+@-]/);
  });

  it('ends with what was wrong when the day could not be read', async () => {
    const path = `/operator/report.csv?day=${today()}`;
    const { text } = await whileListFails(() => stack.askOperator(path));
    expect(text.split('\r\n').at(-2)).toMatch(/^"incomplete",.*"default: /);
  });
});

describe('pay-session-server report', () => {
  const run = (...words: string[]) => runReport(stack.config, words);

  it('prints totals and what needs a person, and writes all of it to a file', async () => {
    const csv = join(stack.folder, 'report.csv');
    const lines = await run('--day', today(), '--merchant', 'teashop', '--csv', csv);
    expect(lines[0]).toMatch(/: complete, \d+ pages read$/);
    expect(lines).toContain('teashop, GBP');
    expect(lines.some((line) => /^ {2}missing {8}1 {2}20\.00 GBP$/.test(line))).toBe(true);
    // First: there are more unknown ones than are printed.
    const rows = lines.filter((line) => /^(missing|unknown) /.test(line));
    expect(rows[0]).toMatch(/^missing .* R2 /);
    expect(rows).toHaveLength(101);
    expect(lines).toContain('and more: --csv writes all of them');
    expect(process.exitCode ?? 0).toBe(0);
    expect(readFileSync(csv, 'utf8')).toContain('"complete"');
    await expect(run('--day', today(), '--csv', csv)).rejects.toThrow('EEXIST');
  });

  it('has the exit code 1 when the day could not be read', async () => {
    const [first] = await whileListFails(() => run('--day', today()));
    expect(first).toContain('INCOMPLETE');
    expect(process.exitCode).toBe(1);
  });

  it.each([[[]], [['2026-03-01']], [['--day']], [['--day', '2026-03-01', '--all']]])(
    'refuses words that it does not know: %j',
    async (words) => {
      await expect(run(...words)).rejects.toThrow(/^expected: report --day/);
    },
  );
});

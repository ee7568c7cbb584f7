import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createSandbox } from '@pay-checkout/sandbox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MerchantOrder } from '../contract.js';
import { createLogger } from '../logger.js';
import { runRestore } from './restore-command.js';
import { TestStack } from '../testing/test-stack.js';

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const HOUR = 3600;

let stack: TestStack;
beforeEach(async () => {
  stack = await TestStack.start();
});
afterEach(() => stack.close());

const dataFile = () => join(stack.folder, 'data.sqlite');
const backupFile = () => join(stack.folder, 'copy.sqlite');

/** What an operator does every few hours, while the server runs. */
async function backUp(): Promise<void> {
  const source = new DatabaseSync(dataFile(), { readOnly: true });
  await backup(source, backupFile());
  source.close();
}

const restore = (...words: string[]) =>
  runRestore(stack.config, words.length === 0 ? [backupFile()] : words, { clock: stack.clock });

async function orderOf(order: string): Promise<MerchantOrder> {
  const { body } = await stack.fetch<MerchantOrder>(`/v1/merchant/orders/${order}`, {
    headers: { authorization: `Bearer ${stack.merchantKey}` },
  });
  return body;
}

async function opened(order: string, amount = '9.99') {
  const { body } = await stack.open(order, { amount });
  return { checkout: body.checkout, sessionId: body.sessionId ?? '' };
}

/** Opens an order and pays it, as far as the event. */
async function paid(order: string) {
  const session = await opened(order);
  await stack.payAtProvider(session.sessionId);
  await stack.post(stack.webhookPath(session.sessionId), {});
  await stack.until(session.checkout, 'paid');
  return session;
}

/** The events that a shop accepts that keeps the highest sequence of each checkout. */
function accepted() {
  const highest = new Map<string, number>();
  return stack.shop.events.filter(({ data }) => {
    const checkout = String(data['checkout']);
    const sequence = Number(data['sequence']);
    if (sequence <= (highest.get(checkout) ?? 0)) return false;
    highest.set(checkout, sequence);
    return true;
  });
}

describe('after a backup of some hours ago was put back', () => {
  it('an order that was opened and paid since is paid, and opens no second session', async () => {
    await opened('BEFORE');
    await backUp();
    stack.advance(HOUR);
    const lost = await opened('LOST');
    await stack.payAtProvider(lost.sessionId);
    stack.advance(HOUR);
    await stack.server.close();
    expect(await restore()).toContain('Payments found for lost checkouts: 1');
    await stack.startServer();
    const sessions = stack.createSessionCalls();
    const again = await stack.reopen('LOST');
    expect(again.body).toMatchObject({ state: 'paid', amount: '9.99' });
    expect(again.body.sessionId).toBeUndefined();
    expect(stack.createSessionCalls()).toBe(sessions);
    const event = await stack.shop.event('checkout.paid');
    expect(event.data).toMatchObject({ order: 'LOST', state: 'paid', certain: true });
    expect((await orderOf('LOST')).checkouts).toMatchObject([{ attention: [] }]);
  });

  it('a lost session that is paid later is noticed, also when the order was paid again', async () => {
    await opened('BEFORE');
    await backUp();
    stack.advance(HOUR);
    const lost = await opened('TWICE');
    stack.advance(HOUR);
    await stack.server.close();
    await restore();
    await stack.startServer();
    const second = await paid('TWICE');
    expect(second.sessionId).not.toBe(lost.sessionId);
    await stack.payAtProvider(lost.sessionId);
    // Any poll finds it: another order of the merchant causes one.
    await paid('OTHER');
    await expect
      .poll(async () => (await orderOf('TWICE')).checkouts[0]?.attention)
      .toEqual(['paid_twice']);
    const attention = await stack.shop.event('checkout.attention');
    expect(attention.data).toMatchObject({ order: 'TWICE', attention: ['paid_twice'] });
  });

  it('what was paid in the lost time of a checkout that is known is paid, without a false alarm', async () => {
    const { sessionId, checkout } = await opened('KNOWN');
    await backUp();
    stack.advance(2 * HOUR);
    await stack.payAtProvider(sessionId);
    await stack.server.close();
    await restore();
    await stack.startServer();
    await stack.until(checkout, 'paid');
    expect((await orderOf('KNOWN')).checkouts[0]?.attention).toEqual([]);
  });

  it('what was paid at another account is found in the list of that account', async () => {
    const apiKey = 'key-of-the-north';
    const merchants = [{ id: 1001, name: 'Test Merchant', currency: 'GBP' }];
    await using closing = new AsyncDisposableStack();
    const north = closing.adopt(createSandbox({ apiKey, merchants }), (one) => one.close());
    const { url: apiUrl } = await north.listen();
    await stack.server.close();
    stack.changeMerchantsFile(({ merchants: [tea] }) => ({
      accounts: { north: { apiUrl, apiKey } },
      merchants: [{ ...tea, account: 'north' }],
    }));
    await stack.startServer();
    await opened('BEFORE');
    await backUp();
    stack.advance(HOUR);
    await opened('LOST');
    await opened('UNKNOWN');
    const [lost, unknown] = ['LOST', 'UNKNOWN'].map((order) => {
      const session = north.control
        .sessions()
        .find(({ MerchantReference: name }) => name?.startsWith(order));
      return session?.MerchantReference ?? '';
    });
    const row = { merchantId: 1001, currencyCode: 'GBP', amount: '9.99', status: 'SUCCESS' };
    for (const orderRef of [lost, unknown]) {
      north.control.addTransaction({
        row: {
          ...row,
          orderRef: orderRef ?? '',
          transactionTime: new Date(stack.clock.now()).toISOString(),
        },
      });
    }
    stack.shop.orders.delete('UNKNOWN');
    await stack.server.close();
    const lines = await restore();
    expect(lines).toContain('Payments found for lost checkouts: 1');
    expect(lines.join('\n')).toContain(`of ${String(unknown)} at 1001 of account north: no order`);
    await stack.startServer();
    expect((await stack.reopen('LOST')).body).toMatchObject({ state: 'paid' });
  });

  it.each<[string, string[], (number | undefined)[]]>([
    ['the list of an account is read for all of its merchants', [], [undefined]],
    ['so are their own, where its rows name no merchant', ['merchantId'], [undefined, 1001, 1002]],
  ])('%s', async (_what, omittedTransactionFields, lists) => {
    const apiKey = 'key-of-the-north';
    const merchants = [1001, 1002].map((id) => ({ id, name: 'Test', currency: 'GBP' }));
    await using closing = new AsyncDisposableStack();
    const north = createSandbox({ apiKey, merchants, omittedTransactionFields });
    closing.defer(() => north.close());
    const { url: apiUrl } = await north.listen();
    await stack.server.close();
    const book = { providerMerchantId: 1002, apiKeyHash: [`sha256:${'1'.repeat(64)}`] };
    stack.changeMerchantsFile(({ merchants: [tea] }) => ({
      accounts: { north: { apiUrl, apiKey } },
      merchants: [
        { ...tea, account: 'north' },
        { ...tea, account: 'north', id: 'bookshop', ...book },
      ],
    }));
    await stack.startServer();
    await opened('BEFORE');
    await backUp();
    stack.advance(HOUR);
    await opened('LOST');
    await stack.server.close();
    const session = north.control.sessions().at(-1);
    north.control.addTransaction({
      row: {
        ...{ merchantId: 1001, currencyCode: 'GBP', amount: '9.99', status: 'SUCCESS' },
        orderRef: session?.MerchantReference ?? '',
        transactionTime: new Date(stack.clock.now()).toISOString(),
      },
    });
    const before = north.control.requests().length;
    expect(await restore()).toContain('Payments found for lost checkouts: 1');
    const requests = north.control.requests().slice(before);
    expect(requests.map(({ merchantId }) => merchantId)).toEqual(lists);
  });

  it('the shop accepts new events, though it saw higher sequences than the backup knew', async () => {
    const { sessionId, checkout } = await opened('NEWS');
    await backUp();
    await stack.fetch(stack.returnPath(sessionId, 'CancelUrl'));
    await stack.shop.event('checkout.cancelled');
    await stack.server.close();
    await restore();
    await stack.startServer();
    await stack.payAtProvider(sessionId);
    await stack.post(stack.webhookPath(sessionId), {});
    await stack.until(checkout, 'paid');
    await stack.shop.event('checkout.paid');
    expect(accepted().map(({ type }) => type)).toEqual(['checkout.cancelled', 'checkout.paid']);
  });

  it('no order_id is given out twice, however many were in the lost time', async () => {
    await opened('BEFORE');
    await backUp();
    const given: number[] = [];
    for (let count = 0; count < 20; count += 1) {
      given.push(stack.session((await opened(`L${String(count)}`)).sessionId).order_id);
    }
    await stack.server.close();
    await restore();
    for (let start = 0; start < 2; start += 1) {
      await stack.startServer();
      const { sessionId } = await opened(`N${String(start)}`);
      expect(stack.session(sessionId).order_id).toBeGreaterThan(Math.max(...given));
      if (start === 0) await stack.server.close();
    }
  });

  it('addresses of lost attempts are not known: no webhook is acknowledged that was not kept', async () => {
    await backUp();
    const { sessionId, checkout } = await opened('GONE');
    await stack.server.close();
    await restore();
    await stack.startServer();
    expect((await stack.post(stack.webhookPath(sessionId), {})).status).toBe(404);
    expect((await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'))).status).toBe(404);
    expect((await stack.fetch(`/v1/checkouts?id=${checkout}:0`)).status).toBe(404);
  });

  it('a payment whose order no shop knows is named, for a person to check', async () => {
    await backUp();
    const { sessionId } = await opened('STRANGE');
    await stack.payAtProvider(sessionId);
    stack.shop.orders.clear();
    await stack.server.close();
    const { MerchantReference: reference = '' } = stack.session(sessionId);
    const lines = (await restore()).join('\n');
    expect(lines).toContain(`of ${reference} at 1001: no order was found`);
    expect(lines).toContain('found for lost checkouts: 0');
    await stack.startServer();
  });
});

describe('putting a backup back', () => {
  it('keeps the old file, with its log, and lets none of it into the backup', async () => {
    await opened('BEFORE');
    await backUp();
    await opened('AFTER');
    // As a kill leaves it: what came last is in the log only.
    const crashed = ['', '-wal'].map((part) => {
      copyFileSync(dataFile() + part, `${dataFile()}.crashed${part}`);
      return part;
    });
    await stack.server.close();
    for (const part of crashed) copyFileSync(`${dataFile()}.crashed${part}`, dataFile() + part);
    await restore();
    const kept = readdirSync(stack.folder).filter((name) => name.includes('.replaced-'));
    expect(kept.map((name) => name.replace(/\d{8}T\d{9}Z/, 'time')).toSorted()).toEqual([
      'data.sqlite.replaced-time',
      'data.sqlite.replaced-time-wal',
    ]);
    const old = new DatabaseSync(join(stack.folder, kept.toSorted()[0] ?? ''));
    const orders = old.prepare('SELECT order_name FROM checkouts ORDER BY order_name').all();
    old.close();
    expect(orders.map((row) => row['order_name'])).toEqual(['AFTER', 'BEFORE']);
    expect(statSync(dataFile()).mode & 0o777).toBe(0o600);
    await stack.startServer();
    expect((await orderOf('BEFORE')).state).toBe('open');
    expect((await orderOf('AFTER')).state).toBeUndefined();
  });

  it('replaces a damaged file, which it keeps with its log, and a missing one', async () => {
    await opened('BEFORE');
    await backUp();
    await stack.server.close();
    writeFileSync(dataFile(), 'x'.repeat(100_000));
    writeFileSync(`${dataFile()}-wal`, 'y'.repeat(1000));
    await restore();
    const kept = readdirSync(stack.folder).filter((name) => name.includes('.replaced-'));
    const log = kept.find((name) => name.endsWith('-wal')) ?? 'none';
    expect(readFileSync(join(stack.folder, log), 'utf8')).toBe('y'.repeat(1000));
    rmSync(dataFile());
    await restore();
    await stack.startServer();
    expect((await orderOf('BEFORE')).state).toBe('open');
  });

  it('is refused while a server runs, and with a backup that is damaged; nothing is changed', async () => {
    await opened('BEFORE');
    await backUp();
    await expect(restore()).rejects.toThrow('another process has this data file open');
    const broken = join(stack.folder, 'broken.sqlite');
    copyFileSync(backupFile(), broken);
    const bytes = new Uint8Array(4096).fill(7);
    const file = new DatabaseSync(backupFile(), { readOnly: true });
    const { page_count: pages } = file.prepare('PRAGMA page_count').get() ?? {};
    file.close();
    const { openSync, writeSync, closeSync } = await import('node:fs');
    const descriptor = openSync(broken, 'r+');
    for (let page = 2; page < Number(pages); page += 1) {
      writeSync(descriptor, bytes, 0, bytes.length, page * 4096);
    }
    closeSync(descriptor);
    await stack.server.close();
    await expect(restore(broken)).rejects.toThrow(
      /broken\.sqlite: this is not a backup, or a damaged one/,
    );
    await expect(restore(join(stack.folder, 'none'))).rejects.toThrow('there is no such backup');
    expect(readdirSync(stack.folder).filter((name) => /replaced|restoring/.test(name))).toEqual([]);
    await stack.startServer();
    expect((await orderOf('BEFORE')).state).toBe('open');
  });

  it('lets no server start before the provider’s lists were read to their end', async () => {
    await opened('BEFORE');
    await backUp();
    const { sessionId } = await opened('LOST');
    await stack.payAtProvider(sessionId);
    await stack.server.close();
    stack.sandbox.control.addFault({
      operation: 'transactions-list',
      fault: 'error',
      status: 400,
      times: 1,
    });
    await expect(restore()).rejects.toThrow('Run "pay-session-server restore" again');
    await expect(stack.startServer()).rejects.toThrow(
      'finish it first: pay-session-server restore',
    );
    expect(await runRestore(stack.config, [], { clock: stack.clock })).toContain(
      'Payments found for lost checkouts: 1',
    );
    await stack.startServer();
    expect((await stack.reopen('LOST')).body.state).toBe('paid');
  });

  it('is not finished by a list that is cut off', async () => {
    await opened('BEFORE');
    await backUp();
    const { sessionId } = await opened('LOST');
    await stack.payAtProvider(sessionId);
    await stack.server.close();
    const operation = 'transactions-list';
    // For each day that is requested in turn.
    stack.sandbox.control.addFault({ operation, fault: 'missing-cursor', times: 3 });
    await expect(restore()).rejects.toThrow('could not be read to the end');
    expect((await runRestore(stack.config, [], { clock: stack.clock })).at(-1)).toBe(
      'You can start the server now.',
    );
    await stack.startServer();
    expect((await stack.reopen('LOST')).body.state).toBe('paid');
  });

  it('gives up days that cannot be read where it is asked to, and names them', async () => {
    await opened('BEFORE');
    await backUp();
    const { sessionId } = await opened('LOST');
    await stack.payAtProvider(sessionId);
    await stack.server.close();
    const fault = { operation: 'transactions-list', fault: 'error', status: 400 } as const;
    const { control } = stack.sandbox;
    control.addFault({ ...fault, times: 1000 });
    await expect(restore()).rejects.toThrow('--accept-unread-days');
    // A provider that answers nothing at all is no reason to give up anything.
    const finish = () => runRestore(stack.config, ['--accept-unread-days'], { clock: stack.clock });
    await expect(finish()).rejects.toThrow('could not be read to the end');
    control.releaseFaults();
    // Three tries at the days until tomorrow, and three at those until today.
    control.addFault({ ...fault, times: 6 });
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [PROGRAM, 'restore', '--accept-unread-days'],
      { env: { ...stack.env, PAY_LOG_LEVEL: 'warn' } },
    );
    const today = new Date(stack.clock.now()).toISOString().slice(0, 10);
    expect(stdout).toContain(
      `"days":["${today}"],"msg":"a restore was finished without these days"`,
    );
    expect(stdout.match(/^Not read: .*/gm)).toEqual([
      expect.stringContaining(`Not read: ${today} (UTC).`),
    ]);
    expect(stdout).toContain('Payments found for lost checkouts: 0');
    await stack.startServer();
    await expect.poll(async () => (await orderOf('LOST')).state).toBe('paid');
  });

  it('by hand is logged once, and no other start is', async () => {
    const said: string[] = [];
    const logger = createLogger('silent');
    logger.error = (...[fields, message]: unknown[]) => {
      said.push(`${String(message)}: ${String((fields as { reference?: string }).reference)}`);
    };
    const other = await TestStack.start({ logger });
    try {
      const file = join(other.folder, 'data.sqlite');
      await other.open('BEFORE', { amount: '9.99' });
      const source = new DatabaseSync(file, { readOnly: true });
      await backup(source, backupFile());
      source.close();
      other.advance(HOUR);
      const pay = async (order: string) => {
        const { body } = await other.open(order, { amount: '9.99' });
        await other.payAtProvider(body.sessionId ?? '');
        await other.post(other.webhookPath(body.sessionId ?? ''), {});
        await other.until(body.checkout, 'paid');
        return other.session(body.sessionId ?? '').MerchantReference ?? '';
      };
      const lost = await pay('LOST');
      await pay('LOST-2');
      other.advance(HOUR);
      await other.server.close();
      await other.startServer();
      await pay('FINE');
      expect(said).toEqual([]);
      await other.server.close();
      for (const part of ['', '-wal', '-shm']) rmSync(file + part, { force: true });
      copyFileSync(backupFile(), file);
      // In the same second, the lost ids would be given out again.
      other.advance(HOUR);
      await other.startServer();
      await pay('NEXT');
      expect(said).toHaveLength(1);
      expect(said[0]).toMatch(/^the provider knows an attempt that this data file does not: /);
      expect(lost).toMatch(/^LOST\./);
    } finally {
      await other.close();
    }
  });

  it('by hand can be made up for after the server has run since', async () => {
    await opened('BEFORE');
    await backUp();
    const since = new Date(stack.clock.now()).toISOString();
    stack.advance(HOUR);
    const lost = await opened('LOST');
    await stack.payAtProvider(lost.sessionId);
    stack.advance(HOUR);
    await stack.server.close();
    for (const part of ['', '-wal', '-shm']) rmSync(dataFile() + part, { force: true });
    copyFileSync(backupFile(), dataFile());
    await stack.startServer();
    await paid('LOST');
    await stack.server.close();
    expect(await restore('--since', since)).toContain('Payments found for lost checkouts: 1');
    await stack.startServer();
    expect((await orderOf('LOST')).checkouts[0]?.attention).toEqual(['paid_twice']);
  });

  it('is refused with arguments that are not clear', async () => {
    await stack.server.close();
    for (const words of [['--since', 'yesterday'], ['--since'], ['a', 'b'], ['--all']]) {
      await expect(restore(...words)).rejects.toThrow('expected: restore <backup file>');
    }
    expect(await runRestore(stack.config, [])).toEqual(['There is no restore to finish.']);
    expect(existsSync(backupFile())).toBe(false);
    await stack.startServer();
  });
});

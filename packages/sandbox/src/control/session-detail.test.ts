import { describe, expect, it } from 'vitest';
import { startReceiver, startSandbox, type TestSandbox } from '../testing/test-sandbox.js';
import type { TimelineEvent } from './timeline.js';

const DECLINED = '9000000000000019';

async function read(test: TestSandbox, path: string) {
  return (await test.send('GET', `/_sandbox/${path}`)).body;
}

/** What happened, in short. */
function inShort(event: TimelineEvent): unknown[] {
  if (event.kind === 'action') return [event.action.action, event.action.outcome];
  if (event.kind === 'delivery') return ['webhook', event.delivery.status];
  return [event.kind === 'request' ? event.request.operation : event.kind];
}

describe('a session as the page shows it', () => {
  it('has every field that was sent, and who gets what', async () => {
    const test = await startSandbox();
    const split = (value: number, type: string) => ({
      partner_merchant_id: 501,
      type_id: 1,
      value,
      value_type: type,
    });
    const fields = { email: 'robin@example.test', AvsHouseNumber: '7A', Amount: '9.99' };
    const SplitFee = [split(2.5, 'percent'), split(0.3, 'amount')];
    const session = await test.openSession({ ...fields, SplitFee });
    expect(await read(test, `sessions/${session}`)).toMatchObject({
      state: 'open',
      request: { ...fields, SplitFee },
      split: { items: [{ share: '0.24' }, { share: '0.30' }], total: '0.54', rest: '9.45' },
    });
    await test.post(`/_sandbox/sessions/${session}/pay`, {});
    const [row] = (await test.list()).data.transactions;
    expect(row).toMatchObject({ net: 9.45, deductions: 0.54 });
    expect((await test.send('GET', '/_sandbox/sessions/none')).status).toBe(404);
  });

  it('tells what happened, from the creation to the refund', async () => {
    const test = await startSandbox();
    const receiver = await startReceiver();
    const session = await test.openSession({ WebhookUrl: receiver.url });
    await test.openSession({ order_id: 72 });
    await test.pay(session, DECLINED);
    await test.post(`/_sandbox/sessions/${session}/pay`, { scenario: 'approved' });
    await receiver.whenReceived(1);
    const [row] = (await test.list()).data.transactions;
    await test.post(`/_sandbox/transactions/${String(row?.['id'])}/refund`, { amount: '2.34' });
    const timeline = async () =>
      ((await read(test, `sessions/${session}`))['timeline'] as TimelineEvent[]).map(inShort);
    await expect
      .poll(timeline)
      .toEqual(
        expect.arrayContaining([
          ['create-session'],
          ['payments', 'declined'],
          ['pay', 'approved'],
          ['transaction'],
          ['webhook', 200],
          ['refund', 'SUCCESS'],
        ]),
      );
    expect((await timeline())[0]).toEqual(['create-session']);
    expect(JSON.stringify(await read(test, `sessions/${session}`))).not.toContain(DECLINED);
  });
});

describe('a session that was paid twice', () => {
  it('shows both transactions, and a refund of the second', async () => {
    const test = await startSandbox();
    const session = await test.openSession();
    await test.post(`/_sandbox/sessions/${session}/pay`, { scenario: 'paid-twice' });
    const ids = await test.listIds();
    const { transactionIds } = await read(test, `sessions/${session}`);
    expect(new Set(transactionIds as string[])).toEqual(new Set(ids));
    expect(ids).toHaveLength(2);
    const [, second] = transactionIds as string[];
    await test.post(`/_sandbox/transactions/${String(second)}/refund`, {});
    const timeline = (await read(test, `sessions/${session}`))['timeline'] as TimelineEvent[];
    const paid = timeline.flatMap((event) => (event.kind === 'transaction' ? [event.id] : []));
    expect(paid).toEqual(transactionIds);
    expect(timeline.map(inShort)).toContainEqual(['refund', 'REFUNDED']);
  });
});

describe('a session without a shop', () => {
  it('is created as the API would, and refused as the API would', async () => {
    const test = await startSandbox();
    const fields = { merchant_id: 1003, order_id: 7, Amount: '1500' };
    const { status, body } = await test.post('/_sandbox/sessions', fields);
    expect([status, body]).toMatchObject([201, { state: 'open', currency: 'JPY', order_id: 7 }]);
    expect(test.sandbox.control.requests()).toEqual([]);
    const refused = await test.post('/_sandbox/sessions', { ...fields, Amount: '15.5' });
    expect([refused.status, refused.body['errors']]).toMatchObject([400, [{ field: 'Amount' }]]);
    expect((await test.post('/_sandbox/sessions', undefined)).status).toBe(400);
  });
});

describe('the list of sessions', () => {
  it('is searched and read page by page', async () => {
    const test = await startSandbox();
    for (let order = 1; order <= 5; order += 1) await test.openSession({ order_id: order });
    const orders = async (query: string) =>
      ((await read(test, `sessions${query}`))['sessions'] as { order_id: number }[]).map(
        (session) => session.order_id,
      );
    expect(await orders('')).toEqual([1, 2, 3, 4, 5]);
    expect(await orders('?limit=2')).toEqual([4, 5]);
    expect(await orders('?limit=2&skip=2')).toEqual([2, 3]);
    expect(await orders('?limit=2&skip=4')).toEqual([1]);
    expect(await orders('?search="ORDER_ID":3')).toEqual([3]);
    expect(await read(test, 'sessions?state=paid')).toMatchObject({ total: 0 });
    expect(await read(test, 'sessions?state=open')).toMatchObject({ total: 5 });
  });
});

describe('the list of all transactions', () => {
  interface Listed {
    readonly transactions: { readonly row: Record<string, string>; readonly isListed: boolean }[];
    readonly next?: string;
    readonly total: number;
  }
  const list = async (test: TestSandbox, query = '') =>
    (await read(test, `transactions/list${query}`)) as unknown as Listed;

  it('goes through the history and what arrived, hidden ones included, each once', async () => {
    const test = await startSandbox({ history: { count: 120 } });
    await test.post('/_sandbox/transactions', {
      row: { id: 'late', amount: '7.10' },
      visibleInSeconds: 60,
    });
    const first = await list(test);
    expect(first.transactions[0]).toMatchObject({
      row: { id: 'late', amount: '7.10' },
      isListed: false,
    });
    const second = await list(test, `?cursor=${first.next}`);
    const third = await list(test, `?cursor=${second.next}`);
    const ids = [first, second, third].flatMap(({ transactions }) =>
      transactions.map(({ row }) => row['id']),
    );
    expect([ids.length, new Set(ids).size, third.next, third.total]).toEqual([
      121,
      121,
      undefined,
      121,
    ]);
  });

  it('finds a whole id at once, and a text by going on where it stopped', async () => {
    const test = await startSandbox({ history: { count: 25_000 } });
    const all = await list(test, '?limit=1');
    const id = all.transactions[0]?.row['id'] ?? '';
    expect((await list(test, `?search=${id}`)).transactions).toMatchObject([{ row: { id } }]);
    // The oldest row: the reference holds its number.
    let page = await list(test, '?search=A124999.');
    let reads = 1;
    for (; page.next !== undefined && page.transactions.length === 0; reads += 1) {
      page = await list(test, `?search=A124999.&cursor=${page.next}`);
    }
    expect([page.transactions.length, reads]).toEqual([1, 3]);
    const refunded = await list(test, '?status=REFUNDED&merchantId=1003');
    const traits = refunded.transactions.map(({ row }) => [row['status'], row['merchantId']]);
    expect(new Set(traits.map(String))).toEqual(new Set(['REFUNDED,1003']));
  });

  it('shows one with its session, and does not count a row of the history as changed', async () => {
    const test = await startSandbox({ history: { count: 3 } });
    const session = await test.openSession();
    await test.post(`/_sandbox/sessions/${session}/pay`, {});
    const [paid, past] = (await list(test)).transactions.map(({ row }) => row['id'] ?? '');
    expect(await read(test, `transactions/${paid}`)).toMatchObject({
      sessionId: session,
      isListed: true,
    });
    expect(await read(test, `transactions/${past}`)).toMatchObject({ row: { id: past } });
    expect(test.sandbox.control.transactions()).toHaveLength(1);
    expect((await test.send('GET', '/_sandbox/transactions/none')).status).toBe(404);
  });
});

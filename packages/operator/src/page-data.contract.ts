import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runErase } from '../../session-server/src/cli/order-commands.js';
import { askAsPage, OPERATOR_KEY, signIn } from '../../session-server/src/testing/page-browser.js';
import { PRICE, type PuttingShop } from '../../session-server/src/testing/putting-shop.js';
import type {
  AuditView,
  HealthView,
  OrderListView,
  OrderView,
  PageOf,
  Queue,
  QueueView,
  SearchView,
} from './page-view.js';
import { describeEntry } from './timeline-words.js';

export interface PageUnderTest {
  readonly shop: PuttingShop;
  /** Changes rows as time would. */
  execute(statement: string): Promise<unknown>;
  remove(): Promise<void>;
}

/** What the operator's page shows and does, on every store. */
export function describeOperatorPage(name: string, start: () => Promise<PageUnderTest>): void {
  describe(`the operator’s page over ${name}`, () => {
    let shop: PuttingShop;
    let underTest: PageUnderTest;
    let cookie: string;
    beforeEach(async () => {
      underTest = await start();
      ({ shop } = underTest);
      cookie = await signIn(shop.stack);
    });
    afterEach(() => underTest.remove());

    const read = async <T>(path: string) =>
      (await askAsPage<T>(shop.stack, `/page/${path}`, { headers: { cookie } })).body;
    const send = (path: string, body: object = {}) =>
      askAsPage<object>(shop.stack, `/page/${path}`, {
        ...{ method: 'POST', body },
        headers: { cookie },
      });
    const search = async (q: string) => (await send('search', { q })).body as unknown as SearchView;
    const order = (id: string) => read<OrderView>(`orders/teashop/${id}`);
    const queue = (id: Queue, cursor?: string) =>
      read<QueueView>(`queues/${id}${cursor ? `?cursor=${cursor}` : ''}`);
    const audit = async () => (await read<PageOf<AuditView>>('audit')).items;
    /** What happened, oldest first, without ids. */
    const story = async (id: string) =>
      (await order(id)).entries
        .toReversed()
        .map((entry) =>
          describeEntry(entry).replace(
            /\b[\da-f]{8}-[\da-f-]{27}\b|\b(msg_|txn_)[\w-]+|\b\d{6,}\b|A\d+\.\d+/g,
            '…',
          ),
        );
    const hint = (checkout: string, kind: string, sessionId?: string) =>
      shop.stack.post(`/v1/checkouts/${checkout}/hints`, { kind, sessionId });

    /** An order that was cancelled, and paid in spite of it: a person has to look. */
    const payLate = async (id: string) => {
      const { checkout, sessionId } = await shop.putAndOpen(id);
      await shop.stack.fetch(shop.stack.returnPath(sessionId ?? '', 'CancelUrl'));
      await shop.stack.payAtProvider(sessionId ?? '');
      await hint(checkout, 'shown');
      // Past the pause after the poll for the way back.
      shop.stack.advance(120);
      await shop.stack.until(checkout, 'paid');
      return { checkout, sessionId: sessionId ?? '' };
    };

    it('tells the story of an order, step by step', async () => {
      const { checkout, sessionId } = await shop.putAndOpen('A1');
      await hint(checkout, 'shown');
      await hint(checkout, 'shown');
      await shop.stack.post(shop.stack.webhookPath(sessionId ?? ''), { note: 'a webhook' });
      // In this order: a poll for the hint may find the payment at once.
      await shop.stack.fetch(shop.stack.returnPath(sessionId ?? '', 'RedirectUrl'));
      await shop.stack.payAtProvider(sessionId ?? '');
      await shop.stack.until(checkout, 'paid');
      await expect
        .poll(() => story('A1'))
        .toContain('Event checkout.paid, try 1: answer 204, acknowledged');
      await expect
        .poll(() => story('A1'))
        .toContain('Webhook of the provider, processed: order_id …');
      const lines = await story('A1');
      const expected = [
        'Checkout created for 9.99 GBP, request …',
        'Session requested: order_id …, reference …',
        'Session created: order_id …',
        'Hint of the page: the form is shown',
        'Shopper came back from paying: order_id …',
        'Checkout: open → returned',
        'Checkout: returned → paid',
        'Event checkout.paid stored: …',
        'Event checkout.paid, try 1: answer 204, acknowledged',
      ];
      expect(lines.filter((line) => expected.includes(line)).toSorted()).toEqual(
        expected.toSorted(),
      );
      expect(lines.join('\n')).toMatch(/^Transaction … SUCCESS 9\.99 GBP counts$/m);
      expect(lines.join('\n')).toMatch(
        /^Transaction stored: … SUCCESS 9\.99 GBP of .*proves the price$/m,
      );
      expect(lines[0]).toBe(expected[0]);
    });

    it('names the request that created a checkout, as its answer, its log and its events do', async () => {
      const put = (await shop.put('A1')).body;
      const { headers, body } = await shop.open(put);
      const requestId = headers.get('x-request-id') ?? 'none';
      expect(body.requestId).toBe(requestId);
      const { checkouts, entries } = await order('A1');
      expect(checkouts.map((checkout) => checkout.requestId)).toEqual([requestId]);
      expect(entries.map(describeEntry)).toContainEqual(
        `Checkout created for 9.99 GBP, request ${requestId}`,
      );
    });

    it('names the request that asked for another session', async () => {
      const put = (await shop.put('A1')).body;
      const { sessionId } = (await shop.open(put)).body;
      const renewed = await shop.open(put, { renew: sessionId });
      const requestId = renewed.headers.get('x-request-id') ?? 'none';
      const words = (await order('A1')).entries.map(describeEntry).join('\n');
      expect(words).toMatch(
        new RegExp(
          `^Session requested: order_id \\d+, reference A1\\.\\d+, request ${requestId}$`,
          'm',
        ),
      );
      expect((await search(requestId)).orders).toMatchObject([{ order: 'A1' }]);
    });

    it('says why a transaction does not count, once however often it is polled', async () => {
      const { checkout, sessionId } = await shop.putAndOpen('A1');
      const { MerchantReference: orderRef } = shop.stack.session(sessionId ?? '');
      const row = { orderRef, merchantId: 1001, currencyCode: 'GBP', amount: '9.99' };
      const transactionTime = new Date().toISOString();
      const add = (more: object) =>
        shop.stack.sandbox.control.addTransaction({ row: { ...row, transactionTime, ...more } });
      add({ id: 'txn_pending', status: 'PENDING' });
      add({ id: 'txn_short', status: 'SUCCESS', amount: '1.00' });
      await hint(checkout, 'submitted', sessionId);
      const reasons = async () =>
        (await order('A1')).entries.flatMap(({ kind, ...entry }) =>
          kind === 'match' ? [describeEntry({ kind, ...entry } as never)] : [],
        );
      const expected = [
        'Transaction txn_pending PENDING 9.99 GBP does not count: the status is not in the paid list',
        'Transaction txn_short SUCCESS 1.00 GBP does not count, and needs a person: amount mismatch',
      ];
      await expect.poll(async () => (await reasons()).toSorted()).toEqual(expected);
      const polls = () =>
        shop.stack.sandbox.control
          .requests()
          .filter(({ operation }) => operation !== 'create-session').length;
      for (let times = 0; times < 3; times += 1) {
        const before = polls();
        shop.stack.advance(20);
        await expect.poll(polls).toBeGreaterThan(before);
      }
      expect((await reasons()).toSorted()).toEqual(expected);
    });

    it('tells when the list was polled for an order, and that it could not be read', async () => {
      const { checkout, sessionId } = await shop.putAndOpen('A1');
      shop.stack.sandbox.control.addFault({
        ...{ operation: 'transactions-list', fault: 'error', status: 400, times: 10_000 },
      });
      await hint(checkout, 'submitted', sessionId);
      const polls = async () => (await story('A1')).filter((line) => line.includes('polled'));
      await expect.poll(polls).toEqual(['Provider’s list polled, and it could not be read']);
      shop.stack.sandbox.control.releaseFaults();
      await expect.poll(polls).toEqual(['Provider’s list polled']);
    });

    it('finds an order by its name, its beginning, by what belongs to it, and by what people paste', async () => {
      const { checkout, sessionId } = await shop.putAndOpen('A1001');
      await shop.payIn(sessionId, checkout);
      const { order_id: orderId, MerchantReference: reference } = shop.stack.session(
        sessionId ?? '',
      );
      const { checkouts, events } = await order('A1001');
      const { orderToken } = (await shop.put('A1002')).body;
      const find = async (q: string) =>
        (await search(q)).orders.map((found) => `${found.order} by ${found.by}`);
      expect((await find('A100')).toSorted()).toEqual(['A1001 by order', 'A1002 by order']);
      expect(await find('A1001')).toEqual(['A1001 by order']);
      expect(await find(String(orderId))).toEqual(['A1001 by reference']);
      expect(await find(String(reference))).toEqual(['A1001 by reference']);
      expect(await find(` ${checkout} `)).toEqual(['A1001 by checkout']);
      expect(await find(checkouts[0]?.paidBy ?? '')).toEqual(['A1001 by transaction']);
      expect(await find(events[0]?.id ?? '')).toEqual(['A1001 by event']);
      expect(await find(sessionId ?? '')).toEqual(['A1001 by session']);
      expect(await find(checkouts[0]?.requestId ?? '')).toEqual(['A1001 by request']);
      for (const pasted of [
        checkout.slice(0, 8),
        `Reference: A1001 · ${checkout.slice(0, 8)}`,
        `${checkout.slice(0, 8)} · `,
        `server_failed · ${checkouts[0]?.requestId ?? ''}`,
        '#A1001',
        `https://shop.example/result?order=A1001&checkout=${checkout}`,
        'https://pay.example/operator/orders/teashop/A1001',
        'https://shop.example/orders/A1001/',
      ]) {
        expect([pasted, (await find(pasted)).map((found) => found.split(' ')[0])]).toEqual([
          pasted,
          ['A1001'],
        ]);
      }
      const payLink = `https://pay.example/v1/pay/teashop/${orderToken}?locale=de`;
      expect(await find(payLink)).toEqual(['A1002 by order']);
      for (const nothing of [
        ...['A2', '%', '#', ' · ', `A9.${String(orderId)}`, checkout.slice(0, 7)],
        ...['https://shop.example/%00', 'https://shop.example/%zz?order=%00'],
      ]) {
        expect([nothing, await find(nothing)]).toEqual([nothing, []]);
      }
      expect((await send('search', { q: 'A\0' })).status).toBe(400);
    });

    it('finds an order in any case, by its card, amount, customer and internal reference, and its merchant', async () => {
      const customer = { email: 'Nightjar@Example.test' };
      const put = await shop.put('A1001', { ...PRICE, customer });
      const { checkout, sessionId } = (await shop.open(put.body)).body;
      await shop.payIn(sessionId, checkout);
      const { payment } = await shop.get('A1001');
      await shop.putAndOpen('B1', { amount: '1234.50', currency: 'GBP' });
      const found = async (q: string) =>
        (await search(q)).orders.map(({ order: name, by }) => `${name} by ${by}`);
      const digits = payment?.lastDigits ?? '';
      for (const [q, by] of [
        ['a10', 'order'],
        ['#a1001', 'order'],
        [checkout.slice(0, 8).toUpperCase(), 'checkout'],
        [payment?.internalReference ?? '', 'transaction'],
        [digits, 'card'],
        [`•••• ${digits}`, 'card'],
        [`card ending in ${digits}`, 'card'],
        ['9.99 GBP', 'amount'],
        ['gbp 9,99', 'amount'],
        [' nightjar@EXAMPLE.test ', 'email'],
      ] as const) {
        expect([q, await found(q)]).toEqual([q, [`A1001 by ${by}`]]);
      }
      for (const q of ['1,234.50 GBP', '1.234,50 GBP', "gbp 1'234.5"]) {
        expect([q, await found(q)]).toEqual([q, ['B1 by amount']]);
      }
      for (const q of ['9.99', '9.99 EUR', '9.990 GBP', '9.98 GBP', 'nightjar@example', '4']) {
        expect([q, await found(q)]).toEqual([q, []]);
      }
      expect((await search('TEASH')).merchants).toMatchObject([{ merchant: 'teashop' }]);
    });

    it('finds no one by an e-mail any more once an order is erased, or was put without it', async () => {
      const found = async () =>
        (await search('nightjar@example.test')).orders.map(({ order: name }) => name);
      const customer = { email: 'nightjar@example.test' };
      for (const name of ['A1', 'A2']) await shop.put(name, { ...PRICE, customer });
      expect((await found()).toSorted()).toEqual(['A1', 'A2']);
      await shop.put('A1');
      expect(await found()).toEqual(['A2']);
      expect((await shop.makeVoid('A2')).status).toBe(200);
      await runErase(shop.stack.config, 'A2', 'teashop');
      expect(await found()).toEqual([]);
    });

    it('lists orders of all merchants, and says what they come to', async () => {
      const { checkout } = await payLate('A1');
      shop.stack.clock.advance(1);
      const from = shop.stack.clock.now();
      for (let index = 0; index < 51; index += 1) {
        shop.stack.clock.advance(1);
        await shop.put(`B${String(index)}`);
      }
      const list = (query = '') => read<OrderListView>(`orders${query}`);
      const names = async (query: string) => (await list(query)).items.map((row) => row.order);
      const first = await list();
      expect(first.items.length).toBe(50);
      expect(first.items[0]).toMatchObject({ merchant: 'teashop', order: 'B50', amount: '9.99' });
      expect(first.totals).toEqual({
        states: { open: 51, paid: 1 },
        paid: [{ currency: 'GBP', amount: '9.99', refunded: '0.00' }],
        more: false,
      });
      const rest = await list(`?cursor=${first.next ?? ''}`);
      expect(rest.items.map((row) => row.order)).toEqual(['B0', 'A1']);
      expect([rest.next, rest.totals]).toEqual([undefined, undefined]);
      expect(await names('?state=paid')).toEqual(['A1']);
      expect(await names(`?to=${String(from)}`)).toEqual(['A1']);
      expect(await names('?merchant=bakery')).toEqual([]);
      expect(await names('?merchant=teashop&state=paid')).toEqual(['A1']);
      expect(await names('?attention=open')).toEqual(['A1']);
      expect((await list('?attention=open')).totals?.states).toEqual({ paid: 1 });
      const body = { attention: ['late_payment'], note: 'looked' };
      expect((await send(`checkouts/${checkout}/resolve`, body)).status).toBe(200);
      expect(await names('?attention=open')).toEqual([]);
      const forged = Buffer.from(JSON.stringify([1, 'A\0', 'teashop'])).toString('base64url');
      for (const query of ['merchant=%00', `cursor=${forged}`, 'cursor=x', 'from=x', 'state=x']) {
        const { status } = await askAsPage(shop.stack, `/page/orders?${query}`, {
          headers: { cookie },
        });
        expect([query, status]).toEqual([query, 400]);
      }
      const file = await askAsPage(shop.stack, '/page/orders.csv', { headers: { cookie } });
      const [head, ...lines] = file.text.trimEnd().split('\r\n');
      expect(head).toMatch(/^\W*"merchant","order","state"/);
      expect([lines.length, lines.at(-1)]).toEqual([
        52,
        expect.stringMatching(/^"teashop","A1","paid","true","9.99","GBP"/),
      ]);
    });

    it('says what the orders came to whose rows were removed, and when the history of one was', async () => {
      await shop.put('A1');
      expect(await read<OrderListView>('orders')).not.toHaveProperty('removed');
      await underTest.execute(`
        INSERT INTO removed_orders
          (merchant, month, currency, decimals, paid, unpaid, amount_minor, refunded_minor)
        VALUES ('teashop', '2024-11', 'GBP', 2, 3, 1, 12345, 100),
          ('another', '2024-11', 'GBP', 2, 1, 0, 1, 0)`);
      await underTest.execute(`UPDATE orders SET removed_at = 1700000000000`);
      const ofMonth = { month: '2024-11', currency: 'GBP', paid: 4, unpaid: 1 };
      expect((await read<OrderListView>('orders')).removed).toEqual([
        { ...ofMonth, amount: '123.46', refunded: '1.00' },
      ]);
      expect(await read<OrderListView>('orders?state=open')).not.toHaveProperty('removed');
      expect((await order('A1')).removedAt).toBe(1_700_000_000_000);
    });

    it('has what needs a person in a queue until it is resolved, and again when there is more', async () => {
      const { checkout } = await payLate('A1');
      const [item] = (await queue('attention')).items;
      expect(item).toMatchObject({ order: 'A1', state: 'paid', attention: ['late_payment'] });
      expect((await queue('attention')).counts).toMatchObject({ attention: 1, 'paid-twice': 0 });

      const resolve = (attention: string[], note: string) =>
        send(`checkouts/${checkout}/resolve`, { attention, note });
      expect((await resolve(['late_payment'], ' \n ')).status).toBe(400);
      expect((await resolve([], 'looked')).body.code).toBe('attention_changed');
      expect(await audit()).toEqual([]);
      expect((await resolve(['late_payment'], 'called\u0000the shop')).status).toBe(200);
      expect((await resolve(['late_payment'], 'called the shop')).status).toBe(200);
      expect(await audit()).toEqual([
        expect.objectContaining({
          action: 'resolve',
          order: 'A1',
          target: 'late_payment',
          note: 'called the shop',
        }),
      ]);
      expect((await queue('attention')).items).toEqual([]);
      expect((await queue('attention')).counts.attention).toBe(0);
      expect((await shop.get('A1')).attention).toEqual(['late_payment']);
      expect(await story('A1')).toContainEqual(
        expect.stringMatching(/^key-[0-9a-f]{8} resolved late payment: “called the shop”$/),
      );

      // The same payment again, as a second one.
      const [paid] = shop.stack.sandbox.control.transactions();
      shop.stack.sandbox.control.addTransaction({ row: { ...paid?.row, id: 'txn_second' } });
      await send('orders/teashop/A1/poll');
      await expect.poll(async () => (await queue('paid-twice')).items.length).toBe(1);
      expect((await queue('attention')).items[0]?.attention).toEqual(['paid_twice']);
      expect((await order('A1')).checkouts[0]?.openAttention).toEqual(['paid_twice']);
    });

    it('hands an order to a colleague: in its timeline, in the queues, until it is erased', async () => {
      await payLate('A1');
      await payLate('A2');
      const note = (body: object) => send('orders/teashop/A1/note', body);
      expect((await note({ note: ' ' })).status).toBe(400);
      expect((await note({ note: 'rang the shop' })).status).toBe(200);
      expect((await note({ note: 'please ring back', for: 'bo@shop.example' })).status).toBe(200);
      expect((await send('orders/teashop/A9/note', { note: 'x' })).body.code).toBe(
        'order_not_found',
      );
      const items = (await queue('attention')).items;
      expect(
        items.map(({ order: name, note: noted }) => [name, noted?.note, noted?.target]),
      ).toEqual([
        ['A2', undefined, undefined],
        ['A1', 'please ring back', 'bo@shop.example'],
      ]);
      expect(await story('A1')).toContainEqual(
        expect.stringMatching(/^key-\w{8} noted for bo@shop\.example: “please ring back”$/),
      );
      await runErase(shop.stack.config, 'A1', 'teashop');
      expect(JSON.stringify((await queue('attention')).items)).not.toContain('please ring back');
    });

    it('narrows queues down to a merchant, and the audit trail to who, what, where and when', async () => {
      const { checkout } = await payLate('A1');
      const of = async (merchant: string) =>
        (await read<QueueView>(`queues/attention?merchant=${merchant}`)).items.length;
      expect([await of('teashop'), await of('bakery')]).toEqual([1, 0]);
      for (const name of ['dead-letters', 'unmatched-webhooks']) {
        expect((await read<QueueView>(`queues/${name}?merchant=bakery`)).items).toEqual([]);
      }
      await send('orders/teashop/A1/note', { note: '=1+1' });
      const later = shop.stack.clock.now() + 1;
      shop.stack.clock.advance(60);
      await send(`checkouts/${checkout}/resolve`, { attention: ['late_payment'], note: 'done' });
      const list = async (query: string) =>
        (await read<PageOf<AuditView>>(`audit?${query}`)).items.map(({ action }) => action);
      const [{ actor }] = (await audit()) as [AuditView];
      expect(await list('')).toEqual(['resolve', 'note']);
      expect(await list(`actor=${actor}&merchant=teashop`)).toEqual(['resolve', 'note']);
      expect(await list('action=note')).toEqual(['note']);
      expect(await list(`from=${String(later)}`)).toEqual(['resolve']);
      expect(await list(`to=${String(later)}`)).toEqual(['note']);
      for (const query of ['actor=key', 'merchant=bakery', 'action=void']) {
        expect([query, await list(query)]).toEqual([query, []]);
      }
      const { text } = await askAsPage(shop.stack, '/page/audit.csv', { headers: { cookie } });
      const [head, first, second] = text.trimEnd().split('\r\n');
      expect(head).toMatch(/"at","actor","action","merchant","order","target","note"$/);
      expect(first).toMatch(
        new RegExp(`,"${actor}","resolve","teashop","A1","late payment","done"$`),
      );
      // A spreadsheet does not run it.
      expect(second).toMatch(/,"note","teashop","A1","","'=1\+1"$/);
    });

    it('lists an unconfirmed order, and finds its payment when asked to poll', async () => {
      const { checkout, sessionId } = await shop.putAndOpen('A1');
      await shop.stack.fetch(shop.stack.returnPath(sessionId ?? '', 'RedirectUrl'));
      shop.stack.advance(400);
      await shop.stack.until(checkout, 'unconfirmed');
      expect((await queue('unconfirmed')).items).toMatchObject([
        { order: 'A1', state: 'unconfirmed' },
      ]);
      await shop.stack.payAtProvider(sessionId ?? '');
      expect((await send('orders/teashop/A1/poll')).status).toBe(200);
      await shop.stack.until(checkout, 'paid');
      expect((await queue('unconfirmed')).items).toEqual([]);
      expect(await audit()).toMatchObject([{ action: 'poll', order: 'A1' }]);
      expect((await send('orders/teashop/A9/poll')).status).toBe(404);
    });

    it('delivers a dead letter again, and one that the shop has acknowledged', async () => {
      shop.stack.shop.eventAnswers.push(500);
      const { checkout, sessionId } = await shop.putAndOpen('A1');
      await shop.stack.fetch(shop.stack.returnPath(sessionId ?? '', 'CancelUrl'));
      await expect
        .poll(async () => (await order('A1')).events[0])
        .toMatchObject({ status: 'pending', tries: 1 });
      expect(await story('A1')).toContain(
        'Event checkout.cancelled, try 1: answer 500, to be retried',
      );
      await underTest.execute(
        `UPDATE outbox_events SET status = 'dead_lettered', due_at = NULL WHERE tries = 1 AND status = 'pending'`,
      );
      const [item] = (await queue('dead-letters')).items;
      expect(item).toMatchObject({ order: 'A1', checkout });
      const redeliver = () => send(`events/${item?.id ?? ''}/redeliver`);
      expect((await redeliver()).body).toEqual({ redelivered: true });
      await expect
        .poll(async () => (await order('A1')).events.find(({ id }) => id === item?.id)?.status)
        .toBe('delivered');
      const received = () => shop.stack.shop.events.filter(({ id }) => id === item?.id).length;
      expect(received()).toBe(1);
      expect((await redeliver()).body).toEqual({ redelivered: true });
      await expect.poll(received).toBe(2);
      const tries = async () =>
        (await story('A1')).filter((line) => line.startsWith('Event checkout.cancelled, try'));
      await expect
        .poll(tries)
        .toEqual([
          'Event checkout.cancelled, try 1: answer 500, to be retried',
          'Event checkout.cancelled, try 2: answer 204, acknowledged',
          'Event checkout.cancelled, try 3: answer 204, acknowledged',
        ]);
      expect((await order('A1')).events.find(({ id }) => id === item?.id)?.tries).toBe(3);
      const noted = { action: 'redeliver', target: item?.id };
      expect(await audit()).toMatchObject([noted, noted]);
      expect((await send('events/msg_unknown/redeliver')).status).toBe(404);
    });

    it('notes what programs redeliver, as it does what a person does', async () => {
      await payLate('A1');
      const isDelivered = async () => {
        await expect
          .poll(async () =>
            (await order('A1')).events.every(({ status }) => status === 'delivered'),
          )
          .toBe(true);
      };
      await isDelivered();
      const event = (await order('A1')).events[0]?.id ?? '';
      const redeliver = async (wanted: object) => {
        await underTest.execute(
          `UPDATE outbox_events SET status = 'dead_lettered' WHERE id = '${event}'`,
        );
        const { body } = await shop.stack.askOperator('/operator/events/redeliver', {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${OPERATOR_KEY}` },
          body: JSON.stringify(wanted),
        });
        // Refused, it is as it was.
        if ('redelivered' in (body as object)) await isDelivered();
        return body;
      };
      expect(await redeliver({ ids: [event, 'msg_unknown'] })).toMatchObject({
        code: 'event_not_found',
      });
      expect(await redeliver({ ids: [event, event] })).toEqual({ redelivered: 1 });
      expect(await redeliver({ merchant: 'teashop' })).toEqual({ redelivered: 1 });
      const actor = expect.stringMatching(/^key-[0-9a-f]{8}$/) as string;
      expect(await audit()).toEqual([
        expect.objectContaining({ actor, merchant: 'teashop', target: '1 event' }),
        expect.objectContaining({ actor, merchant: 'teashop', order: 'A1', target: event }),
      ]);
    });

    it('makes an unpaid order void with a note, and never one that is paid', async () => {
      const put = (await shop.put('A1')).body;
      expect(await order('A1')).toMatchObject({ canVoid: true, price: '9.99 GBP' });
      const makeVoid = (id: string, note?: string) => send(`orders/teashop/${id}/void`, { note });
      expect((await makeVoid('A1')).status).toBe(400);
      expect((await makeVoid('A1', 'the customer rang')).status).toBe(200);
      expect((await makeVoid('A1', 'the customer rang')).status).toBe(200);
      expect(await order('A1')).toMatchObject({ state: 'void', canVoid: false });
      expect((await shop.open(put)).body.code).toBe('order_void');
      expect(await audit()).toMatchObject([
        { action: 'void', order: 'A1', note: 'the customer rang' },
      ]);
      await payLate('A2');
      expect((await makeVoid('A2', 'too late')).body.code).toBe('order_already_paid');
      expect((await audit()).length).toBe(1);
    });

    it('shows a long queue page by page, each item once', async () => {
      const ids = Array.from({ length: 60 }, (_, index) => `A${String(index)}`);
      for (const id of ids) {
        const { sessionId } = await shop.putAndOpen(id);
        await shop.stack.fetch(shop.stack.returnPath(sessionId ?? '', 'RedirectUrl'));
      }
      shop.stack.advance(400);
      await expect.poll(async () => (await queue('unconfirmed')).counts.unconfirmed).toBe(60);
      const first = await queue('unconfirmed');
      const second = await queue('unconfirmed', first.next);
      const shown = [...first.items, ...second.items].map((item) => item.order);
      expect(shown).toEqual(ids.toReversed());
      expect([first.items.length, second.next]).toEqual([50, undefined]);
      const wrong = await askAsPage(shop.stack, '/page/queues/unconfirmed?cursor=WyJ4Il0', {
        headers: { cookie },
      });
      expect([wrong.status, wrong.body.code]).toEqual([400, 'unknown_cursor']);
    });

    it('keeps fifty steps of a kind, and none for longer than webhooks', async () => {
      const { checkout } = await shop.putAndOpen('A1');
      for (let times = 0; times < 55; times += 1) {
        await hint(checkout, 'shown');
        shop.stack.advance(11);
      }
      const steps = async (kind: string) =>
        (await order('A1')).entries.filter((entry) => entry.kind === kind).length;
      await expect.poll(async () => [await steps('hint'), await steps('session')]).toEqual([50, 1]);
      shop.stack.advance(31 * 86_400);
      cookie = await signIn(shop.stack);
      await expect.poll(async () => [await steps('hint'), await steps('session')]).toEqual([0, 0]);
      expect(await story('A1')).toContain('Checkout created for 9.99 GBP, request …');
    });

    it('shows nothing of a person of an erased order, nor what was noted about it', async () => {
      await shop.put('A1', { ...PRICE, customer: { firstName: 'Nightjar' } });
      await send('orders/teashop/A1/void', { note: 'Nightjar rang' });
      await runErase(shop.stack.config, 'A1', 'teashop');
      const { text } = await askAsPage(shop.stack, '/page/orders/teashop/A1', {
        headers: { cookie },
      });
      expect(JSON.parse(text)).toMatchObject({
        order: 'A1',
        state: 'void',
        erasedAt: expect.any(Number) as number,
      });
      expect([text, JSON.stringify(await audit())].join()).not.toContain('Nightjar');
    });

    it('ends a session on every server when its person signs out, and no other session', async () => {
      const other = await signIn(shop.stack);
      const ask = (path: string, sent: string, method = 'GET') =>
        askAsPage(shop.stack, `/page/${path}`, { method, headers: { cookie: sent } });
      expect((await ask('session', cookie, 'DELETE')).status).toBe(204);
      // As another server would: nothing of it is known but what is stored.
      await shop.stack.server.close();
      await shop.stack.startServer();
      expect((await ask('audit', cookie)).body.code).toBe('operator_signed_out');
      expect((await ask('session', cookie)).body).toBeNull();
      expect((await ask('audit', other)).status).toBe(200);
    });

    it('has the figures of the provider’s calls and of each merchant', async () => {
      await payLate('A1');
      await expect
        .poll(async () => (await read<HealthView>('health')).busyMerchants)
        .toEqual([
          {
            ...{ merchant: 'teashop', attention: 1, deadLettered: 0 },
            ...{ waitingEvents: 0, watchedAttempts: 1 },
          },
        ]);
      const fault = { operation: 'create-session', fault: 'error', status: 400 } as const;
      shop.stack.sandbox.control.addFault(fault);
      await shop.putAndOpen('A2');
      const [created, listed] = (await read<HealthView>('health')).providerCalls;
      expect(created).toMatchObject({ operation: 'create_session', calls: 2, failed: 1 });
      expect(listed).toMatchObject({ operation: 'list_transactions', failed: 0 });
      expect(created?.p50).toBeLessThanOrEqual(created?.p95 ?? 0);
    });

    it('says with 304 that nothing has changed', async () => {
      await shop.put('A1');
      const path = '/page/orders/teashop/A1';
      const { headers } = await askAsPage(shop.stack, path, { headers: { cookie } });
      const again = { cookie, 'if-none-match': headers.etag, 'cache-control': 'max-age=0' };
      expect((await askAsPage(shop.stack, path, { headers: again })).status).toBe(304);
      await send('orders/teashop/A1/void', { note: 'no longer sold' });
      expect((await askAsPage(shop.stack, path, { headers: again })).status).toBe(200);
    });
  });
}

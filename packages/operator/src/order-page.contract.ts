import { describe, expect, it } from 'vitest';
import { runErase } from '../../session-server/src/cli/order-commands.js';
import { askAsPage } from '../../session-server/src/testing/page-browser.js';
import { PRICE } from '../../session-server/src/testing/putting-shop.js';
import type { OrderListView, SearchView } from './page-view.js';
import { PageUnderTest, type StartPage } from './testing/page-under-test.js';
import { describeEntry } from './timeline-words.js';

/** What the operator's page shows of an order, and how it is found, on every store. */
export function describeOrderPage(name: string, start: StartPage): void {
  describe(`the page of an order over ${name}`, () => {
    const page = new PageUnderTest(start);
    const { read, send, order, audit, steps, hint, payLate } = page;
    const search = async (q: string) => (await send('search', { q })).body as unknown as SearchView;

    it('says what happened to an order, step by step', async () => {
      const { checkout, sessionId } = await page.shop.putAndOpen('A1');
      await hint(checkout, 'shown');
      await hint(checkout, 'shown');
      await page.shop.stack.post(page.shop.stack.webhookPath(sessionId ?? ''), {
        note: 'a webhook',
      });
      // In this order: a poll for the hint may find the payment at once.
      await page.shop.stack.fetch(page.shop.stack.returnPath(sessionId ?? '', 'RedirectUrl'));
      await page.shop.stack.payAtProvider(sessionId ?? '');
      await page.shop.stack.until(checkout, 'paid');
      await expect
        .poll(() => steps('A1'))
        .toContain('Event checkout.paid, try 1: answer 204, acknowledged');
      await expect
        .poll(() => steps('A1'))
        .toContain('Webhook of the provider, processed: order_id …');
      const lines = await steps('A1');
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
      const put = (await page.shop.put('A1')).body;
      const { headers, body } = await page.shop.open(put);
      const requestId = headers.get('x-request-id') ?? 'none';
      expect(body.requestId).toBe(requestId);
      const { checkouts, entries } = await order('A1');
      expect(checkouts.map((checkout) => checkout.requestId)).toEqual([requestId]);
      expect(entries.map(describeEntry)).toContainEqual(
        `Checkout created for 9.99 GBP, request ${requestId}`,
      );
    });

    it('names the request that asked for another session', async () => {
      const put = (await page.shop.put('A1')).body;
      const { sessionId } = (await page.shop.open(put)).body;
      const renewed = await page.shop.open(put, { renew: sessionId });
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
      const { checkout, sessionId } = await page.shop.putAndOpen('A1');
      const { MerchantReference: orderRef } = page.shop.stack.session(sessionId ?? '');
      const row = { orderRef, merchantId: 1001, currencyCode: 'GBP', amount: '9.99' };
      const transactionTime = new Date().toISOString();
      const add = (more: object) =>
        page.shop.stack.sandbox.control.addTransaction({
          row: { ...row, transactionTime, ...more },
        });
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
        page.shop.stack.sandbox.control
          .requests()
          .filter(({ operation }) => operation !== 'create-session').length;
      for (let times = 0; times < 3; times += 1) {
        const before = polls();
        page.shop.stack.advance(20);
        await expect.poll(polls).toBeGreaterThan(before);
      }
      expect((await reasons()).toSorted()).toEqual(expected);
    });

    it('tells when the list was polled for an order, and that it could not be read', async () => {
      const { checkout, sessionId } = await page.shop.putAndOpen('A1');
      page.shop.stack.sandbox.control.addFault({
        ...{ operation: 'transactions-list', fault: 'error', status: 400, times: 10_000 },
      });
      await hint(checkout, 'submitted', sessionId);
      const polls = async () => (await steps('A1')).filter((line) => line.includes('polled'));
      await expect.poll(polls).toEqual(['Provider’s list polled, and it could not be read']);
      page.shop.stack.sandbox.control.releaseFaults();
      await expect.poll(polls).toEqual(['Provider’s list polled']);
    });

    it('finds an order by its name, its beginning, by what belongs to it, and by what people paste', async () => {
      const { checkout, sessionId } = await page.shop.putAndOpen('A1001');
      await page.shop.payIn(sessionId, checkout);
      const { order_id: orderId, MerchantReference: reference } = page.shop.stack.session(
        sessionId ?? '',
      );
      const { checkouts, events } = await order('A1001');
      const { orderToken } = (await page.shop.put('A1002')).body;
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
      const put = await page.shop.put('A1001', { ...PRICE, customer });
      const { checkout, sessionId } = (await page.shop.open(put.body)).body;
      await page.shop.payIn(sessionId, checkout);
      const { payment } = await page.shop.get('A1001');
      await page.shop.putAndOpen('B1', { amount: '1234.50', currency: 'GBP' });
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
      for (const name of ['A1', 'A2']) await page.shop.put(name, { ...PRICE, customer });
      expect((await found()).toSorted()).toEqual(['A1', 'A2']);
      await page.shop.put('A1');
      expect(await found()).toEqual(['A2']);
      expect((await page.shop.makeVoid('A2')).status).toBe(200);
      await runErase(page.shop.stack.config, 'A2', 'teashop');
      expect(await found()).toEqual([]);
    });

    it('lists orders of all merchants, and says what they come to', async () => {
      const { checkout } = await payLate('A1');
      page.shop.stack.clock.advance(1);
      const from = page.shop.stack.clock.now();
      for (let index = 0; index < 51; index += 1) {
        page.shop.stack.clock.advance(1);
        await page.shop.put(`B${String(index)}`);
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
        const { status } = await askAsPage(page.shop.stack, `/page/orders?${query}`, {
          headers: { cookie: page.cookie },
        });
        expect([query, status]).toEqual([query, 400]);
      }
      const file = await askAsPage(page.shop.stack, '/page/orders.csv', {
        headers: { cookie: page.cookie },
      });
      const [head, ...lines] = file.text.trimEnd().split('\r\n');
      expect(head).toMatch(/^\W*"merchant","order","state"/);
      expect([lines.length, lines.at(-1)]).toEqual([
        52,
        expect.stringMatching(/^"teashop","A1","paid","true","9.99","GBP"/),
      ]);
    });

    it('says what the orders came to whose rows were removed, and when the history of one was', async () => {
      await page.shop.put('A1');
      expect(await read<OrderListView>('orders')).not.toHaveProperty('removed');
      await page.execute(`
        INSERT INTO removed_orders
          (merchant, month, currency, decimals, paid, unpaid, amount_minor, refunded_minor)
        VALUES ('teashop', '2024-11', 'GBP', 2, 3, 1, 12345, 100),
          ('another', '2024-11', 'GBP', 2, 1, 0, 1, 0)`);
      await page.execute(`UPDATE orders SET removed_at = 1700000000000`);
      const ofMonth = { month: '2024-11', currency: 'GBP', paid: 4, unpaid: 1 };
      expect((await read<OrderListView>('orders')).removed).toEqual([
        { ...ofMonth, amount: '123.46', refunded: '1.00' },
      ]);
      expect(await read<OrderListView>('orders?state=open')).not.toHaveProperty('removed');
      expect((await order('A1')).removedAt).toBe(1_700_000_000_000);
    });

    it('keeps fifty steps of a kind, and none for longer than webhooks', async () => {
      const { checkout } = await page.shop.putAndOpen('A1');
      for (let times = 0; times < 55; times += 1) {
        await hint(checkout, 'shown');
        page.shop.stack.advance(11);
      }
      const count = async (kind: string) =>
        (await order('A1')).entries.filter((entry) => entry.kind === kind).length;
      await expect.poll(async () => [await count('hint'), await count('session')]).toEqual([50, 1]);
      page.shop.stack.advance(31 * 86_400);
      await page.signIn();
      await expect.poll(async () => [await count('hint'), await count('session')]).toEqual([0, 0]);
      expect(await steps('A1')).toContain('Checkout created for 9.99 GBP, request …');
    });

    it('shows nothing of a person of an erased order, nor what was noted about it', async () => {
      await page.shop.put('A1', { ...PRICE, customer: { firstName: 'Nightjar' } });
      await send('orders/teashop/A1/void', { note: 'Nightjar rang' });
      await runErase(page.shop.stack.config, 'A1', 'teashop');
      const { text } = await askAsPage(page.shop.stack, '/page/orders/teashop/A1', {
        headers: { cookie: page.cookie },
      });
      expect(JSON.parse(text)).toMatchObject({
        order: 'A1',
        state: 'void',
        erasedAt: expect.any(Number) as number,
      });
      expect([text, JSON.stringify(await audit())].join()).not.toContain('Nightjar');
    });

    it('says with 304 that nothing has changed', async () => {
      await page.shop.put('A1');
      const path = '/page/orders/teashop/A1';
      const { headers } = await askAsPage(page.shop.stack, path, {
        headers: { cookie: page.cookie },
      });
      const again = {
        cookie: page.cookie,
        'if-none-match': headers.etag,
        'cache-control': 'max-age=0',
      };
      expect((await askAsPage(page.shop.stack, path, { headers: again })).status).toBe(304);
      await send('orders/teashop/A1/void', { note: 'no longer sold' });
      expect((await askAsPage(page.shop.stack, path, { headers: again })).status).toBe(200);
    });
  });
}

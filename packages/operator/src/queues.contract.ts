import { describe, expect, it } from 'vitest';
import { runErase } from '../../session-server/src/cli/order-commands.js';
import { askAsPage, OPERATOR_KEY, signIn } from '../../session-server/src/testing/page-browser.js';
import type { AuditView, HealthView, PageOf, QueueView } from './page-view.js';
import { PageUnderTest, type StartPage } from './testing/page-under-test.js';

/** What needs a person, and what a person does about it, on every store. */
export function describeQueues(name: string, start: StartPage): void {
  describe(`queues and actions of the operator’s page over ${name}`, () => {
    const page = new PageUnderTest(start);
    const { read, send, order, queue, audit, steps, payLate } = page;

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
      expect((await page.shop.get('A1')).attention).toEqual(['late_payment']);
      expect(await steps('A1')).toContainEqual(
        expect.stringMatching(/^key-[0-9a-f]{8} resolved late payment: “called the shop”$/),
      );

      // The same payment again, as a second one.
      const [paid] = page.shop.stack.sandbox.control.transactions();
      page.shop.stack.sandbox.control.addTransaction({ row: { ...paid?.row, id: 'txn_second' } });
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
      expect(await steps('A1')).toContainEqual(
        expect.stringMatching(/^key-\w{8} noted for bo@shop\.example: “please ring back”$/),
      );
      await runErase(page.shop.stack.config, 'A1', 'teashop');
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
      const later = page.shop.stack.clock.now() + 1;
      page.shop.stack.clock.advance(60);
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
      const { text } = await askAsPage(page.shop.stack, '/page/audit.csv', {
        headers: { cookie: page.cookie },
      });
      const [head, first, second] = text.trimEnd().split('\r\n');
      expect(head).toMatch(/"at","actor","action","merchant","order","target","note"$/);
      expect(first).toMatch(
        new RegExp(`,"${actor}","resolve","teashop","A1","late payment","done"$`),
      );
      // A spreadsheet does not run it.
      expect(second).toMatch(/,"note","teashop","A1","","'=1\+1"$/);
    });

    it('lists an unconfirmed order, and finds its payment when asked to poll', async () => {
      const { checkout, sessionId } = await page.shop.putAndOpen('A1');
      await page.shop.stack.fetch(page.shop.stack.returnPath(sessionId ?? '', 'RedirectUrl'));
      page.shop.stack.advance(400);
      await page.shop.stack.until(checkout, 'unconfirmed');
      expect((await queue('unconfirmed')).items).toMatchObject([
        { order: 'A1', state: 'unconfirmed' },
      ]);
      await page.shop.stack.payAtProvider(sessionId ?? '');
      expect((await send('orders/teashop/A1/poll')).status).toBe(200);
      await page.shop.stack.until(checkout, 'paid');
      expect((await queue('unconfirmed')).items).toEqual([]);
      expect(await audit()).toMatchObject([{ action: 'poll', order: 'A1' }]);
      expect((await send('orders/teashop/A9/poll')).status).toBe(404);
    });

    it('delivers a dead letter again, and one that the shop has acknowledged', async () => {
      page.shop.stack.shop.eventAnswers.push(500);
      const { checkout, sessionId } = await page.shop.putAndOpen('A1');
      await page.shop.stack.fetch(page.shop.stack.returnPath(sessionId ?? '', 'CancelUrl'));
      await expect
        .poll(async () => (await order('A1')).events[0])
        .toMatchObject({ status: 'pending', tries: 1 });
      expect(await steps('A1')).toContain(
        'Event checkout.cancelled, try 1: answer 500, to be retried',
      );
      await page.execute(
        `UPDATE outbox_events SET status = 'dead_lettered', due_at = NULL WHERE tries = 1 AND status = 'pending'`,
      );
      const [item] = (await queue('dead-letters')).items;
      expect(item).toMatchObject({ order: 'A1', checkout });
      const redeliver = () => send(`events/${item?.id ?? ''}/redeliver`);
      expect((await redeliver()).body).toEqual({ redelivered: true });
      await expect
        .poll(async () => (await order('A1')).events.find(({ id }) => id === item?.id)?.status)
        .toBe('delivered');
      const received = () => page.shop.stack.shop.events.filter(({ id }) => id === item?.id).length;
      expect(received()).toBe(1);
      expect((await redeliver()).body).toEqual({ redelivered: true });
      await expect.poll(received).toBe(2);
      const tries = async () =>
        (await steps('A1')).filter((line) => line.startsWith('Event checkout.cancelled, try'));
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
        await page.execute(
          `UPDATE outbox_events SET status = 'dead_lettered' WHERE id = '${event}'`,
        );
        const { body } = await page.shop.stack.askOperator('/operator/events/redeliver', {
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
      const put = (await page.shop.put('A1')).body;
      expect(await order('A1')).toMatchObject({ canVoid: true, price: '9.99 GBP' });
      const makeVoid = (id: string, note?: string) => send(`orders/teashop/${id}/void`, { note });
      expect((await makeVoid('A1')).status).toBe(400);
      expect((await makeVoid('A1', 'the customer rang')).status).toBe(200);
      expect((await makeVoid('A1', 'the customer rang')).status).toBe(200);
      expect(await order('A1')).toMatchObject({ state: 'void', canVoid: false });
      expect((await page.shop.open(put)).body.code).toBe('order_void');
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
        const { sessionId } = await page.shop.putAndOpen(id);
        await page.shop.stack.fetch(page.shop.stack.returnPath(sessionId ?? '', 'RedirectUrl'));
      }
      page.shop.stack.advance(400);
      await expect.poll(async () => (await queue('unconfirmed')).counts.unconfirmed).toBe(60);
      const first = await queue('unconfirmed');
      const second = await queue('unconfirmed', first.next);
      const shown = [...first.items, ...second.items].map((item) => item.order);
      expect(shown).toEqual(ids.toReversed());
      expect([first.items.length, second.next]).toEqual([50, undefined]);
      const wrong = await askAsPage(page.shop.stack, '/page/queues/unconfirmed?cursor=WyJ4Il0', {
        headers: { cookie: page.cookie },
      });
      expect([wrong.status, wrong.body.code]).toEqual([400, 'unknown_cursor']);
    });

    it('ends a session on every server when its person signs out, and no other session', async () => {
      const other = await signIn(page.shop.stack);
      const ask = (path: string, sent: string, method = 'GET') =>
        askAsPage(page.shop.stack, `/page/${path}`, { method, headers: { cookie: sent } });
      expect((await ask('session', page.cookie, 'DELETE')).status).toBe(204);
      // As another server would: nothing of it is known but what is stored.
      await page.shop.stack.server.close();
      await page.shop.stack.startServer();
      expect((await ask('audit', page.cookie)).body.code).toBe('operator_signed_out');
      expect((await ask('session', page.cookie)).body).toBeNull();
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
      page.shop.stack.sandbox.control.addFault(fault);
      await page.shop.putAndOpen('A2');
      const [created, listed] = (await read<HealthView>('health')).providerCalls;
      expect(created).toMatchObject({ operation: 'create_session', calls: 2, failed: 1 });
      expect(listed).toMatchObject({ operation: 'list_transactions', failed: 0 });
      expect(created?.p50).toBeLessThanOrEqual(created?.p95 ?? 0);
    });
  });
}

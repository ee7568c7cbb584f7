import { describe, expect, it } from 'vitest';
import {
  SECOND_MS,
  HOUR_MS,
  DAY_MS,
  START,
  FIRST_ORDER_ID,
  OTHER_PRICE,
  type StoreFixture,
} from '../testing/store-fixture.js';
import { toStoredToken } from './attempt-ids.js';
import { AT_PROVIDER } from '../testing/store-harness.js';

type Opened = Awaited<ReturnType<StoreFixture['activate']>>;

/** How a store decides about requests for checkouts, and what it gives out. */
export function describeOpeningRules(fixture: StoreFixture): void {
  const { begin, beginSending, activate, pay, eventTypes } = fixture;

  describe('opening', () => {
    it('makes a checkout and an attempt with a reference and tokens of its own', async () => {
      const { checkout, attempt, tokens } = await beginSending({
        shopVersion: 'v7',
        returnUrl: 'https://shop.example/done',
      });
      expect(checkout).toMatchObject({
        merchant: 'teashop',
        order: 'A1001',
        orderVersion: 'version-1',
        shopVersion: 'v7',
        returnUrl: 'https://shop.example/done',
        amountMinor: 999,
        currency: 'GBP',
        decimals: 2,
        state: 'open',
        revision: 1,
        sequence: 0,
        refund: 'none',
        attention: [],
        createdAt: START,
        expiresAt: START + HOUR_MS,
      });
      expect(checkout.id).toMatch(/^[\w-]{30}$/);
      expect(attempt).toMatchObject({
        orderId: FIRST_ORDER_ID,
        merchantReference: `A1001.${String(FIRST_ORDER_ID)}`,
        checkout: checkout.id,
        status: 'sending',
        ...AT_PROVIDER,
        createdAt: START,
      });
      expect(attempt.sessionId).toBeUndefined();
      expect(new Set(Object.values(tokens)).size).toBe(4);
      expect(await fixture.store.find(checkout.id)).toEqual(checkout);
      expect(await fixture.store.findAttempts(checkout.id)).toMatchObject([{ status: 'sending' }]);
    });

    it('lets one of ten who ask at once send, and the others wait for it', async () => {
      const decisions = await Promise.all(Array.from({ length: 10 }, () => begin()));
      const kinds = decisions.map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'send')).toHaveLength(1);
      expect(kinds.filter((kind) => kind === 'wait')).toHaveLength(9);
    });

    it('gives the active session again, and opens the checkout again', async () => {
      const { checkout } = await activate();
      await fixture.store.apply(checkout.id, { type: 'cancel-hinted' });
      fixture.now += SECOND_MS;
      expect(await begin()).toMatchObject({
        kind: 'existing',
        checkout: { id: checkout.id, state: 'open', revision: 3, expiresAt: fixture.now + HOUR_MS },
        attempt: { sessionId: 'session-1', status: 'active' },
      });
    });

    it('takes over from a sender whose lease has run out, who may then activate nothing', async () => {
      const dead = await beginSending();
      fixture.now += 14_999;
      expect(await begin()).toMatchObject({ kind: 'wait' });
      fixture.now += 1;
      const next = await beginSending();
      expect(next.checkout.id).toBe(dead.checkout.id);
      expect(await fixture.store.activateSession(dead.attempt.orderId, 'session-late')).toBe(false);
      expect(await fixture.store.activateSession(next.attempt.orderId, 'session-2')).toBe(true);
      expect(await fixture.store.findAttempts(dead.checkout.id)).toMatchObject([
        { status: 'unknown', sessionId: 'session-late' },
        { status: 'active', sessionId: 'session-2' },
      ]);
      expect(await begin()).toMatchObject({ attempt: { sessionId: 'session-2' } });
    });

    it('keeps a session active when it is activated twice', async () => {
      const { attempt } = await activate();
      expect(await fixture.store.activateSession(attempt.orderId, 'session-1')).toBe(true);
      expect(await begin()).toMatchObject({ kind: 'existing', attempt: { status: 'active' } });
    });

    it('shows no session that came too late, however often it is stored', async () => {
      const { attempt } = await beginSending();
      await fixture.store.endAttempt(attempt.orderId, 'unknown');
      for (let times = 0; times < 2; times += 1) {
        expect(await fixture.store.activateSession(attempt.orderId, 'session-1')).toBe(false);
      }
      expect(await fixture.store.findAttempts(attempt.checkout)).toMatchObject([
        { status: 'unknown', sessionId: 'session-1' },
      ]);
    });

    it.each(['unknown', 'refused', 'not_sent'] as const)(
      'sends again, for the same checkout, after an attempt that ended %s',
      async (status) => {
        const first = await beginSending();
        await fixture.store.endAttempt(first.attempt.orderId, status);
        const second = await beginSending();
        expect(second.checkout.id).toBe(first.checkout.id);
        expect(second.attempt.orderId).toBeGreaterThan(first.attempt.orderId);
        expect(await fixture.store.findAttempts(first.checkout.id)).toMatchObject([
          { status },
          { status: 'sending' },
        ]);
      },
    );

    it('never ends an attempt whose session is active', async () => {
      const { attempt } = await activate();
      await fixture.store.endAttempt(attempt.orderId, 'unknown');
      expect(await begin()).toMatchObject({ kind: 'existing' });
    });

    it('makes another checkout for another price, and the older session gives way', async () => {
      const first = await activate();
      const second = await activate(OTHER_PRICE, 'session-2');
      expect(second.checkout.id).not.toBe(first.checkout.id);
      expect(await fixture.store.findAttempts(first.checkout.id)).toMatchObject([
        { status: 'superseded', sessionId: 'session-1' },
      ]);
      const order = await fixture.store.findOrder('teashop', 'A1001');
      expect(order.map(({ id }) => id)).toEqual([first.checkout.id, second.checkout.id]);
    });

    it('keeps orders of the same name of two merchants apart', async () => {
      const first = await activate();
      const second = await activate({ merchant: 'bookshop' }, 'session-2');
      expect(second.checkout.id).not.toBe(first.checkout.id);
      expect(second.attempt.orderId).not.toBe(first.attempt.orderId);
      expect(await fixture.store.findOrder('bookshop', 'A1001')).toHaveLength(1);
    });

    it('renews a session three times an hour', async () => {
      await activate();
      for (let renewal = 1; renewal <= 3; renewal += 1) {
        fixture.now += SECOND_MS;
        const renew = `session-${String(renewal)}`;
        await activate({ renew }, `session-${String(renewal + 1)}`);
      }
      expect(await begin({ renew: 'session-4' })).toEqual({
        kind: 'too-many-renewals',
        retryAfterSeconds: 3598,
      });
      fixture.now += HOUR_MS - 2 * SECOND_MS;
      expect(await begin({ renew: 'session-4' })).toMatchObject({ kind: 'send' });
    });

    it('opens nothing once the order is paid, and flags another price once', async () => {
      const { checkout, attempt } = await activate();
      await pay(attempt.orderId);
      expect(await begin()).toMatchObject({ kind: 'settled', checkout: { attention: [] } });
      for (let time = 0; time < 2; time += 1) {
        expect(await begin(OTHER_PRICE)).toMatchObject({
          kind: 'settled',
          checkout: { id: checkout.id, attention: ['price_changed_after_paid'] },
        });
      }
      expect(await eventTypes()).toEqual(['checkout.paid', 'checkout.attention']);
    });

    it('opens nothing while money may be moving', async () => {
      const { checkout, tokens } = await activate();
      await fixture.store.recordReturn(toStoredToken(tokens.return));
      expect(await begin(OTHER_PRICE)).toMatchObject({
        kind: 'settled',
        checkout: { id: checkout.id, state: 'returned' },
      });
    });

    it.each([
      ['renewed', { renew: 'session-1' }],
      ['opened at another price', OTHER_PRICE],
    ])(
      'shows no session of an order that is %s when money moved while the provider was asked',
      async (_, changes) => {
        for (const [order, move] of [
          ['A1', (first: Opened) => pay(first.attempt.orderId)],
          ['A2', (first: Opened) => fixture.store.recordReturn(toStoredToken(first.tokens.return))],
        ] as const) {
          const first = await activate({ order });
          const second = await beginSending({ order, ...changes });
          await move(first);
          const { orderId } = second.attempt;
          expect(await fixture.store.activateSession(orderId, 'session-2')).toBe(false);
          const attempts = await fixture.store.findAttempts(second.checkout.id);
          expect(attempts.at(-1)).toMatchObject({
            orderId,
            status: 'superseded',
            sessionId: 'session-2',
          });
          expect(await begin({ order, ...changes })).toMatchObject({
            kind: 'settled',
            checkout: { id: first.checkout.id },
          });
        }
      },
    );

    it('gives more time to a checkout that is opened again near its end', async () => {
      const { checkout } = await activate();
      fixture.now += HOUR_MS - SECOND_MS;
      expect(await begin()).toMatchObject({
        kind: 'existing',
        checkout: { expiresAt: fixture.now + HOUR_MS },
      });
      fixture.now += 2 * SECOND_MS;
      expect(await fixture.store.applyTime(10)).toEqual([]);
      expect((await fixture.stateOf(checkout.id)).state).toBe('open');
    });

    it('asks for the price again when the order was opened at a newer one in the meantime', async () => {
      const pricedAfter = fixture.now;
      fixture.now += SECOND_MS;
      await activate(OTHER_PRICE);
      expect(await begin({ pricedAfter })).toEqual({ kind: 'price-is-old' });
      expect(await begin({ pricedAfter: fixture.now })).toMatchObject({ kind: 'send' });
    });
  });

  describe('an order at two servers, one of whose clocks is behind', () => {
    it('is opened at its new price at the slower one', async () => {
      const first = await activate();
      fixture.now -= 5 * SECOND_MS;
      const { activeSince } = first.attempt;
      const second = await begin({ ...OTHER_PRICE, pricedAfter: activeSince });
      if (second.kind !== 'send') expect.unreachable(second.kind);
      expect(second.attempt.activeSince).toBeGreaterThan(activeSince);
    });

    it('is not opened at its old price at the slower one', async () => {
      const first = await activate();
      fixture.now -= 5 * SECOND_MS;
      await activate(OTHER_PRICE, 'session-2');
      const { activeSince } = first.attempt;
      const stale = await begin({ orderVersion: 'version-3', pricedAfter: activeSince });
      expect(stale).toEqual({ kind: 'price-is-old' });
    });

    it('comes back to its first price at the slower one, as the newest', async () => {
      const { checkout } = await activate();
      const second = await activate(OTHER_PRICE, 'session-2');
      fixture.now -= 5 * SECOND_MS;
      expect(await begin()).toMatchObject({ kind: 'existing', checkout: { id: checkout.id } });
      const [first] = await fixture.store.findAttempts(checkout.id);
      expect(first?.activeSince).toBeGreaterThan(second.attempt.activeSince);
    });
  });

  describe('a hint of the page that shows a session', () => {
    const submit = (checkout: string, sessionId = 'session-1') =>
      fixture.store.recordHint(checkout, { kind: 'submitted', sessionId });

    it('that a payment was submitted keeps every other session away until that has ended', async () => {
      const { checkout, attempt } = await activate();
      await submit(checkout.id);
      const submitted = { kind: 'submitted', checkout: { id: checkout.id } };
      expect(await begin()).toMatchObject({ ...submitted, attempt: { orderId: attempt.orderId } });
      expect(await begin(OTHER_PRICE)).toMatchObject(submitted);
      fixture.now += 3000 * SECOND_MS;
      expect(await begin({ renew: 'session-1' })).toMatchObject({
        ...submitted,
        attempt: undefined,
      });
      await fixture.store.apply(checkout.id, { type: 'submission-ended' });
      expect(await begin({ renew: 'session-1' })).toMatchObject({ kind: 'send' });
    });

    it.each(['submitted', 'declined'] as const)(
      'counts in a session that was superseded, too: %s',
      async (kind) => {
        const { checkout } = await activate();
        await activate(OTHER_PRICE, 'session-2');
        await submit(checkout.id);
        if (kind === 'declined') {
          await fixture.store.recordHint(checkout.id, { kind, sessionId: 'session-1' });
        }
        const expected = kind === 'submitted' ? { id: checkout.id } : {};
        const decision = kind === 'submitted' ? 'submitted' : 'existing';
        expect(await begin(OTHER_PRICE)).toMatchObject({ kind: decision, checkout: expected });
      },
    );

    it('that a payment was submitted keeps a session that is being created from every page', async () => {
      const { checkout } = await activate();
      const { attempt } = await beginSending(OTHER_PRICE);
      await submit(checkout.id);
      expect(await fixture.store.activateSession(attempt.orderId, 'session-2')).toBe(false);
    });

    it('that a payment was submitted is over only once each list was read that may show it', async () => {
      const elsewhere = { account: 'north', providerMerchantId: 7 };
      const { checkout } = await activate();
      await activate({ renew: 'session-1', ...elsewhere }, 'session-2');
      await submit(checkout.id);
      const isSubmitted = async () =>
        (await fixture.stateOf(checkout.id)).submittedAt !== undefined;
      const read = { startedAt: fixture.now + 300 * SECOND_MS, sinceMs: START };
      await fixture.store.settleUnpaid({ ...AT_PROVIDER, ...read, startedAt: fixture.now });
      await fixture.store.settleUnpaid({ ...AT_PROVIDER, ...read, sinceMs: START + 1 });
      await fixture.store.settleUnpaid({ ...elsewhere, ...read });
      expect(await isSubmitted()).toBe(true);
      await fixture.store.settleUnpaid({ ...AT_PROVIDER, ...read });
      expect(await isSubmitted()).toBe(false);
    });

    it('that a payment was submitted has the list polled again, however old its session is', async () => {
      const { checkout, attempt } = await activate();
      fixture.now += 20 * DAY_MS;
      while ((await fixture.store.pollDue()).length > 0) fixture.now += DAY_MS;
      await submit(checkout.id);
      fixture.now += 30 * SECOND_MS;
      const due = await fixture.store.pollDue();
      expect(due).toMatchObject([{ orderId: attempt.orderId }]);
    });

    it('that it was declined takes that back', async () => {
      const { checkout } = await activate();
      await submit(checkout.id);
      await fixture.store.recordHint(checkout.id, { kind: 'declined', sessionId: 'session-1' });
      expect(await begin({ renew: 'session-1' })).toMatchObject({ kind: 'send' });
    });

    it('gives more time to a checkout that is near its end', async () => {
      const { checkout } = await activate();
      fixture.now += HOUR_MS - SECOND_MS;
      const { after } = await submit(checkout.id);
      expect(after).toMatchObject({ state: 'open', expiresAt: fixture.now + HOUR_MS });
    });

    it('that it was cancelled closes the checkout, but not once a payment was submitted', async () => {
      const cancel = { kind: 'cancelled', sessionId: 'session-1' } as const;
      const first = await activate();
      await submit(first.checkout.id);
      expect((await fixture.store.recordHint(first.checkout.id, cancel)).after.state).toBe('open');
      await fixture.store.apply(first.checkout.id, { type: 'submission-ended' });
      expect((await fixture.store.recordHint(first.checkout.id, cancel)).after.state).toBe(
        'cancelled',
      );
    });

    it('that one session was declined says nothing of a payment that was submitted in another', async () => {
      const { checkout } = await activate();
      await activate({ renew: 'session-1' }, 'session-2');
      await submit(checkout.id, 'session-2');
      await fixture.store.recordHint(checkout.id, { kind: 'declined', sessionId: 'session-1' });
      expect(await begin()).toMatchObject({ kind: 'submitted' });
    });

    it.each([
      ['submitted', 'session-9'],
      ['declined', 'session-9'],
      ['cancelled', 'session-9'],
      ['cancelled', 'session-1'],
    ] as const)(
      'says nothing when it is of no session, or cancels a superseded one: %s',
      async (kind, sessionId) => {
        const { checkout } = await activate();
        await activate({ renew: 'session-1' }, 'session-2');
        if (kind === 'declined') await submit(checkout.id, 'session-2');
        const { before, after } = await fixture.store.recordHint(checkout.id, { kind, sessionId });
        expect(after).toBe(before);
        const expected = kind === 'declined' ? 'submitted' : 'send';
        expect(await begin({ renew: 'session-2' })).toMatchObject({ kind: expected });
      },
    );
  });

  describe('a price that comes back', () => {
    const dearer = { orderVersion: 'version-2', amountMinor: 1299 };

    it('leads to the session that it had, and the one of the other price gives way', async () => {
      const first = await activate();
      fixture.now += SECOND_MS;
      const second = await activate(dearer, 'session-2');
      fixture.now += SECOND_MS;
      const again = await begin();
      expect(again).toMatchObject({ kind: 'existing', attempt: { sessionId: 'session-1' } });
      const statuses = async ({ checkout }: typeof first) =>
        (await fixture.store.findAttempts(checkout.id)).map(({ status }) => status);
      expect([await statuses(first), await statuses(second)]).toEqual([['active'], ['superseded']]);
      // One that was priced before it came back is asked for again.
      const stale = { ...dearer, pricedAfter: fixture.now - 1 };
      expect((await begin(stale)).kind).toBe('price-is-old');
      await pay(first.attempt.orderId);
      expect(await fixture.stateOf(first.checkout.id)).toMatchObject({
        state: 'paid',
        attention: [],
      });
    });

    it('leads to a new session where the SDK refused the one that it had, or it failed', async () => {
      const first = await activate();
      await activate(dearer, 'session-2');
      expect((await begin({ renew: 'session-1' })).kind).toBe('send');
      const other = await activate({ order: 'A1002' }, 'session-3');
      await fixture.store.apply(other.checkout.id, { type: 'failure-proved' });
      await activate({ ...dearer, order: 'A1002' }, 'session-4');
      expect((await begin({ order: 'A1002' })).kind).toBe('send');
      expect(await fixture.store.findAttempts(first.checkout.id)).toHaveLength(2);
    });
  });

  describe('order_id', () => {
    it('only grows: with the clock, and by one where the clock stands or goes back', async () => {
      const ids: number[] = [];
      for (const step of [0, 0, 10 * SECOND_MS, -HOUR_MS]) {
        fixture.now += step;
        const { attempt } = await beginSending({ order: `A${String(ids.length)}` });
        ids.push(attempt.orderId - FIRST_ORDER_ID);
      }
      expect(ids).toEqual([0, 1, 10, 11]);
    });

    it('is refused beyond its maximum, and nothing is stored then', async () => {
      await fixture.underTest.remove();
      await fixture.start({ maxOrderId: FIRST_ORDER_ID });
      await beginSending();
      await expect(begin({ order: 'A1002' })).rejects.toMatchObject({
        code: 'order_ids_exhausted',
      });
      expect(await fixture.store.findOrder('teashop', 'A1002')).toEqual([]);
    });
  });

  describe('finding', () => {
    it('gives the checkouts that are known, in the order asked', async () => {
      const first = await beginSending();
      const second = await beginSending({ order: 'A1002' });
      const asked = [second.checkout.id, 'unknown', first.checkout.id];
      expect((await fixture.store.findMany(asked)).map(({ order }) => order)).toEqual([
        'A1002',
        'A1001',
      ]);
      expect(await fixture.store.find('unknown')).toBeUndefined();
      expect(await fixture.store.findOrder('teashop', 'A9')).toEqual([]);
      expect(await fixture.store.findAttempts('unknown')).toEqual([]);
    });

    it('opens an order that was put only at the price that it has at that moment', async () => {
      const key = { merchant: 'teashop', order: 'A1001' };
      const price = { version: 'version-1', amountMinor: 999, currency: 'GBP', decimals: 2 };
      const put = { isStored: true } as const;
      const old = { kind: 'price-is-old' };
      expect(await begin(put)).toEqual(old);
      await fixture.store.putOrder(key, { ...price, version: 'version-2' });
      expect(await begin(put)).toEqual(old);
      await fixture.store.putOrder(key, price);
      await fixture.store.voidOrder(key);
      expect(await begin(put)).toEqual(old);
      await fixture.store.putOrder(key, price);
      expect(await begin(put)).toMatchObject({ kind: 'send' });
    });

    it('lists orders of one moment once each, page by page', async () => {
      const price = { version: 'version-1', amountMinor: 999, currency: 'GBP', decimals: 2 };
      const names = ['A1', 'A2', 'A3', 'A4', 'A5'];
      for (const order of names)
        await fixture.store.putOrder({ merchant: 'teashop', order }, price);
      const found: string[] = [];
      let behind: { createdAt: number; order: string } | undefined;
      do {
        const page = await fixture.store.listOrders({ merchant: 'teashop', limit: 2, behind });
        found.push(...page.orders.map(({ order }) => order));
        behind = page.next;
      } while (behind);
      expect(found).toEqual(names.toReversed());
    });

    it('lists what changed in a time among more orders than one request reads', async () => {
      const price = { version: 'version-1', amountMinor: 999, currency: 'GBP', decimals: 2 };
      const first = { merchant: 'teashop', order: 'first' };
      await fixture.store.putOrder(first, price);
      fixture.now += SECOND_MS;
      await Promise.all(
        Array.from({ length: 1000 }, (_, at) =>
          fixture.store.putOrder({ merchant: 'teashop', order: `A${String(at)}` }, price),
        ),
      );
      fixture.now += SECOND_MS;
      await fixture.store.putOrder(first, { ...price, version: 'version-2' });
      const filter = { merchant: 'teashop', updatedAfter: fixture.now, limit: 10 };
      const page = await fixture.store.listOrders(filter);
      expect(page.orders).toEqual([]);
      const next = await fixture.store.listOrders({ ...filter, behind: page.next });
      expect(next.orders.map(({ order }) => order)).toEqual(['first']);
      expect(next.next).toBeUndefined();
    });

    it('forgets what was put of an order once its shop is asked for it', async () => {
      const key = { merchant: 'teashop', order: 'A1001' };
      const price = { version: 'version-9', amountMinor: 5, currency: 'GBP', decimals: 2 };
      await fixture.store.putOrder(key, price);
      expect(await fixture.store.voidOrder(key)).toBe('void');
      const { attempt, checkout } = await activate();
      expect(await fixture.store.findStoredOrder(key)).toMatchObject({
        ...{ state: 'open', isVoid: false, put: undefined },
      });
      await pay(attempt.orderId);
      expect((await fixture.stateOf(checkout.id)).attention).toEqual([]);
      expect((await fixture.store.findStoredOrder(key))?.state).toBe('paid');
    });

    it('finds attempts by order_id or reference, of one provider merchant', async () => {
      const { attempt } = await beginSending();
      const twin = await beginSending({ merchant: 'bookshop' });
      const other = await beginSending({ merchant: 'other', providerMerchantId: 1002 });
      const find = async (...references: string[]) =>
        (await fixture.store.findAttemptsByReference(AT_PROVIDER, references)).map(
          ({ orderId }) => orderId,
        );
      expect(await find(String(attempt.orderId))).toEqual([attempt.orderId]);
      expect(await find(attempt.merchantReference)).toEqual([attempt.orderId]);
      expect(await find(attempt.merchantReference, String(attempt.orderId))).toHaveLength(1);
      expect(await find(String(twin.attempt.orderId))).toEqual([twin.attempt.orderId]);
      expect(await find(String(other.attempt.orderId))).toEqual([]);
      expect(await find('A1001', 'x', '', '9'.repeat(30), "' OR 1=1 --")).toEqual([]);
      expect(await find()).toEqual([]);
    });
  });
}

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../clock.js';
import { describeOperatorStore } from '../operator/operator-store.contract.js';
import { describeEventStore } from '../order-events/event-store.contract.js';
import type { EventClaim } from '../order-events/event-store.js';
import { describeDeliveryStore } from '../webhooks/delivery-store.contract.js';
import { toStoredToken } from './attempt-token.js';
import type { Checkout } from './checkout.js';
import type {
  CheckoutStore,
  OpeningDecision,
  OpeningRequest,
  PaymentEvidence,
  StoreRules,
} from './checkout-store.js';

export interface StoreUnderTest {
  readonly store: CheckoutStore;
  /** Closes the store, and opens what it left behind as a process that has just started would. */
  reopen(): Promise<CheckoutStore>;
  /** Closes it and removes what it left behind. */
  remove(): Promise<void>;
}

/** Makes an empty store with a clock and rules of the test's own. */
export type OpenStore = (options: {
  readonly clock: Clock;
  readonly rules: StoreRules;
}) => Promise<StoreUnderTest>;

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const START = Date.parse('2026-01-01T00:00:00.000Z');
/** Seconds from 2025-01-01 to the start of each test. */
const FIRST_ORDER_ID = 365 * 86_400;

const RULES: StoreRules = {
  expireAfterSeconds: 3600,
  settleWindowSeconds: 300,
  sendLeaseSeconds: 15,
  renewalsPerHour: 3,
  watchSeconds: 14 * 86_400,
  refundWatchSeconds: 90 * 86_400,
  maxOrderId: 2 ** 31 - 1,
};

const REQUEST: OpeningRequest = {
  merchant: 'teashop',
  order: 'A1001',
  orderVersion: 'version-1',
  amountMinor: 999,
  currency: 'GBP',
  decimals: 2,
  providerMerchantId: 1001,
};
const CLAIM: EventClaim = { limit: 10, perMerchant: 10, silentMerchants: [], leaseSeconds: 30 };
const OTHER_PRICE = { orderVersion: 'version-2', amountMinor: 1299 };

/** The promises that every store keeps, whatever it stores in. */
export function describeCheckoutStore(name: string, open: OpenStore): void {
  describe(name, () => {
    let now: number;
    let underTest: StoreUnderTest;
    let store: CheckoutStore;
    const clock: Clock = { now: () => now };

    async function start(rules: Partial<StoreRules> = {}): Promise<void> {
      underTest = await open({ clock, rules: { ...RULES, ...rules } });
      store = underTest.store;
    }
    beforeEach(async () => {
      now = START;
      await start();
    });
    afterEach(() => underTest.remove());

    function begin(changes: Partial<OpeningRequest> = {}): Promise<OpeningDecision> {
      return store.beginOpening({ ...REQUEST, ...changes });
    }

    async function beginSending(changes: Partial<OpeningRequest> = {}) {
      const decision = await begin(changes);
      if (decision.kind !== 'send') throw new Error(`expected send, not ${decision.kind}`);
      return decision;
    }

    /** Opens an order as far as its session. */
    async function expose(changes: Partial<OpeningRequest> = {}, sessionId = 'session-1') {
      const sent = await beginSending(changes);
      expect(await store.exposeSession(sent.attempt.orderId, sessionId)).toBe(true);
      return sent;
    }

    async function stateOf(checkout: string): Promise<Checkout> {
      const found = await store.find(checkout);
      if (!found) throw new Error('no such checkout');
      return found;
    }

    function pay(orderId: number, changes: Partial<PaymentEvidence> = {}) {
      return store.recordPayment({
        transaction: 'tx-1',
        orderId,
        status: 'SUCCESS',
        isRefundRow: false,
        amount: '9.99',
        currency: 'GBP',
        transactionTime: '2026-01-01T00:01:00.000Z',
        refund: 'none',
        ...changes,
      });
    }

    /** What a shop is told, and takes, until nothing more is due. */
    async function eventTypes(): Promise<string[]> {
      const types: string[] = [];
      for (;;) {
        const events = await store.claimEvents(CLAIM);
        if (events.length === 0) return types;
        types.push(...events.map(({ type }) => type));
        await Promise.all(events.map(({ id }) => store.markDelivered(id)));
      }
    }

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
        expect(checkout.id).toMatch(/^[\w-]{28}$/);
        expect(attempt).toMatchObject({
          orderId: FIRST_ORDER_ID,
          merchantReference: `A1001.${String(FIRST_ORDER_ID)}`,
          checkout: checkout.id,
          status: 'sending',
          providerMerchantId: 1001,
          createdAt: START,
        });
        expect(attempt.sessionId).toBeUndefined();
        expect(new Set(Object.values(tokens)).size).toBe(4);
        expect(await store.find(checkout.id)).toEqual(checkout);
        expect(await store.findAttempts(checkout.id)).toMatchObject([{ status: 'sending' }]);
      });

      it('lets one of ten who ask at once send, and the others wait for it', async () => {
        const decisions = await Promise.all(Array.from({ length: 10 }, () => begin()));
        const kinds = decisions.map(({ kind }) => kind);
        expect(kinds.filter((kind) => kind === 'send')).toHaveLength(1);
        expect(kinds.filter((kind) => kind === 'wait')).toHaveLength(9);
      });

      it('gives the exposed session again, and opens the checkout again', async () => {
        const { checkout } = await expose();
        await store.apply(checkout.id, { type: 'cancel-hinted' });
        now += SECOND_MS;
        expect(await begin()).toMatchObject({
          kind: 'existing',
          checkout: { id: checkout.id, state: 'open', revision: 3, expiresAt: now + HOUR_MS },
          attempt: { sessionId: 'session-1', status: 'exposed' },
        });
      });

      it('takes over from a sender whose lease has run out, who may then expose nothing', async () => {
        const dead = await beginSending();
        now += 14_999;
        expect(await begin()).toMatchObject({ kind: 'wait' });
        now += 1;
        const next = await beginSending();
        expect(next.checkout.id).toBe(dead.checkout.id);
        expect(await store.exposeSession(dead.attempt.orderId, 'session-late')).toBe(false);
        expect(await store.exposeSession(next.attempt.orderId, 'session-2')).toBe(true);
        expect(await store.findAttempts(dead.checkout.id)).toMatchObject([
          { status: 'unknown', sessionId: 'session-late' },
          { status: 'exposed', sessionId: 'session-2' },
        ]);
        expect(await begin()).toMatchObject({ attempt: { sessionId: 'session-2' } });
      });

      it('keeps a session exposed when it is told of it twice', async () => {
        const { attempt } = await expose();
        expect(await store.exposeSession(attempt.orderId, 'session-1')).toBe(false);
        expect(await begin()).toMatchObject({ kind: 'existing', attempt: { status: 'exposed' } });
      });

      it.each(['unknown', 'refused', 'not_sent'] as const)(
        'sends again, for the same checkout, after an attempt that ended %s',
        async (status) => {
          const first = await beginSending();
          await store.endAttempt(first.attempt.orderId, status);
          const second = await beginSending();
          expect(second.checkout.id).toBe(first.checkout.id);
          expect(second.attempt.orderId).toBeGreaterThan(first.attempt.orderId);
          expect(await store.findAttempts(first.checkout.id)).toMatchObject([
            { status },
            { status: 'sending' },
          ]);
        },
      );

      it('never ends an attempt whose session is exposed', async () => {
        const { attempt } = await expose();
        await store.endAttempt(attempt.orderId, 'unknown');
        expect(await begin()).toMatchObject({ kind: 'existing' });
      });

      it('makes another checkout for another price, and the older session gives way', async () => {
        const first = await expose();
        const second = await expose(OTHER_PRICE, 'session-2');
        expect(second.checkout.id).not.toBe(first.checkout.id);
        expect(await store.findAttempts(first.checkout.id)).toMatchObject([
          { status: 'superseded', sessionId: 'session-1' },
        ]);
        const order = await store.findOrder('teashop', 'A1001');
        expect(order.map(({ id }) => id)).toEqual([first.checkout.id, second.checkout.id]);
      });

      it('keeps orders of the same name of two merchants apart', async () => {
        const first = await expose();
        const second = await expose({ merchant: 'bookshop' }, 'session-2');
        expect(second.checkout.id).not.toBe(first.checkout.id);
        expect(second.attempt.orderId).not.toBe(first.attempt.orderId);
        expect(await store.findOrder('bookshop', 'A1001')).toHaveLength(1);
      });

      it('renews a session three times an hour', async () => {
        await expose();
        for (let renewal = 1; renewal <= 3; renewal += 1) {
          now += SECOND_MS;
          const renew = `session-${String(renewal)}`;
          await expose({ renew }, `session-${String(renewal + 1)}`);
        }
        expect(await begin({ renew: 'session-4' })).toEqual({
          kind: 'too-many-renewals',
          retryAfterSeconds: 3598,
        });
        now += HOUR_MS - 2 * SECOND_MS;
        expect(await begin({ renew: 'session-4' })).toMatchObject({ kind: 'send' });
      });

      it('opens nothing once the order is paid, and flags another price once', async () => {
        const { checkout, attempt } = await expose();
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
        const { checkout, tokens } = await expose();
        await store.recordReturn(toStoredToken(tokens.return));
        expect(await begin(OTHER_PRICE)).toMatchObject({
          kind: 'settled',
          checkout: { id: checkout.id, state: 'returned' },
        });
      });
    });

    describe('order_id', () => {
      it('only grows: with the clock, and by one where the clock stands or goes back', async () => {
        const ids: number[] = [];
        for (const step of [0, 0, 10 * SECOND_MS, -HOUR_MS]) {
          now += step;
          const { attempt } = await beginSending({ order: `A${String(ids.length)}` });
          ids.push(attempt.orderId - FIRST_ORDER_ID);
        }
        expect(ids).toEqual([0, 1, 10, 11]);
      });

      it('is refused beyond its maximum, and nothing is stored then', async () => {
        await underTest.remove();
        await start({ maxOrderId: FIRST_ORDER_ID });
        await beginSending();
        await expect(begin({ order: 'A1002' })).rejects.toMatchObject({
          name: 'OrderIdsExhaustedError',
        });
        expect(await store.findOrder('teashop', 'A1002')).toEqual([]);
      });
    });

    describe('finding', () => {
      it('gives the checkouts that are known, in the order asked', async () => {
        const first = await beginSending();
        const second = await beginSending({ order: 'A1002' });
        const asked = [second.checkout.id, 'nobody', first.checkout.id];
        expect((await store.findMany(asked)).map(({ order }) => order)).toEqual(['A1002', 'A1001']);
        expect(await store.find('nobody')).toBeUndefined();
        expect(await store.findOrder('teashop', 'A9')).toEqual([]);
        expect(await store.findAttempts('nobody')).toEqual([]);
      });

      it('finds attempts by order_id or reference, of one provider merchant', async () => {
        const { attempt } = await beginSending();
        const twin = await beginSending({ merchant: 'bookshop' });
        const other = await beginSending({ merchant: 'other', providerMerchantId: 1002 });
        const find = async (...references: string[]) =>
          (await store.findAttemptsByReference(1001, references)).map(({ orderId }) => orderId);
        expect(await find(String(attempt.orderId))).toEqual([attempt.orderId]);
        expect(await find(attempt.merchantReference)).toEqual([attempt.orderId]);
        expect(await find(attempt.merchantReference, String(attempt.orderId))).toHaveLength(1);
        expect(await find(String(twin.attempt.orderId))).toEqual([twin.attempt.orderId]);
        expect(await find(String(other.attempt.orderId))).toEqual([]);
        expect(await find('A1001', 'x', '', '9'.repeat(30), "' OR 1=1 --")).toEqual([]);
        expect(await find()).toEqual([]);
      });
    });

    describe('evidence', () => {
      it('pays the checkout and tells the shop once, however often it is recorded', async () => {
        const { checkout, attempt } = await expose();
        const [first, ...others] = await Promise.all([0, 1, 2, 3].map(() => pay(attempt.orderId)));
        expect(first?.after).toMatchObject({ state: 'paid', paidBy: 'tx-1', revision: 2 });
        for (const other of others) expect(other?.after).toBe(other?.before);
        expect(await eventTypes()).toEqual(['checkout.paid']);
        expect(await store.findTransactions(checkout.id)).toEqual([
          {
            id: 'tx-1',
            orderId: attempt.orderId,
            status: 'SUCCESS',
            amount: '9.99',
            currency: 'GBP',
            transactionTime: '2026-01-01T00:01:00.000Z',
          },
        ]);
      });

      it('serves one checkout only, for ever', async () => {
        const first = await expose();
        const second = await expose({ order: 'A1002' });
        await pay(first.attempt.orderId);
        expect(await pay(second.attempt.orderId)).toBeUndefined();
        expect((await stateOf(second.checkout.id)).state).toBe('open');
        expect(await store.findTransactions(second.checkout.id)).toEqual([]);
      });

      it('counts for attempts that gave way, ended, or are still being sent', async () => {
        const sending = await beginSending();
        await pay(sending.attempt.orderId);
        expect((await stateOf(sending.checkout.id)).state).toBe('paid');

        const lost = await beginSending({ order: 'A1002' });
        await store.endAttempt(lost.attempt.orderId, 'unknown');
        await pay(lost.attempt.orderId, { transaction: 'tx-2' });
        expect((await stateOf(lost.checkout.id)).state).toBe('paid');

        const old = await expose({ order: 'A1003' });
        now += SECOND_MS;
        await expose({ order: 'A1003', ...OTHER_PRICE }, 'session-2');
        await pay(old.attempt.orderId, { transaction: 'tx-3' });
        expect(await stateOf(old.checkout.id)).toMatchObject({
          state: 'paid',
          attention: ['superseded_paid'],
        });
      });

      it('of a second payment is flagged, for the same version and for another one', async () => {
        const first = await expose();
        now += SECOND_MS;
        const second = await expose(OTHER_PRICE, 'session-2');
        await pay(second.attempt.orderId);
        await pay(second.attempt.orderId, { transaction: 'tx-2' });
        expect(await stateOf(second.checkout.id)).toMatchObject({
          paidBy: 'tx-1',
          attention: ['paid_twice'],
        });
        await pay(first.attempt.orderId, { transaction: 'tx-3' });
        expect(await stateOf(first.checkout.id)).toMatchObject({
          state: 'paid',
          attention: ['paid_twice'],
        });
      });

      it('of money given back follows the payment, by its own row or by another', async () => {
        const { checkout, attempt } = await expose();
        await pay(attempt.orderId);
        await pay(attempt.orderId, { refund: 'partial' });
        expect((await stateOf(checkout.id)).refund).toBe('partial');
        const refundRow = { transaction: 'tx-2', status: 'REFUNDED', isRefundRow: true } as const;
        await pay(attempt.orderId, { ...refundRow, refund: 'full' });
        await pay(attempt.orderId, { ...refundRow, refund: 'full' });
        expect(await stateOf(checkout.id)).toMatchObject({ refund: 'full', attention: [] });
        expect(await eventTypes()).toEqual([
          'checkout.paid',
          'checkout.refunded',
          'checkout.refunded',
        ]);
      });

      it('of two refunds of a part that come to the whole is a full refund', async () => {
        const { checkout, attempt } = await expose();
        await pay(attempt.orderId);
        const part = { status: 'REFUNDED', isRefundRow: true, refund: 'partial' } as const;
        await pay(attempt.orderId, { ...part, transaction: 'tx-2', amount: '4.00' });
        expect((await stateOf(checkout.id)).refund).toBe('partial');
        await pay(attempt.orderId, { ...part, transaction: 'tx-3', amount: '5.99' });
        expect((await stateOf(checkout.id)).refund).toBe('full');
      });

      it('of a second payment given back leaves the first one whole', async () => {
        const { checkout, attempt } = await expose();
        await pay(attempt.orderId);
        await pay(attempt.orderId, { transaction: 'tx-2' });
        await pay(attempt.orderId, { transaction: 'tx-2', refund: 'full' });
        expect(await stateOf(checkout.id)).toMatchObject({ refund: 'none', paidBy: 'tx-1' });
      });

      it('of a refund seen first is joined by its payment, and a later one is a second', async () => {
        const { checkout, attempt } = await expose();
        await pay(attempt.orderId, { status: 'REFUNDED', isRefundRow: true, refund: 'full' });
        expect(await stateOf(checkout.id)).toMatchObject({ state: 'paid', refund: 'full' });
        await pay(attempt.orderId, { transaction: 'tx-2' });
        expect((await stateOf(checkout.id)).attention).toEqual([]);
        now += 1;
        await pay(attempt.orderId, { transaction: 'tx-3' });
        expect((await stateOf(checkout.id)).attention).toEqual(['paid_twice']);
      });

      it('after a refund seen first is a second one where the merchant entry says so', async () => {
        const { checkout, attempt } = await expose();
        await pay(attempt.orderId, { status: 'REFUNDED', isRefundRow: true, refund: 'full' });
        await pay(attempt.orderId, { transaction: 'tx-2', joinsRefundRow: false });
        expect((await stateOf(checkout.id)).attention).toEqual(['paid_twice']);
      });

      it('keeps the status of a transaction as the provider last said it', async () => {
        const { checkout, attempt } = await expose();
        await pay(attempt.orderId);
        await pay(attempt.orderId, { status: 'REFUNDED', isRefundRow: true, refund: 'full' });
        expect(await store.findTransactions(checkout.id)).toMatchObject([
          { id: 'tx-1', status: 'REFUNDED' },
        ]);
        expect((await stateOf(checkout.id)).refund).toBe('full');
      });
    });

    describe('a visit to a return address', () => {
      it.each([
        ['return', 'returned'],
        ['cancel', 'cancelled'],
        ['back', 'left'],
      ] as const)('%s makes the checkout %s', async (kind, state) => {
        const { checkout, attempt, tokens } = await expose();
        const visit = await store.recordReturn(toStoredToken(tokens[kind]));
        expect(visit).toMatchObject({
          kind,
          attempt: { orderId: attempt.orderId },
          change: { before: { state: 'open' }, after: { state } },
        });
        expect((await stateOf(checkout.id)).state).toBe(state);
        const again = await store.recordReturn(toStoredToken(tokens[kind]));
        expect(again?.change.after).toEqual(again?.change.before);
      });

      it('of a session that gave way moves nothing', async () => {
        const { checkout, tokens } = await expose();
        await expose({ renew: 'session-1' }, 'session-2');
        for (const kind of ['return', 'cancel', 'back'] as const) {
          expect(await store.recordReturn(toStoredToken(tokens[kind]))).toMatchObject({ kind });
        }
        expect((await stateOf(checkout.id)).state).toBe('open');
      });

      it('needs a token of that kind', async () => {
        const { tokens } = await expose();
        expect(await store.recordReturn(toStoredToken('unknown'))).toBeUndefined();
        expect(await store.recordReturn(toStoredToken(tokens.webhook))).toBeUndefined();
        expect(
          await store.recordReturn({ ...toStoredToken(tokens.return), hash: tokens.return }),
        ).toBeUndefined();
      });
    });

    describe('time', () => {
      it('works on what is due, and on nothing else', async () => {
        const expiring = await expose();
        const settling = await expose({ order: 'A1002' });
        await store.recordReturn(toStoredToken(settling.tokens.return));
        now += 300 * SECOND_MS - 1;
        expect(await store.applyTime(10)).toEqual([]);
        now += 1;
        expect(await store.applyTime(10)).toMatchObject([
          { after: { id: settling.checkout.id, state: 'unconfirmed' } },
        ]);
        now = START + HOUR_MS;
        expect(await store.applyTime(10)).toMatchObject([
          { after: { id: expiring.checkout.id, state: 'expired' } },
        ]);
        expect(await store.applyTime(10)).toEqual([]);
      });

      it('takes no more than asked at a time', async () => {
        for (let order = 0; order < 5; order += 1) await expose({ order: `A${String(order)}` });
        now += HOUR_MS;
        expect(await store.applyTime(3)).toHaveLength(3);
        expect(await store.applyTime(3)).toHaveLength(2);
      });
    });

    describe('looks that nobody asks for', () => {
      /** How long after its opening each look at an attempt is due, in seconds. */
      async function looksUntil(end: number): Promise<number[]> {
        const times: number[] = [];
        for (; now < end; now += 30 * SECOND_MS) {
          const due = await store.claimDueLooks(10);
          times.push(...due.map(() => (now - START) / SECOND_MS));
        }
        return times;
      }

      it('come at growing pauses, each once', async () => {
        const { checkout, attempt } = await expose();
        expect(await store.claimDueLooks(10)).toEqual([]);
        expect(await looksUntil(START + HOUR_MS)).toEqual([30, 90, 210, 450, 930, 1890]);
        now = START + DAY_MS;
        expect(await store.claimDueLooks(10)).toEqual([
          {
            orderId: attempt.orderId,
            checkout: checkout.id,
            merchant: 'teashop',
            createdAt: START,
            looks: 7,
          },
        ]);
      });

      it.each([
        ['unpaid', RULES.watchSeconds],
        ['paid', RULES.refundWatchSeconds],
      ])('end when an %s attempt has been watched long enough', async (kind, watchSeconds) => {
        const { attempt } = await expose();
        if (kind === 'paid') await pay(attempt.orderId);
        let lastLookAt = 0;
        for (; now < START + 100 * DAY_MS; now += HOUR_MS) {
          if ((await store.claimDueLooks(10)).length > 0) lastLookAt = now;
        }
        const watched = (lastLookAt - START) / SECOND_MS;
        expect(watched).toBeLessThanOrEqual(watchSeconds);
        expect(watched).toBeGreaterThan(watchSeconds - 86_400);
      });
    });

    describe('events', () => {
      it('are stored with the change that they tell, numbered within the checkout', async () => {
        const { checkout, attempt } = await expose({ shopVersion: 'v7' });
        await store.apply(checkout.id, { type: 'cancel-hinted' });
        await store.apply(checkout.id, { type: 'reopened' });
        now += SECOND_MS;
        await pay(attempt.orderId);
        const first = await store.claimEvents(CLAIM);
        await Promise.all(first.map(({ id }) => store.markDelivered(id)));
        const events = [...first, ...(await store.claimEvents(CLAIM))];
        expect(events.map(({ type, tries }) => [type, tries])).toEqual([
          ['checkout.cancelled', 0],
          ['checkout.paid', 0],
        ]);
        expect(new Set(events.map(({ id }) => id)).size).toBe(2);
        expect(JSON.parse(events[1]?.body ?? '')).toEqual({
          type: 'checkout.paid',
          timestamp: new Date(now).toISOString(),
          data: {
            merchant: 'teashop',
            order: 'A1001',
            version: 'v7',
            checkout: checkout.id,
            state: 'paid',
            certain: true,
            sequence: 2,
            amount: '9.99',
            currency: 'GBP',
            refund: 'none',
            attention: [],
            transaction: 'tx-1',
          },
        });
        expect((await stateOf(checkout.id)).sequence).toBe(2);
      });

      it('are taken by one sender at a time, and again when its lease has run out', async () => {
        const { attempt } = await expose();
        await pay(attempt.orderId);
        const claims = await Promise.all([0, 1, 2].map(() => store.claimEvents(CLAIM)));
        expect(claims.flat()).toHaveLength(1);
        expect(await store.nextEventAt()).toBe(START + 30 * SECOND_MS);
        now += 30 * SECOND_MS - 1;
        expect(await store.claimEvents(CLAIM)).toEqual([]);
        now += 1;
        expect(await store.claimEvents(CLAIM)).toEqual(claims.flat());
      });

      it('that were delivered never come again', async () => {
        const { attempt } = await expose();
        await pay(attempt.orderId);
        const [event] = await store.claimEvents(CLAIM);
        await store.markDelivered(event?.id ?? '');
        await store.markFailed(event?.id ?? '', 5);
        expect(await store.nextEventAt()).toBeUndefined();
        now += DAY_MS;
        expect(await store.claimEvents(CLAIM)).toEqual([]);
      });

      it('that were not taken come again after the pause, the same; or never', async () => {
        const { attempt } = await expose();
        await pay(attempt.orderId);
        const [event] = await store.claimEvents(CLAIM);
        await store.markFailed(event?.id ?? '', 5);
        expect(await store.nextEventAt()).toBe(START + 5 * SECOND_MS);
        now += 5 * SECOND_MS;
        expect(await store.claimEvents(CLAIM)).toEqual([{ ...event, tries: 1 }]);
        await store.markFailed(event?.id ?? '', undefined);
        now += DAY_MS;
        expect(await store.claimEvents(CLAIM)).toEqual([]);
      });

      it('come oldest first, no more than asked for', async () => {
        for (let order = 0; order < 3; order += 1) {
          now += SECOND_MS;
          const { attempt } = await expose({ order: `A${String(order)}` });
          await pay(attempt.orderId, { transaction: `tx-${String(order)}` });
        }
        const orders = (await store.claimEvents({ ...CLAIM, limit: 2 })).map(
          ({ body }) => (JSON.parse(body) as { data: { order: string } }).data.order,
        );
        expect(orders).toEqual(['A0', 'A1']);
        expect(await store.claimEvents({ ...CLAIM, limit: 2 })).toHaveLength(1);
      });
    });

    describe('a step', () => {
      it('that fails changes nothing, nor what is done beside it', async () => {
        const { checkout } = await expose();
        const steps = await Promise.allSettled([
          store.apply(checkout.id, { type: 'cancel-hinted' }),
          store.apply('nobody', { type: 'cancel-hinted' }),
          store.exposeSession(1, 'session-x'),
          store.apply(checkout.id, { type: 'attention-needed', code: 'amount_mismatch' }),
        ]);
        expect(steps.map(({ status }) => status)).toEqual([
          'fulfilled',
          'rejected',
          'rejected',
          'fulfilled',
        ]);
        expect(await stateOf(checkout.id)).toMatchObject({
          state: 'cancelled',
          attention: ['amount_mismatch'],
          revision: 3,
        });
      });

      it('is counted once, however many come together', async () => {
        const { checkout } = await expose();
        const facts = Array.from({ length: 50 }, (_, index) =>
          index % 2 === 0 ? ({ type: 'cancel-hinted' } as const) : ({ type: 'reopened' } as const),
        );
        await Promise.all(facts.map((fact) => store.apply(checkout.id, fact)));
        expect(await stateOf(checkout.id)).toMatchObject({ revision: 51, sequence: 25 });
      });

      it('that is answered is there after a restart', async () => {
        const { checkout, attempt, tokens } = await expose();
        await pay(attempt.orderId);
        const before = await stateOf(checkout.id);
        store = await underTest.reopen();
        expect(await stateOf(checkout.id)).toEqual(before);
        expect(await store.findAttempts(checkout.id)).toMatchObject([{ sessionId: 'session-1' }]);
        expect(await store.findTransactions(checkout.id)).toHaveLength(1);
        expect(await eventTypes()).toEqual(['checkout.paid']);
        expect(await store.recordReturn(toStoredToken(tokens.return))).toMatchObject({
          kind: 'return',
        });
        const next = await beginSending({ order: 'A1002' });
        expect(next.attempt.orderId).toBe(FIRST_ORDER_ID + 1);
      });

      it('is refused after closing, and closing twice is harmless', async () => {
        await store.ping();
        await store.close();
        await store.close();
        await expect(store.ping()).rejects.toThrow();
        await expect(begin()).rejects.toThrow();
        await expect(store.find('any')).rejects.toThrow();
      });
    });
  });
  describeEventStore(name, open);
  describeDeliveryStore(name, open);
  describeOperatorStore(name, open);
}

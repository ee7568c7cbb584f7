import { describe, expect, it } from 'vitest';
import { SECOND_MS, OTHER_PRICE, type StoreFixture } from '../testing/store-fixture.js';
import { toStoredToken } from './attempt-ids.js';

/** What a store does with evidence, and with those who come back. */
export function describePayments(fixture: StoreFixture): void {
  const { begin, beginSending, activate, stateOf, pay, eventTypes } = fixture;
  /** Records a row of a refund, next to the row of its payment. */
  const refund = (orderId: number, minor: number, transaction = 'tx-9') =>
    pay(orderId, {
      transaction,
      status: 'REFUNDED',
      isRefundRow: true,
      provesPrice: minor === 999,
      takenMinor: minor,
      refundedMinor: minor,
    });

  describe('evidence', () => {
    it('pays the checkout and notifies the shop once, however often it is recorded', async () => {
      const { checkout, attempt } = await activate();
      const steps = await Promise.all([0, 1, 2, 3].map(() => pay(attempt.orderId)));
      const changes = steps.flat().filter(({ before, after }) => after !== before);
      expect(changes).toMatchObject([{ after: { state: 'paid', paidBy: 'tx-1', revision: 2 } }]);
      expect(await eventTypes()).toEqual(['checkout.paid']);
      expect(await fixture.store.findTransactions(checkout.id)).toEqual([
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
      const first = await activate();
      const second = await activate({ order: 'A1002' });
      await pay(first.attempt.orderId);
      expect(await pay(second.attempt.orderId)).toEqual([]);
      expect((await stateOf(second.checkout.id)).state).toBe('open');
      expect(await fixture.store.findTransactions(second.checkout.id)).toEqual([]);
      expect(await fixture.store.findServed('tx-1')).toBe(first.checkout.id);
      expect(await fixture.store.findServed('tx-2')).toBeUndefined();
    });

    it('counts for attempts that were superseded, have ended, or are still being sent', async () => {
      const sending = await beginSending();
      await pay(sending.attempt.orderId);
      expect((await stateOf(sending.checkout.id)).state).toBe('paid');

      const lost = await beginSending({ order: 'A1002' });
      await fixture.store.endAttempt(lost.attempt.orderId, 'unknown');
      await pay(lost.attempt.orderId, { transaction: 'tx-2' });
      expect((await stateOf(lost.checkout.id)).state).toBe('paid');

      const old = await activate({ order: 'A1003' });
      fixture.now += SECOND_MS;
      await activate({ order: 'A1003', ...OTHER_PRICE }, 'session-2');
      await pay(old.attempt.orderId, { transaction: 'tx-3' });
      expect(await stateOf(old.checkout.id)).toMatchObject({
        state: 'paid',
        attention: ['price_changed'],
      });
    });

    it('is of an older price when another was asked since, also where that one was asked before', async () => {
      const first = await activate();
      fixture.now += SECOND_MS;
      const second = await activate(OTHER_PRICE, 'session-2');
      fixture.now += SECOND_MS;
      expect(await begin()).toMatchObject({
        kind: 'existing',
        checkout: { id: first.checkout.id },
      });
      await pay(first.attempt.orderId);
      expect((await stateOf(first.checkout.id)).attention).toEqual([]);
      await pay(second.attempt.orderId, { transaction: 'tx-2' });
      expect((await stateOf(second.checkout.id)).attention).toEqual(['paid_twice']);

      const old = await activate({ order: 'A1002' });
      fixture.now += SECOND_MS;
      const stale = await activate({ order: 'A1002', ...OTHER_PRICE }, 'session-5');
      fixture.now += SECOND_MS;
      await begin({ order: 'A1002' });
      await pay(stale.attempt.orderId, { transaction: 'tx-3' });
      expect((await stateOf(stale.checkout.id)).attention).toEqual(['price_changed']);
      expect((await stateOf(old.checkout.id)).state).toBe('open');
    });

    it('of a second payment is flagged, for the same version and for another one', async () => {
      const first = await activate();
      fixture.now += SECOND_MS;
      const second = await activate(OTHER_PRICE, 'session-2');
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

    it('of each payment after the first is sent, once', async () => {
      const { checkout, attempt } = await activate();
      for (const transaction of ['tx-1', 'tx-2', 'tx-3', 'tx-2', 'tx-3']) {
        await pay(attempt.orderId, { transaction });
      }
      expect((await stateOf(checkout.id)).attention).toEqual(['paid_twice', 'paid_twice']);
      expect(await fixture.eventTypes()).toEqual([
        'checkout.paid',
        'checkout.attention',
        'checkout.attention',
      ]);
    });

    it('of money given back follows the payment, by its own row or by another', async () => {
      const { checkout, attempt } = await activate();
      await pay(attempt.orderId);
      await pay(attempt.orderId, { refundedMinor: 400 });
      expect((await stateOf(checkout.id)).refund).toBe('partial');
      await refund(attempt.orderId, 599);
      await refund(attempt.orderId, 599);
      expect(await stateOf(checkout.id)).toMatchObject({ refund: 'full', attention: [] });
      expect(await eventTypes()).toEqual([
        'checkout.paid',
        'checkout.refunded',
        'checkout.refunded',
      ]);
    });

    it('of two refunds of a part that come to the whole is a full refund', async () => {
      const { checkout, attempt } = await activate();
      await pay(attempt.orderId);
      await refund(attempt.orderId, 400, 'tx-2');
      expect((await stateOf(checkout.id)).refund).toBe('partial');
      await refund(attempt.orderId, 599, 'tx-3');
      expect((await stateOf(checkout.id)).refund).toBe('full');
    });

    it('of a second payment given back leaves the first one whole', async () => {
      const { checkout, attempt } = await activate();
      await pay(attempt.orderId);
      await pay(attempt.orderId, { transaction: 'tx-2' });
      await pay(attempt.orderId, { transaction: 'tx-2', refundedMinor: 999 });
      expect(await stateOf(checkout.id)).toMatchObject({ refund: 'none', paidBy: 'tx-1' });
    });

    it('of a refund of one price of an order changes the other one, when its money is gone too', async () => {
      const cheap = await activate();
      fixture.now += SECOND_MS;
      const dear = await activate(OTHER_PRICE, 'session-2');
      await pay(cheap.attempt.orderId);
      await pay(dear.attempt.orderId, { transaction: 'tx-2', takenMinor: 1299 });
      await pay(cheap.attempt.orderId, { refundedMinor: 999 });
      expect((await stateOf(cheap.checkout.id)).refund).toBe('none');
      expect((await stateOf(dear.checkout.id)).refund).toBe('none');
      await pay(dear.attempt.orderId, { transaction: 'tx-2', refundedMinor: 1299 });
      expect((await stateOf(cheap.checkout.id)).refund).toBe('full');
      expect((await stateOf(dear.checkout.id)).refund).toBe('full');
    });

    it('of a refund seen first is joined by its payment, and a later one is a second', async () => {
      const { checkout, attempt } = await activate();
      await refund(attempt.orderId, 999, 'tx-1');
      expect(await stateOf(checkout.id)).toMatchObject({ state: 'paid', refund: 'full' });
      await pay(attempt.orderId, { transaction: 'tx-2' });
      expect((await stateOf(checkout.id)).attention).toEqual([]);
      await pay(attempt.orderId, { transaction: 'tx-3' });
      expect((await stateOf(checkout.id)).attention).toEqual(['paid_twice']);
    });

    it('made after a payment was given back is a second one, and the first may still be seen', async () => {
      const { checkout, attempt } = await activate();
      await refund(attempt.orderId, 999, 'tx-1');
      await pay(attempt.orderId, {
        transaction: 'tx-2',
        transactionTime: '2026-01-01T00:30:00.000Z',
      });
      expect(await stateOf(checkout.id)).toMatchObject({
        attention: ['paid_twice'],
        refund: 'none',
      });
      await pay(attempt.orderId, {
        transaction: 'tx-3',
        transactionTime: '2026-01-01T00:00:30.000Z',
      });
      expect(await stateOf(checkout.id)).toMatchObject({
        attention: ['paid_twice'],
        refund: 'none',
      });
    });

    it('after a refund seen first is a second one where the merchant entry says so', async () => {
      const { checkout, attempt } = await activate();
      const joinsRefundRow = false;
      await refund(attempt.orderId, 999, 'tx-1');
      await pay(attempt.orderId, { transaction: 'tx-2', joinsRefundRow });
      expect(await stateOf(checkout.id)).toMatchObject({
        attention: ['paid_twice'],
        refund: 'none',
      });
    });

    it('of a second payment is flagged, also when the first one has been given back', async () => {
      const { checkout, attempt } = await activate();
      await pay(attempt.orderId);
      await pay(attempt.orderId, { status: 'REFUNDED', isRefundRow: true, refundedMinor: 999 });
      await pay(attempt.orderId, { transaction: 'tx-2' });
      expect(await stateOf(checkout.id)).toMatchObject({
        paidBy: 'tx-1',
        refund: 'none',
        attention: ['paid_twice'],
      });
    });

    it('keeps the status of a transaction as the provider last said it', async () => {
      const { checkout, attempt } = await activate();
      await pay(attempt.orderId);
      await pay(attempt.orderId, { status: 'REFUNDED', isRefundRow: true, refundedMinor: 999 });
      expect(await fixture.store.findTransactions(checkout.id)).toMatchObject([
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
      const { checkout, attempt, tokens } = await activate();
      const visit = await fixture.store.recordReturn(toStoredToken(tokens[kind]));
      expect(visit).toMatchObject({
        kind,
        attempt: { orderId: attempt.orderId },
        change: { before: { state: 'open' }, after: { state } },
      });
      expect((await stateOf(checkout.id)).state).toBe(state);
      const again = await fixture.store.recordReturn(toStoredToken(tokens[kind]));
      expect(again?.change.after).toEqual(again?.change.before);
    });

    it('of a session that was superseded moves nothing when it was left, and waits for money when it was paid', async () => {
      const { checkout, tokens } = await activate();
      await activate({ renew: 'session-1' }, 'session-2');
      for (const kind of ['cancel', 'back'] as const) {
        expect(await fixture.store.recordReturn(toStoredToken(tokens[kind]))).toMatchObject({
          kind,
        });
      }
      expect((await stateOf(checkout.id)).state).toBe('open');
      await fixture.store.recordReturn(toStoredToken(tokens.return));
      expect((await stateOf(checkout.id)).state).toBe('returned');
      expect(await fixture.begin({ renew: 'session-2' })).toMatchObject({ kind: 'settled' });
    });

    it('needs a token of that kind', async () => {
      const { tokens } = await activate();
      expect(await fixture.store.recordReturn(toStoredToken('unknown'))).toBeUndefined();
      expect(await fixture.store.recordReturn(toStoredToken(tokens.webhook))).toBeUndefined();
      expect(
        await fixture.store.recordReturn({ ...toStoredToken(tokens.return), hash: tokens.return }),
      ).toBeUndefined();
    });
  });
}

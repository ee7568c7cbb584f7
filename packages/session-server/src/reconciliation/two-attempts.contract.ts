import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AttemptTokens, toStoredToken } from '../checkouts/attempt-ids.js';
import type { Checkout } from '../checkouts/state-machine.js';
import type { AttemptRequest } from '../checkouts/attempt-repository.js';
import type { TestStore } from '../testing/test-store.js';
import { TEST_REQUEST, testEvidence, AT_PROVIDER } from '../testing/store-harness.js';
import type { PropertyRuns, StartReconciliation } from '../testing/quiet-reconciliation.js';
import { testMerchant } from '../testing/test-merchant.js';
import type { ReconciliationService } from './service.js';

const PRICES = [
  { orderVersion: 'version-1', amountMinor: 999 },
  { orderVersion: 'version-2', amountMinor: 1299 },
];
const STEPS = [
  'opened again',
  'opened at the other price',
  'renewed',
  'return',
  'cancel',
  'back',
  'failed, by a verified webhook',
  'paid, by a verified webhook',
  'paid',
  'paid again in the same session',
  'an hour passes',
] as const;
type Step = (typeof STEPS)[number];

/** An attempt as it was made. */
interface Made {
  readonly orderId: number;
  readonly checkout: string;
  readonly amount: string;
  readonly tokens: AttemptTokens;
}

/** What every store promises of an order with several sessions. */
export function describeAttempts(start: StartReconciliation, runs: PropertyRuns = {}): void {
  describe('an order that is opened again and again', () => {
    const merchant = testMerchant();
    let now = Date.UTC(2026, 0, 1);
    let count = 0;
    let store: TestStore;
    let reconciliation: ReconciliationService;
    let close: () => Promise<void>;
    beforeAll(async () => {
      ({ store, reconciliation, close } = await start(merchant, {
        now: () => now,
      }));
    });
    afterAll(() => close());

    /** One order, its attempts from the oldest to the newest, and the money that was taken for it. */
    class Scenario {
      readonly order = `A${String((count += 1))}`;
      readonly made: Made[] = [];
      readonly payments: string[] = [];
      #price = 0;

      checkouts(): Promise<Checkout[]> {
        return store.findOrder('teashop', this.order);
      }

      /** The session that may be shown, if there is one. */
      async shown(): Promise<Made | undefined> {
        const attempts = await Promise.all(
          (await this.checkouts()).map(({ id }) => store.findAttempts(id)),
        );
        const shown = attempts.flat().find(({ status }) => status === 'active');
        return this.made.find(({ orderId }) => orderId === shown?.orderId);
      }

      async open(changes: Partial<AttemptRequest> = {}): Promise<void> {
        const request = { ...TEST_REQUEST, ...PRICES[this.#price], order: this.order, ...changes };
        const decision = await store.beginAttempt(request);
        if (decision.kind !== 'send') return;
        expect(this.payments).toEqual([]);
        const { checkout, attempt, tokens } = decision;
        await store.activateSession(attempt.orderId, `session-${String(attempt.orderId)}`);
        const amount = (checkout.amountMinor / 100).toFixed(2);
        this.made.push({ orderId: attempt.orderId, checkout: checkout.id, amount, tokens });
      }

      async play(step: Step, of: Made): Promise<void> {
        now += 1000;
        switch (step) {
          case 'opened again':
            return this.open();
          case 'opened at the other price':
            this.#price = 1 - this.#price;
            return this.open();
          case 'renewed':
            return this.open({ renew: `session-${String((await this.shown())?.orderId)}` });
          case 'return':
          case 'cancel':
          case 'back':
            await store.recordReturn(toStoredToken(of.tokens[step]));
            return;
          case 'failed, by a verified webhook':
          case 'paid, by a verified webhook':
            return this.deliver(step, of);
          case 'paid':
          case 'paid again in the same session':
            return this.pay(
              step === 'paid' ? `pay-${String(of.orderId)}` : `more-${String(now)}`,
              of,
            );
          case 'an hour passes':
            now += 3_600_000;
            await store.applyTime(100);
        }
      }

      async pay(id: string, { orderId, amount }: Made): Promise<void> {
        if (!this.payments.includes(id)) this.payments.push(id);
        await reconciliation.reconcile(AT_PROVIDER, [
          {
            id,
            transactionTime: new Date(now).toISOString(),
            status: 'SUCCESS',
            merchantId: 1001,
            currencyCode: 'GBP',
            amount,
            references: { orderRef: String(orderId) },
          },
        ]);
      }

      /** What a webhook proves whose signature was verified. */
      async deliver(step: Step, { orderId, amount }: Made): Promise<void> {
        const transaction = `pay-${String(orderId)}`;
        const isPaid = step === 'paid, by a verified webhook';
        if (isPaid && !this.payments.includes(transaction)) this.payments.push(transaction);
        const digest = `digest ${String(now)}`;
        await store.recordWebhook({ tokenHash: 'token', digest, sealed: Buffer.alloc(1) }, orderId);
        const [webhook] = await store.claimWebhooks(1, 30);
        const proof = isPaid
          ? ({
              kind: 'payment',
              evidence: testEvidence({
                ...{ transaction, orderId, status: 'DONE', amount },
                takenMinor: Math.round(Number(amount) * 100),
                transactionTime: new Date(now).toISOString(),
              }),
            } as const)
          : ({ kind: 'failure', orderId } as const);
        await store.completeWebhook(webhook?.id ?? 0, { flags: ['verified'], pollFor: [], proof });
        await store.settleUnpaid({ ...AT_PROVIDER, startedAt: now, sinceMs: 0 });
      }
    }

    it('is changed by an older session only where money is taken, and each extra payment is reported', async () => {
      const step = fc.tuple(fc.constantFrom(...STEPS), fc.nat());
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 16 }), async (steps) => {
          const scenario = new Scenario();
          await scenario.open();
          for (const [what, pick] of steps) {
            const of = scenario.made[pick % scenario.made.length];
            if (!of) throw new Error('no attempt was made');
            const shown = await scenario.shown();
            const before = await scenario.checkouts();
            await scenario.play(what, of);
            const after = await scenario.checkouts();
            const isOld = of.orderId !== shown?.orderId;
            if (what.startsWith('paid')) {
              // Money that is taken in a session is of its own checkout, and of no other one.
              const others = ({ id }: Checkout) => id !== of.checkout;
              const stateIn = (checkouts: readonly Checkout[]) =>
                checkouts
                  .filter(others)
                  .map(({ revision: _, supersededBy: __, ...known }) => known);
              expect(stateIn(after)).toEqual(stateIn(before));
              expect(after.find(({ id }) => id === of.checkout)?.state).toBe('paid');
            } else if (isOld && (['cancel', 'back'].includes(what) || what.startsWith('failed'))) {
              expect(after).toEqual(before);
            }
            for (const { state, paidBy = '' } of after) {
              expect(state === 'paid').toBe(scenario.payments.includes(paidBy));
            }
            const codes = after.flatMap(({ attention }) => attention);
            const tooMany = Math.max(0, scenario.payments.length - 1);
            expect(codes.filter((code) => code === 'paid_twice')).toHaveLength(tooMany);
          }
        }),
        { numRuns: 200, ...runs },
      );
    });
  });
}

import { SCENARIOS } from '@pay-checkout/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journey } from './journey.js';
import { CONFIRMING, PAID, RENEWED } from './shopper.js';

const DECLINED = 'The payment was declined. Please check the card or try another card.';

/** A card was sent before the shopper left. */
const CHECKING = /^We are checking your payment\. .*Please do not pay again\.$/;

/** What the shopper reads, and what the shop knows in the end, with each card of the sandbox. */
interface Outcome {
  readonly scenario: string;
  readonly shopperReads: string | RegExp;
  /** How long the provider's clock is then moved on; the shopper then reads that it is paid. */
  readonly laterSeconds?: number;
  /** How long the provider's clock is moved on while the shopper waits for the bank. */
  readonly bankAnswersAfterSeconds?: number;
  readonly shopKnows: 'paid' | 'awaiting_payment';
  readonly attention?: readonly string[];
  /** Whether the server may have known of the cancel before the payment, and asks a person to look. */
  readonly mayBeLate?: boolean;
  /** How many transactions pay the order, for the session server. */
  readonly transactions: number;
}

const declined = (scenario: string): Outcome => ({
  scenario,
  shopperReads: DECLINED,
  shopKnows: 'awaiting_payment',
  transactions: 0,
});
const paid = (scenario: string): Outcome => ({
  scenario,
  shopperReads: PAID,
  shopKnows: 'paid',
  transactions: 1,
});
/** Money was taken that does not pay the order: a person must look. */
const wrong = (scenario: string, attention: string): Outcome => ({
  ...declined(scenario),
  shopperReads: CONFIRMING,
  attention: [attention],
});

const OUTCOMES: readonly Outcome[] = [
  declined('insufficient-funds'),
  declined('lost-card'),
  declined('stolen-card'),
  declined('fraud-suspected'),
  declined('expired-card'),
  declined('wrong-code'),
  declined('avs-none'),
  paid('avs-full'),
  paid('avs-partial'),
  paid('frictionless'),
  paid('challenge-passed'),
  declined('challenge-failed'),
  declined('challenge-abandoned'),
  { ...declined('challenge-timed-out'), bankAnswersAfterSeconds: 30 },
  { ...paid('paid-late'), shopperReads: RENEWED, laterSeconds: 5 },
  { ...paid('paid-after-cancel'), shopperReads: CHECKING, laterSeconds: 5, mayBeLate: true },
  { ...paid('paid-twice'), attention: ['paid_twice'], transactions: 2 },
  wrong('other-amount', 'amount_mismatch'),
  wrong('other-currency', 'currency_mismatch'),
];

let journey: Journey;
beforeAll(async () => {
  journey = await Journey.start();
});
afterAll(() => journey.stop());

describe('a shopper with the card of each scenario', () => {
  it.each(OUTCOMES)('$scenario: the shop knows it as $shopKnows', async (outcome) => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    const card = SCENARIOS.find(({ name }) => name === outcome.scenario);
    await shopper.payWith(card?.cardNumber ?? '');
    if (outcome.bankAnswersAfterSeconds !== undefined) {
      await shopper.form.getByText('Waiting for your bank.').waitFor();
      await journey.sandbox.passTime(outcome.bankAnswersAfterSeconds);
    }
    await shopper.reads(outcome.shopperReads);
    if (outcome.laterSeconds !== undefined) {
      await journey.sandbox.passTime(outcome.laterSeconds);
      await shopper.reads(PAID);
    }
    const { shopKnows: state, attention = [] } = outcome;
    const known = async () => {
      const view = await shopper.orderView(order);
      const isExpected = (one: string) => !(outcome.mayBeLate && one === 'late_payment');
      return { state: view.state, attention: view.attention.filter(isExpected) };
    };
    await expect.poll(known).toEqual({ state, attention });
    const { checkouts } = await journey.orderAtServer(order);
    const transactions = checkouts.flatMap((checkout) => checkout.transactions);
    expect(transactions).toHaveLength(outcome.transactions);
    await shopper.close();
  });
});

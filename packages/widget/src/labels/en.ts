import type { AvsField } from '@pay-checkout/session-server/contract';
import type { ButtonName, Phase } from '../flow/phases.js';

/** Every word that the element says. Text only: nothing here is ever read as markup. */
export interface Labels {
  /** BCP 47 tag of these words. */
  readonly locale: string;
  readonly phases: Readonly<Partial<Record<Phase, string>>>;
  readonly buttons: Readonly<Record<ButtonName, string>>;
  /** By code of `docs/error-codes.md`; the others are said with `sdkProblem` or `problem`. */
  readonly codes: Readonly<Record<string, string>>;
  /** Of the codes that begin with `sdk_`, and of a session that the SDK refused. */
  readonly sdkProblem: string;
  readonly problem: string;
  readonly declined: string;
  readonly inWindow: string;
  readonly fields: Readonly<Record<AvsField, string>>;
  readonly refusedField: string;
  readonly close: string;
  readonly checking: string;
  readonly amount: string;
  readonly reference: string;
  readonly test: string;
  /** What assistive technology calls the element, and the provider's form in it. */
  readonly card: string;
  readonly form: string;
}

const UNKNOWN = 'We have not been able to confirm your payment yet.';

export const en: Labels = {
  locale: 'en',
  phases: {
    opening: 'Opening the checkout.',
    address: 'Please enter the address that your card is registered to.',
    redirecting: 'Taking you to the payment page.',
    confirming: 'We are confirming your payment. Please do not pay again.',
    paid: 'Payment received. Thank you.',
    failed: 'The payment did not go through. You can try again.',
    cancelled: 'You cancelled the payment.',
    left: 'You left the payment before it was finished.',
    expired: 'This checkout was open for too long. You can start again.',
    unconfirmed: `${UNKNOWN} Please do not pay again: the shop has been told and will contact you.`,
  },
  buttons: {
    pay: 'Pay',
    next: 'Continue',
    continue: 'Continue to the payment page',
    check: 'Check again',
    retry: 'Try again',
  },
  codes: {
    server_unreachable: 'The payment service cannot be reached. Check your connection.',
    order_already_paid: 'This order has been paid already.',
    order_void: 'This order can no longer be paid. Please ask the shop.',
    order_token_expired: 'This page has been open for too long. Reload it to pay.',
    checkout_mismatch: 'The address of this page belongs to another order.',
    checkout_not_found: 'The payment in the address of this page was not found.',
    outcome_unknown: `${UNKNOWN} Please ask the shop.`,
  },
  sdkProblem: 'The payment form could not be shown.',
  problem: 'Something went wrong. Please try again in a moment.',
  declined: 'The payment was declined. Please try another card.',
  inWindow: 'Please pay in the window that has opened.',
  fields: {
    houseNumber: 'House number or name',
    postcode: 'Postcode',
    flat: 'Flat',
    address1: 'Address',
    address2: 'Address, second line',
  },
  refusedField: 'Please check this.',
  close: 'Close',
  checking: 'Asking about the payment.',
  amount: 'Amount',
  reference: 'Reference',
  test: 'Test',
  card: 'Checkout',
  form: 'Payment form',
};

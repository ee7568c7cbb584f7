import type { AvsField } from '@pay-checkout/session-server/contract';
import type { ButtonName, Phase } from '../flow/phases.js';

/** Every text that the element shows. Plain text: none of it is parsed as markup. */
export interface Labels {
  /** BCP 47 tag of these texts. */
  readonly locale: string;
  /** The direction that they are read in; empty for that of the page. */
  readonly dir: 'ltr' | 'rtl' | '';
  readonly phases: Readonly<Partial<Record<Phase, string>>>;
  readonly buttons: Readonly<Record<ButtonName, string>>;
  /** By code of `docs/error-codes.md`; for the others see `sdkError` and `error`. */
  readonly codes: Readonly<Record<string, string>>;
  /** For the codes that begin with `sdk_`, and for a session that the SDK refused. */
  readonly sdkError: string;
  readonly error: string;
  /** Beside a problem before which no form was there. */
  readonly unpaid: string;
  readonly declined: string;
  readonly refunded: string;
  readonly submitted: string;
  readonly inWindow: string;
  readonly fields: Readonly<Record<AvsField, string>>;
  /** Beside a required field that was left empty. */
  readonly missingField: string;
  readonly rejectedField: string;
  readonly close: string;
  readonly checking: string;
  readonly amount: string;
  /** With its colon. */
  readonly reference: string;
  readonly test: string;
  /** Accessible name of the element. */
  readonly card: string;
  /** Accessible name of the provider's form. */
  readonly form: string;
}

export const en: Labels = {
  locale: 'en',
  dir: 'ltr',
  phases: {
    opening: 'Opening the checkout.',
    address: 'Please enter the billing address of your card.',
    redirecting: 'Please continue on the payment page.',
    confirming: 'We are confirming your payment. Please do not pay again.',
    paid: 'Payment received. Thank you.',
    failed: 'The payment did not go through. You can try again.',
    cancelled: 'You cancelled the payment.',
    left: 'You left the payment before it was finished.',
    expired: 'This checkout has expired. You can start again.',
    unconfirmed:
      'We have not been able to confirm your payment yet. Please do not pay again: the shop has been notified and will contact you.',
  },
  buttons: {
    pay: 'Pay',
    next: 'Continue',
    continue: 'Continue to the payment page',
    check: 'Check again',
    retry: 'Try again',
    again: 'Show again',
    cancel: 'Cancel',
  },
  codes: {
    server_refused: 'This page cannot take payments. Please contact the shop.',
    merchant_disabled: 'This page cannot take payments. Please contact the shop.',
    server_unreachable:
      'The payment service cannot be reached. Please check your connection and try again.',
    order_already_paid: 'This order has already been paid.',
    order_void: 'This order can no longer be paid. Please contact the shop.',
    order_token_expired: 'This page has expired. Please reload it to pay.',
    checkout_mismatch: 'The link to this page belongs to another order.',
    checkout_not_found: 'We could not find the payment for this link.',
    outcome_unknown: 'We have not been able to confirm your payment yet. Please contact the shop.',
  },
  sdkError: 'The payment form could not be shown.',
  error: 'Something went wrong. Please try again in a moment.',
  unpaid: 'No money was taken this time.',
  declined: 'The payment was declined. Please try another card.',
  refunded: 'This payment was refunded.',
  submitted: 'Confirming your payment. Do not pay again.',
  inWindow: 'Please pay in the window that has opened.',
  fields: {
    houseNumber: 'House number or name',
    postcode: 'Postcode',
    flat: 'Flat (optional)',
    address1: 'Address line 1 (optional)',
    address2: 'Address line 2 (optional)',
  },
  missingField: 'Please fill in this field.',
  rejectedField: 'Please check this field.',
  close: 'Close',
  checking: 'Checking the payment.',
  amount: 'Amount',
  reference: 'Reference:',
  test: 'Test',
  card: 'Checkout',
  form: 'Payment form',
};

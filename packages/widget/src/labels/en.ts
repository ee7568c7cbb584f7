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
  /** Next to a problem, where the server answered that nothing was paid for the order. */
  readonly unpaid: string;
  /** Next to the other problems. */
  readonly unknown: string;
  /** Below `paid`: what happens next. */
  readonly paidNext: string;
  /** When a submitted card turned out to have paid nothing. */
  readonly notFound: string;
  /** Above a form that replaces an expired one. */
  readonly renewed: string;
  readonly declined: string;
  readonly refunded: string;
  readonly submitted: string;
  readonly inWindow: string;
  readonly fields: Readonly<Record<AvsField, string>>;
  /** Next to a required field that was left empty. */
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
    address: 'Please enter the address that your bank has for your card.',
    redirecting: 'Opening the payment page.',
    confirming:
      'We are checking your payment. This can take a few minutes. Please do not pay again.',
    paid: 'Payment received. Thank you.',
    failed: 'The payment did not go through. You can try again.',
    cancelled: 'You left the payment form. You can try again.',
    left: 'You left the payment form. You can try again.',
    expired: 'This checkout has expired. You can try again.',
    unconfirmed:
      'We do not know yet if your payment went through. Please do not pay again. If you hear nothing, contact the shop with this reference.',
  },
  buttons: {
    pay: 'Pay',
    next: 'Continue',
    continue: 'Continue to the payment page',
    check: 'Check again',
    retry: 'Try again',
    again: 'Show the payment form',
    cancel: 'Cancel payment',
    resume: 'Back to the payment form',
  },
  codes: {
    server_refused: 'This page cannot take payments. Please contact the shop.',
    page_without_origin: 'This page cannot take payments. Please contact the shop.',
    merchant_disabled: 'This page cannot take payments. Please contact the shop.',
    server_unreachable:
      'The payment service cannot be reached. Please check your connection and try again.',
    order_already_paid: 'This order is already paid. Please do not pay again.',
    order_void: 'This order can no longer be paid. Please contact the shop.',
    opening_timeout: 'A payment for this order may be pending. Please try again in a minute.',
    order_token_expired: 'This page has expired. Please reload it.',
    checkout_mismatch: 'This link belongs to another order. Please open your order in the shop.',
    checkout_not_found: 'This payment could not be found. Please open your order in the shop.',
  },
  sdkError: 'The payment form could not be shown.',
  error: 'Something went wrong. Please try again in a minute, or contact the shop with this code.',
  unpaid: 'No money was taken.',
  unknown:
    'We do not know yet if a payment was made. If you have already paid, please do not pay again.',
  paidNext: 'The shop will now take care of your order.',
  notFound: 'We have found no payment. You can try again.',
  renewed: 'The payment form had expired. Please enter your details again.',
  declined: 'The payment was declined. Please check the card or try another card.',
  refunded: 'This payment was refunded. The money can take a few days to arrive.',
  submitted:
    'We are checking your payment. If your bank asks, please approve it. Please do not pay again.',
  inWindow: 'Please pay in the other window. If you cannot see it, press the button.',
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

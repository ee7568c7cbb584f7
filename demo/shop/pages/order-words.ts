/** What the shop says about an order, from what its back end knows. */
import type { OrderView, PaymentView, TimelineView } from '../order-view.js';

/** One line of the timeline, for a person. */
export interface TimelineLine {
  readonly at: string;
  readonly words: string;
}

const WORDS: Readonly<Record<string, string>> = {
  'checkout.returned': 'You came back from the payment page. We are waiting for the confirmation.',
  'checkout.unconfirmed':
    'The payment could not be confirmed yet. Please do not pay again: we keep checking.',
  'checkout.attention': 'Our team needs to check the payment. We will write to you.',
  'checkout.failed': 'A payment did not go through.',
  'checkout.cancelled': 'You left the payment form.',
  'checkout.left': 'You left the payment form.',
  'checkout.expired': 'The time to pay ran out.',
};

/** The headline of the order page. */
export function headlineOf({ state, refund }: OrderView): string {
  if (state === 'awaiting_payment') return 'Awaiting payment';
  if (refund === 'full') return 'Refunded';
  return refund === 'partial' ? 'Paid, partly refunded' : 'Paid';
}

/** What a paid order means for the shopper: its money, and its parcel. */
export function thankFor({ refund, attention, firstName }: OrderView): string {
  if (refund === 'full') return `${firstName}, your money is on its way back to you.`;
  if (refund === 'partial') return `${firstName}, part of your money is on its way back to you.`;
  return attention.length > 0
    ? `Thank you, ${firstName}. Our team needs to check the payment before we pack; we will write to you.`
    : `Thank you, ${firstName}. Your parcel leaves within two days.`;
}

/** The timeline of an order, oldest first. Events that changed nothing are left out. */
export function describeTimeline(view: OrderView): readonly TimelineLine[] {
  return [
    { at: view.createdAt, words: 'You placed the order.' },
    ...view.timeline.flatMap((entry) => {
      const words = wordsFor(entry, view);
      return words === undefined ? [] : [{ at: entry.at, words }];
    }),
  ];
}

function wordsFor({ type, effect }: TimelineView, view: OrderView): string | undefined {
  if (effect === 'stale') return undefined;
  if (effect === 'paid') return `Your payment has arrived${whatFollows(type, view)}`;
  if (effect === 'amount_differs') {
    return "We received a payment that does not match your order's total. Please do not pay again. We will write to you.";
  }
  if (type === 'checkout.paid') return undefined;
  if (type.includes('refund')) {
    return view.refund === 'full'
      ? 'Your payment was refunded.'
      : 'Part of your payment was refunded.';
  }
  return WORDS[type] ?? 'The payment has an update.';
}

/** Nothing is packed whose money went back already, or that a person must check first. */
function whatFollows(type: string, { refund, attention }: OrderView): string {
  if (type.includes('refund')) {
    return refund === 'full' ? ', and was refunded.' : ', and part of it was refunded.';
  }
  if (attention.length > 0) return '. Our team needs to check it before we pack.';
  return '. We start packing.';
}

const PAYMENT_WORDS: Readonly<Record<string, string>> = {
  none: 'You have not started to pay for this order.',
  open: 'The payment has started and is not finished.',
  returned: 'The payment is being confirmed. Please do not pay again.',
  paid: 'Your payment was received. We are updating your order. Please do not pay again.',
  failed: 'The payment did not go through.',
  cancelled: 'You left the payment form. You can pay now or later.',
  left: 'You left the payment form. You can pay now or later.',
  expired: 'The time to pay ran out. You can start again.',
  unconfirmed: 'The payment could not be confirmed yet. Please do not pay again.',
};

/** What the payment service says while the shop still waits. */
export function describePayment({ state }: PaymentView): string {
  return PAYMENT_WORDS[state] ?? 'The payment service gave an answer that we do not know.';
}

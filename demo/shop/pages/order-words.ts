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
  'checkout.cancelled': 'A payment was cancelled.',
  'checkout.left': 'You left a payment before it was finished.',
  'checkout.expired': 'A payment was open for too long and has been closed.',
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
    return 'A payment arrived that differs from the order. We will write to you.';
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
    return refund === 'full' ? ', and was given back.' : ', and a part of it was given back.';
  }
  if (attention.length > 0) return '. Our team needs to check it before we pack.';
  return '. We start packing.';
}

const PAYMENT_WORDS: Readonly<Record<string, string>> = {
  none: 'You have not started to pay for this order.',
  open: 'The payment has started and is not finished.',
  returned: 'The payment is being confirmed. Please do not pay again.',
  paid: 'The payment was made; we are waiting for its confirmation.',
  failed: 'The payment did not go through.',
  cancelled: 'The payment was cancelled.',
  left: 'You left before the payment was finished.',
  expired: 'The payment was open for too long.',
  unconfirmed: 'The payment could not be confirmed yet. Please do not pay again.',
};

/** What the payment service says while the shop still waits. */
export function describePayment({ state }: PaymentView): string {
  return PAYMENT_WORDS[state] ?? 'The payment service gave an answer that we do not know.';
}

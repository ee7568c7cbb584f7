/** What the shop says about an order, from what its back end knows. */
import type { OrderView, PaymentView, TimelineView } from '../order-view.js';
import { brand } from './brand.js';

const { words } = brand;

/** One line of the timeline, for a person. */
export interface TimelineLine {
  readonly at: string;
  readonly words: string;
}

/** The headline of the order page. */
export function headlineOf({ state, refund }: OrderView): string {
  if (state === 'awaiting_payment') return words.awaitingPayment;
  if (refund === 'full') return words.refunded;
  return refund === 'partial' ? words.partlyRefunded : words.paid;
}

/** What a paid order means for the shopper: its money, and its parcel. */
export function thankFor({ refund, attention, firstName }: OrderView): string {
  if (refund === 'full') return words.allComesBack(firstName);
  if (refund === 'partial') return words.partComesBack(firstName);
  return attention.length > 0 ? words.thanksChecked(firstName) : words.thanks(firstName);
}

/** The timeline of an order, oldest first. Events that changed nothing are left out. */
export function describeTimeline(view: OrderView): readonly TimelineLine[] {
  return [
    { at: view.createdAt, words: words.placed },
    ...view.timeline.flatMap((entry) => {
      const said = wordsFor(entry, view);
      return said === undefined ? [] : [{ at: entry.at, words: said }];
    }),
  ];
}

function wordsFor({ type, effect }: TimelineView, view: OrderView): string | undefined {
  if (effect === 'stale') return undefined;
  if (effect === 'paid') return words.arrived[whatFollows(type, view)];
  if (effect === 'amount_differs') return words.amountDiffers;
  if (type === 'checkout.paid') return undefined;
  if (type.includes('refund')) {
    return view.refund === 'full' ? words.wasRefunded : words.wasPartlyRefunded;
  }
  return textOf(words.events, type) ?? words.update;
}

/** Nothing is packed whose money went back already, or that a person must check first. */
function whatFollows(type: string, { refund, attention }: OrderView): keyof typeof words.arrived {
  if (type.includes('refund')) return refund === 'full' ? 'refunded' : 'partlyRefunded';
  return attention.length > 0 ? 'checking' : 'packing';
}

/** What the payment service says while the shop still waits. */
export function describePayment({ state }: PaymentView): string {
  return textOf(words.states, state) ?? words.unknownState;
}

/** New types and states may come. */
function textOf(texts: Readonly<Record<string, string>>, name: string): string | undefined {
  return texts[name];
}

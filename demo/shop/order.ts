/** An order, and what an event of the session server does to it. Pure: no HTTP, SQL or clock. */
import { z } from 'zod';
import type { PricedBasket } from './catalogue.js';
import { fromDecimalText } from './money.js';
import type { Address, Customer } from './order-request.js';

/** `paid` is set by one thing only: a signed event whose state is `paid`, certain, and fits the order. */
export type OrderState = 'awaiting_payment' | 'paid';

/** What an order of the playground has besides. */
export interface PlaygroundPart {
  /** The merchant entry that it is paid at, instead of the shop's own. */
  readonly merchant: string;
  /** Whether the address is kept from the session server, so that the element asks for it. */
  readonly asksAddress: boolean;
}

/** An order as the shop knows it. */
export interface Order {
  /** Our own number, for example `A1001`. */
  readonly order: string;
  readonly state: OrderState;
  readonly basket: PricedBasket;
  readonly currency: string;
  readonly customer: Customer;
  readonly address: Address;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly paidAt?: string;
  readonly refund: CheckoutEvent['data']['refund'];
  /** What the session server wants a person to check. */
  readonly attention: readonly string[];
  readonly playground?: PlaygroundPart;
}

/** The one merchant entry at which this order may be looked up and paid. */
export function payingMerchant({ playground }: Pick<Order, 'playground'>, ours: string): string {
  return playground?.merchant ?? ours;
}

/**
 * What an event did: `paid` marked the order paid; `recorded` is news for the timeline; the others
 * changed nothing, and say why.
 */
export type EventEffect = 'paid' | 'recorded' | 'stale' | 'not_certain' | 'amount_differs';

/**
 * Decides what an event does. `lastSequence` is the highest one seen for the same checkout.
 *
 * Each event is the whole checkout as it is after the change: its state says what is true, and its
 * type only why it was sent. So an event that is not newer is dropped, whatever it is: when a refund
 * comes before the payment's event, it says itself that the order was paid.
 */
export function decideEffect(
  order: Pick<Order, 'state' | 'basket' | 'currency'>,
  { data }: CheckoutEvent,
  lastSequence: number | undefined,
): EventEffect {
  if (lastSequence !== undefined && data.sequence <= lastSequence) return 'stale';
  if (data.state !== 'paid') return 'recorded';
  if (!data.certain) return 'not_certain';
  const isSameAmount =
    data.currency === order.currency && fromDecimalText(data.amount) === order.basket.totalMinor;
  if (!isSameAmount) return 'amount_differs';
  return order.state === 'paid' ? 'recorded' : 'paid';
}

/** Body of `POST /api/events`. */
export const checkoutEventSchema = z.looseObject({
  type: z.string({ error: 'must be the name of an event, such as checkout.paid' }).min(1).max(100),
  timestamp: z.iso.datetime({ offset: true, error: 'must be an ISO 8601 time' }),
  data: z.looseObject({
    merchant: z.string({ error: 'must be the id of a merchant' }),
    order: z.string({ error: 'must be the number of an order' }).max(64),
    checkout: z.string({ error: 'must be the id of a checkout' }).min(1).max(100),
    state: z.string({ error: 'must be the state of the checkout' }),
    certain: z.boolean({ error: 'must be true or false' }),
    sequence: z.int({ error: 'must be a whole number that grows with each change' }).min(0),
    amount: z.string({ error: 'must be decimal text such as 12.34' }),
    currency: z.string({ error: 'must be an ISO 4217 code' }),
    refund: z.enum(['none', 'partial', 'full'], { error: 'must be none, partial or full' }),
    attention: z.array(z.string(), { error: 'must be a list of codes' }).max(50),
  }),
});

export type CheckoutEvent = z.output<typeof checkoutEventSchema>;

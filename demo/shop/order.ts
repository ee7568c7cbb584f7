/** An order, and what the session server's word does to it. Pure: no HTTP, SQL or clock. */
import type { MerchantOrder, RefundState } from '@pay-checkout/merchant';
import type { PricedBasket } from './catalogue.js';
import { fromDecimalText } from './money.js';
import type { Address, Customer } from './order-request.js';

/** `paid` is set by one thing only: the session server's word that it is, for certain, at our price. */
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
  readonly refund: RefundState;
  /** What the session server wants a person to check. */
  readonly attention: readonly string[];
  readonly playground?: PlaygroundPart;
}

/**
 * What an event did: `paid` marked the order paid; `recorded` is news for the timeline; the others
 * changed nothing, and say why.
 */
export type EventEffect = 'paid' | 'recorded' | 'stale' | 'amount_differs';

/** Decides what the truth about an order means for it: what an event says may be late. */
export function decideEffect(
  order: Pick<Order, 'state' | 'basket' | 'currency'>,
  known: Pick<MerchantOrder, 'state' | 'certain' | 'amount' | 'currency'>,
): EventEffect {
  if (known.state !== 'paid' || !known.certain) return 'recorded';
  const isSameAmount =
    known.currency === order.currency &&
    fromDecimalText(known.amount, order.currency) === order.basket.totalMinor;
  if (!isSameAmount) return 'amount_differs';
  return order.state === 'paid' ? 'recorded' : 'paid';
}

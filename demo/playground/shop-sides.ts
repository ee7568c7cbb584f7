/** The orders of both shops, for the browsers that may see them. */
import type { RoasteryOrderStore } from '../roastery/order-store.js';
import type { OrderStore } from '../shop/order-store.js';
import type { Payments } from '../shop/payments.js';
import { readShopperKeyHash } from '../shop/shopper-key.js';
import type { BreakRoutesOptions } from './break-routes.js';

export interface ShopSidesOptions {
  readonly store: OrderStore;
  readonly payments: Payments;
  readonly roastery?: { readonly merchant: string; readonly store: RoasteryOrderStore } | undefined;
}

export function findShopSide(options: ShopSidesOptions): BreakRoutesOptions['findOrder'] {
  const { store, payments, roastery } = options;
  return (request, order) => {
    const keyHash = readShopperKeyHash(request);
    const found = keyHash === undefined ? undefined : store.findShopperOrder(order, keyHash);
    if (found !== undefined) {
      const { state, refund, attention } = found;
      const { merchant } = payments.of(found);
      return { merchant, state, refund, attention, events: store.listTimeline(order) };
    }
    // Its number is all that it takes to see an order of the roastery.
    const state = roastery?.store.find(order)?.state;
    return roastery && state && { merchant: roastery.merchant, state };
  };
}

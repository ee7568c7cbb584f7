/** Asks the shop's back end for what only the playground needs. */
import { askShop } from '../../shop/pages/shop-api.js';
import type { PlaygroundOrderReply, PlaygroundView } from '../playground-routes.js';

export async function readPlayground(): Promise<PlaygroundView> {
  return (await askShop('/api/playground')) as PlaygroundView;
}

export async function placePlaygroundOrder(body: {
  readonly merchant: string;
  readonly amount: string;
  readonly asksAddress: boolean;
}): Promise<PlaygroundOrderReply> {
  return (await askShop('/api/playground/orders', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })) as PlaygroundOrderReply;
}

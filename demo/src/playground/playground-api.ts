/** What the playground asks of our own back end. */
import type { PlaygroundOrderReply, PlaygroundView } from '../../shared/playground-view.js';
import { askShop } from '../parts/shop-api.js';

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

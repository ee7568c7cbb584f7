/** Talks to our own back end. */
import type { OrderView, PaymentView, PlacedOrder, ShopProblem } from '../order-view.js';

/** An answer that is an error, as the back end wrote it. */
export class ShopApiError extends Error {
  override readonly name = 'ShopApiError';

  constructor(
    readonly status: number,
    readonly problem: ShopProblem,
  ) {
    super(problem.detail);
  }
}

export async function placeOrder(body: unknown): Promise<PlacedOrder> {
  return (await askShop('/api/orders', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })) as PlacedOrder;
}

/** The order, or undefined when this browser has no such order. */
export async function readOrder(order: string): Promise<OrderView | undefined> {
  try {
    return (await askShop(`/api/orders/${encodeURIComponent(order)}`)) as OrderView;
  } catch (error) {
    if (error instanceof ShopApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** What the session server says about an order of this browser. */
export async function readPayment(order: string): Promise<PaymentView> {
  return (await askShop(`/api/orders/${encodeURIComponent(order)}/payment`)) as PaymentView;
}

/** The JSON that our back end answers. Throws a {@link ShopApiError} when that is an error. */
export async function askShop(path: string, init?: RequestInit): Promise<unknown> {
  const response = await fetch(path, init);
  const body: unknown = await response.json();
  if (!response.ok) throw new ShopApiError(response.status, body as ShopProblem);
  return body;
}

/** Asks the session server about one order, with our Bearer key. For the eyes: it marks nothing. */
import { z } from 'zod';
import type { PaymentView } from '../../shared/order-view.js';
import { ShopError } from '../http/problem.js';
import type { ShopConfig } from '../shop-config.js';
import type { Order } from './order.js';

const ASK_WITHIN_MS = 3000;

const merchantOrder = z.looseObject({
  state: z.string(),
  certain: z.boolean(),
  checkouts: z.array(
    z.looseObject({ attempts: z.array(z.unknown()), transactions: z.array(z.unknown()) }),
  ),
});

/** What the session server knows of an order; `state: 'none'` when nobody began to pay. */
export async function askPaymentState(
  config: Pick<ShopConfig, 'payApiUrl' | 'payApiKey' | 'playgroundMerchants'>,
  { order, playground }: Pick<Order, 'order' | 'playground'>,
): Promise<PaymentView> {
  const other = config.playgroundMerchants.find(({ id }) => id === playground?.merchant);
  const response = await fetch(
    `${config.payApiUrl}/v1/merchant/orders/${encodeURIComponent(order)}`,
    {
      headers: { Authorization: `Bearer ${other?.apiKey ?? config.payApiKey}` },
      redirect: 'error',
      signal: AbortSignal.timeout(ASK_WITHIN_MS),
    },
  ).catch(throwUnreachable);
  if (response.status === 404) {
    return { state: 'none', certain: false, sessions: 0, transactions: 0 };
  }
  const body: unknown = await response.json().catch(throwUnreachable);
  const known = merchantOrder.safeParse(body);
  if (!response.ok || !known.success) return throwUnreachable();
  const { state, certain, checkouts } = known.data;
  return {
    state,
    certain,
    sessions: checkouts.flatMap(({ attempts }) => attempts).length,
    transactions: checkouts.flatMap(({ transactions }) => transactions).length,
  };
}

function throwUnreachable(): never {
  throw new ShopError(502, 'payment_service_unreachable', 'The payment service does not answer.');
}

import type { Merchant } from '../merchants/merchant.js';
import type { AvsFields } from './avs.js';
import { isCertain, isPaymentPending } from './state-machine.js';
import type { CheckoutStore, AttemptRequest } from './repository.js';

/**
 * Whether the shopper has to type an address before a session is opened. Nobody is asked who needs no
 * new session: the order is paid, money may be moving, or its session is open already, perhaps in
 * another window.
 */
export async function needsAddress(
  merchant: Merchant,
  avs: AvsFields,
  request: AttemptRequest,
  store: Pick<CheckoutStore, 'findOrder' | 'findAttempts'>,
): Promise<boolean> {
  if (merchant.avs !== 'required' || (avs.AvsHouseNumber && avs.AvsPostcode)) return false;
  const checkouts = await store.findOrder(request.merchant, request.order);
  if (checkouts.some(({ state }) => state === 'paid' || isPaymentPending(state))) return false;
  const same = checkouts.find(({ orderVersion }) => orderVersion === request.orderVersion);
  if (!same || isCertain(same.state)) return true;
  const attempts = await store.findAttempts(same.id);
  const exposed = attempts.find(({ status }) => status === 'active');
  return exposed === undefined || exposed.sessionId === request.renew;
}

import { type Attempt, findAttempts } from '../checkouts/attempt-repository.js';
import { findCurrentCheckout, orderStateOf } from '../checkouts/order-state.js';
import { findCheckoutsOfOrder } from '../checkouts/repository.js';
import { type Checkout, isCertain } from '../checkouts/state-machine.js';
import type { MerchantOrder } from '../contract.js';
import type { DataEncryption } from '../encryption.js';
import { formatMinor } from '../money.js';
import { openPersonalPart } from '../orders/put-orders.js';
import type { StoredOrder } from '../orders/repository.js';
import { findTransactions, type StoredTransaction } from '../reconciliation/repository.js';
import type { Reader } from '../store/database.js';

/** An order as its merchant's back end is shown it: the truth, with its evidence. */
export async function readMerchantOrder(
  reader: Reader,
  stored: StoredOrder,
  encryption: DataEncryption,
): Promise<MerchantOrder> {
  const checkouts = await findCheckoutsOfOrder(reader, stored.merchant, stored.order);
  const current = await findCurrentCheckout(reader, stored, checkouts);
  const state = orderStateOf(stored, current);
  const description = stored.put && openPersonalPart(stored.put, stored, encryption)?.description;
  const views = checkouts.map(async (checkout) =>
    toView(
      checkout,
      await findAttempts(reader, checkout.id),
      await findTransactions(reader, checkout.id),
    ),
  );
  return {
    merchant: stored.merchant,
    order: stored.order,
    state,
    certain: state !== 'void' && isCertain(state),
    ...priceOf(stored, current),
    refund: current?.refund ?? 'none',
    attention: checkouts.flatMap(({ attention }) => attention),
    ...(current?.paidBy !== undefined && { transaction: current.paidBy }),
    ...(current?.payment && { payment: current.payment }),
    ...(description !== undefined && { description }),
    createdAt: new Date(stored.createdAt).toISOString(),
    updatedAt: new Date(stored.updatedAt).toISOString(),
    checkouts: await Promise.all(views),
  };
}

/** What is to be paid, or was: of the checkout that says how the order is, or as it was put. */
function priceOf(
  { put }: StoredOrder,
  current: Checkout | undefined,
): Pick<MerchantOrder, 'amount' | 'currency' | 'amountRefunded'> {
  const price = current ?? put;
  if (!price) throw new Error('an order without a price');
  const { amountMinor, currency, decimals } = price;
  return {
    amount: formatMinor(amountMinor, decimals),
    currency,
    amountRefunded: formatMinor(current?.refundedMinor ?? 0, decimals),
  };
}

function toView(
  checkout: Checkout,
  attempts: readonly Attempt[],
  transactions: readonly StoredTransaction[],
): MerchantOrder['checkouts'][number] {
  return {
    checkout: checkout.id,
    state: checkout.state,
    certain: isCertain(checkout.state),
    amount: formatMinor(checkout.amountMinor, checkout.decimals),
    currency: checkout.currency,
    refund: checkout.refund,
    attention: checkout.attention,
    createdAt: new Date(checkout.createdAt).toISOString(),
    attempts: attempts.map(({ orderId, merchantReference, status, createdAt }) => ({
      orderId,
      merchantReference,
      status,
      createdAt: new Date(createdAt).toISOString(),
    })),
    transactions,
  };
}

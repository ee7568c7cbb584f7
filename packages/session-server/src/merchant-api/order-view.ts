import { type Attempt, findAttemptsOf } from '../checkouts/attempt-repository.js';
import { currentCheckoutOf, orderStateOf } from '../checkouts/order-state.js';
import { findCheckoutsOfOrders } from '../checkouts/repository.js';
import { type Checkout, isCertain } from '../checkouts/state-machine.js';
import type { MerchantOrder } from '../contract.js';
import type { DataEncryption } from '../encryption.js';
import { formatMinor } from '../money.js';
import { openPersonalPart, type PersonalPart } from '../orders/put-orders.js';
import { orderKeyText, type StoredOrder } from '../orders/repository.js';
import { findTransactionsOf, type StoredTransaction } from '../reconciliation/repository.js';
import type { Reader } from '../store/database.js';

/**
 * Orders as the back ends of their merchants are shown them: the truth, with its evidence. However many they
 * are, they are read with three statements.
 */
export async function readMerchantOrders(
  reader: Reader,
  orders: readonly StoredOrder[],
  encryption: DataEncryption,
): Promise<MerchantOrder[]> {
  if (orders.length === 0) return [];
  const checkouts = await findCheckoutsOfOrders(reader, orders);
  const ids = checkouts.map(({ id }) => id);
  const attempts = Map.groupBy(await findAttemptsOf(reader, ids), ({ checkout }) => checkout);
  const transactions = await findTransactionsOf(reader, ids);
  const byOrder = Map.groupBy(checkouts, orderKeyText);
  return orders.map((stored) => {
    const ofOrder = byOrder.get(orderKeyText(stored)) ?? [];
    const evidence = { attempts, transactions };
    return toMerchantOrder(stored, ofOrder, evidence, encryption);
  });
}

/** By their checkouts. */
interface Evidence {
  readonly attempts: ReadonlyMap<string, readonly Attempt[]>;
  readonly transactions: ReadonlyMap<string, readonly StoredTransaction[]>;
}

function toMerchantOrder(
  stored: StoredOrder,
  checkouts: readonly Checkout[],
  { attempts, transactions }: Evidence,
  encryption: DataEncryption,
): MerchantOrder {
  const attemptsOf = ({ id }: Checkout) => attempts.get(id) ?? [];
  const current = currentCheckoutOf(stored, checkouts, checkouts.flatMap(attemptsOf));
  const state = orderStateOf(stored, current);
  const personal = stored.put && openPersonalPart(stored.put, stored, encryption);
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
    ...shownOf(personal ?? {}),
    createdAt: new Date(stored.createdAt).toISOString(),
    updatedAt: new Date(stored.updatedAt).toISOString(),
    checkouts: checkouts.map((checkout) =>
      toView(checkout, attemptsOf(checkout), transactions.get(checkout.id) ?? []),
    ),
  };
}

/** What a merchant's own key shows of what it put: not its customer. */
function shownOf({ description, metadata, lineItems, locale }: PersonalPart) {
  return {
    ...(description !== undefined && { description }),
    ...(metadata && { metadata }),
    ...(lineItems && { lineItems }),
    ...(locale !== undefined && { locale }),
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

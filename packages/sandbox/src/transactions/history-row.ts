import { decimalsOf, fromMinor } from '../money.js';
import type { SeededRandom } from '../random.js';
import type { Merchant } from '../accounts.js';
import type { TransactionRow } from './transaction.js';

const PAYMENT_METHODS = ['New Card', 'Saved Card', 'Apple Pay', 'Google Pay'] as const;
const FIRST_NAMES = ['Robin', 'Zoë', 'Ólafur', 'Mei', 'Søren', 'Amaka', '花子', 'Łucja'] as const;
const LAST_NAMES = ['Sample', 'Example', 'Muster', 'Échantillon', '見本', 'Próba'] as const;
const CUSTOMER_TYPES = ['guest', 'registered', 'returning'] as const;
const PURPOSE = {
  tier: 11,
  amount: 12,
  method: 13,
  mode: 14,
  digits: 15,
  firstname: 16,
  lastname: 17,
  customerType: 18,
  shopper: 19,
  internal: 20,
  psp: 21,
  refund: 22,
  split: 23,
} as const;
const FEE_PER_MILLE = 14n;

/** How much of a payment was refunded. */
export type RefundShare = 'none' | 'part' | 'all';

/** What a row of the history is made from. */
export interface RowSource {
  readonly id: string;
  readonly index: number;
  readonly time: number;
  readonly merchant: Merchant;
  readonly refund: RefundShare;
  readonly random: SeededRandom;
}

/** An invented payment with every field of spec 2.1. */
export function makeHistoryRow(source: RowSource): TransactionRow {
  const { id, index, merchant, random } = source;
  const decimals = decimalsOf(merchant.currency);
  const amount = drawAmount(source);
  const fee = (amount * FEE_PER_MILLE + 500n) / 1000n;
  const split = (amount * BigInt(random.below(4, index, PURPOSE.split))) / 100n;
  const orderNumber = 100_000 + index;
  return {
    id,
    source: 'payments',
    transactionTime: new Date(source.time).toISOString(),
    orderRef: `A${orderNumber}.${orderNumber}`,
    amount: fromMinor(amount, decimals),
    currencyCode: merchant.currency,
    status: source.refund === 'all' ? 'REFUNDED' : 'SUCCESS',
    merchantId: merchant.id,
    merchantName: merchant.name,
    paymentMethod: random.pick(PAYMENT_METHODS, index, PURPOSE.method),
    transactionModeId: random.below(20, index, PURPOSE.mode) === 0 ? 2 : 1,
    internalReference: `int_${random.hex(index, PURPOSE.internal)}`,
    pspReference: `psp_${random.hex(index, PURPOSE.psp)}`,
    last4Digits: String(random.below(10_000, index, PURPOSE.digits)).padStart(4, '0'),
    shopperId: `shopper_${random.below(5000, index, PURPOSE.shopper)}`,
    service_fee: fromMinor(fee, decimals),
    firstname: random.pick(FIRST_NAMES, index, PURPOSE.firstname),
    lastname: random.pick(LAST_NAMES, index, PURPOSE.lastname),
    resellerOrderId: String(orderNumber),
    customerType: random.pick(CUSTOMER_TYPES, index, PURPOSE.customerType),
    net: fromMinor(amount - fee - split, decimals),
    deductions: fromMinor(fee + split, decimals),
    amountRefunded: fromMinor(drawRefund(source, amount), decimals),
  };
}

/** Mostly small amounts, some large ones, in minor units. */
function drawAmount({ index, random }: RowSource): bigint {
  const tier = random.below(100, index, PURPOSE.tier);
  const max = tier < 70 ? 4_000 : tier < 95 ? 20_000 : 150_000;
  return BigInt(150 + random.below(max, index, PURPOSE.amount));
}

function drawRefund({ index, refund, random }: RowSource, amount: bigint): bigint {
  if (refund === 'none') return 0n;
  if (refund === 'all') return amount;
  return (amount * BigInt(10 + random.below(80, index, PURPOSE.refund))) / 100n;
}

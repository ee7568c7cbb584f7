import type { Merchant } from '../merchant.js';
import { decimalsOf, fromMinor } from '../money.js';
import type { TransactionRow } from '../resources/transaction-row.js';
import type { RefundShare } from './generated-transactions.js';
import type { SeededDraws } from './seeded-draws.js';

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
const decimalsByCurrency = new Map<string, number>();

/** What a generated row is made from. */
export interface RowSource {
  readonly id: string;
  readonly index: number;
  readonly time: number;
  readonly merchant: Merchant;
  readonly refund: RefundShare;
  readonly draws: SeededDraws;
}

/** A payment as it could have been: every field of spec 2.1, all of it invented. */
export function makeGeneratedRow(source: RowSource): TransactionRow {
  const { id, index, merchant, draws } = source;
  const decimals = decimalsFor(merchant.currency);
  const amount = drawAmount(source);
  const fee = (amount * FEE_PER_MILLE + 500n) / 1000n;
  const split = (amount * BigInt(draws.below(4, index, PURPOSE.split))) / 100n;
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
    paymentMethod: draws.pick(PAYMENT_METHODS, index, PURPOSE.method),
    transactionModeId: draws.below(20, index, PURPOSE.mode) === 0 ? 2 : 1,
    internalReference: `int_${draws.hex(index, PURPOSE.internal)}`,
    pspReference: `psp_${draws.hex(index, PURPOSE.psp)}`,
    last4Digits: String(draws.below(10_000, index, PURPOSE.digits)).padStart(4, '0'),
    shopperId: `shopper_${draws.below(5000, index, PURPOSE.shopper)}`,
    service_fee: fromMinor(fee, decimals),
    firstname: draws.pick(FIRST_NAMES, index, PURPOSE.firstname),
    lastname: draws.pick(LAST_NAMES, index, PURPOSE.lastname),
    resellerOrderId: String(orderNumber),
    customerType: draws.pick(CUSTOMER_TYPES, index, PURPOSE.customerType),
    net: fromMinor(amount - fee - split, decimals),
    deductions: fromMinor(fee + split, decimals),
    amountRefunded: fromMinor(drawRefund(source, amount), decimals),
  };
}

/** Mostly small baskets, some large ones, in minor units. */
function drawAmount({ index, draws }: RowSource): bigint {
  const tier = draws.below(100, index, PURPOSE.tier);
  const most = tier < 70 ? 4_000 : tier < 95 ? 20_000 : 150_000;
  return BigInt(150 + draws.below(most, index, PURPOSE.amount));
}

function drawRefund({ index, refund, draws }: RowSource, amount: bigint): bigint {
  if (refund === 'none') return 0n;
  if (refund === 'all') return amount;
  return (amount * BigInt(10 + draws.below(80, index, PURPOSE.refund))) / 100n;
}

function decimalsFor(currency: string): number {
  const known = decimalsByCurrency.get(currency);
  if (known !== undefined) return known;
  const decimals = decimalsOf(currency);
  decimalsByCurrency.set(currency, decimals);
  return decimals;
}

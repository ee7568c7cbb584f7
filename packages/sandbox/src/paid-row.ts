import { decimalsOf, fromMinor, toMinor } from './money.js';
import type { Inventor } from './random.js';
import { splitTotal, type CheckoutSession, type PayingCard } from './resources/session-store.js';
import type { ApprovedPayment } from './scenario.js';
import type { TransactionRow } from './transactions/transaction.js';

/** The row of a paid session: its own data where it has any, invented data otherwise. */
export function makePaidRow({
  session,
  card,
  scenario,
  inventor,
  time,
}: {
  readonly session: CheckoutSession;
  readonly card: PayingCard;
  readonly scenario: Partial<ApprovedPayment>;
  readonly inventor: Inventor;
  readonly time: string;
}): TransactionRow {
  const { request, merchant } = session;
  const money = chargedMoney(request.Amount, merchant.currency, scenario);
  const decimals = decimalsOf(merchant.currency);
  const amount = toMinor(money.amount, decimals) ?? 0n;
  const deductions = splitTotal(request, decimals);
  const [firstname = '', ...others] = (request.name ?? card.holder).split(' ');
  const zero = fromMinor(0n, decimals);
  return {
    id: inventor.id('txn'),
    source: 'payments',
    transactionTime: time,
    ...(request.MerchantReference !== undefined && { orderRef: request.MerchantReference }),
    ...money,
    status: 'SUCCESS',
    merchantId: merchant.id,
    merchantName: merchant.name,
    paymentMethod: card.paymentMethod ?? 'New Card',
    transactionModeId: 1,
    internalReference: inventor.id('int'),
    pspReference: inventor.id('psp'),
    last4Digits: card.last4Digits,
    shopperId: request.customer_id ?? inventor.id('shopper'),
    service_fee: zero,
    firstname: request.firstname ?? firstname,
    lastname: request.lastname ?? others.join(' '),
    resellerOrderId: String(request.order_id),
    customerType: 'guest',
    net: fromMinor(amount - deductions, decimals),
    deductions: fromMinor(deductions, decimals),
    amountRefunded: zero,
  };
}

/** What a payment charges: the session's amount, unless the scenario says otherwise. */
function chargedMoney(
  amount: string,
  currency: string,
  { paysHalf = false, paysOtherCurrency = false }: Partial<ApprovedPayment>,
): Pick<TransactionRow, 'currencyCode'> & { readonly amount: string } {
  const decimals = decimalsOf(currency);
  const half = fromMinor((toMinor(amount, decimals) ?? 0n) / 2n, decimals);
  const otherCurrency = currency === 'EUR' ? 'GBP' : 'EUR';
  return {
    amount: paysHalf ? half : amount,
    currencyCode: paysOtherCurrency ? otherCurrency : currency,
  };
}

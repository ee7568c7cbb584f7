/** Invented rows of spec 2.1 with all 23 fields, the same for the same number. */
export function rowOf(number) {
  const cents = (number * 7_919) % 1_000_000;
  return {
    id: `txn_${String(number).padStart(12, '0')}`,
    source: 'payments',
    transactionTime: new Date(Date.UTC(2026, 5, 30) - number * 1_000).toISOString(),
    orderRef: `A${number}`,
    amount: cents / 100,
    currencyCode: 'GBP',
    status: number % 17 === 0 ? 'REFUNDED' : 'SUCCESS',
    merchantId: 1001 + (number % 5),
    merchantName: `Käserei Nr. ${number % 5}`,
    paymentMethod: ['New Card', 'Saved Card', 'Apple Pay', 'Google Pay'][number % 4],
    transactionModeId: 1 + (number % 2),
    internalReference: `int-${number * 31}`,
    pspReference: `psp${(number * 2_654_435_761) % 4_294_967_296}`,
    last4Digits: String(number % 10_000).padStart(4, '0'),
    shopperId: `shopper-${number % 977}`,
    service_fee: 0.3,
    firstname: 'Ada',
    lastname: 'Okafor',
    resellerOrderId: `R-${number}`,
    customerType: 'returning',
    net: (cents - 30) / 100,
    deductions: 0.3,
    amountRefunded: 0,
  };
}

/** An order that exists nowhere, to try the form with. */

/** Numbers of orders count seconds from here, so that they fit any integer. */
const START = Date.UTC(2026, 0, 1);

export interface ExampleSession {
  readonly fields: Readonly<Record<string, string>>;
  readonly shares: readonly Readonly<Record<string, string>>[];
}

/** @param origin - Of the console: the shopper comes back to its transactions. */
export function makeExample(merchant: number | undefined, origin: string): ExampleSession {
  const order = String(Math.floor((Date.now() - START) / 1000));
  const reference = `C${order}`;
  return {
    fields: {
      merchant_id: String(merchant ?? ''),
      order_id: order,
      Amount: '12.34',
      MerchantReference: reference,
      customer_id: 'shopper-7',
      email: 'robin@example.test',
      phoneNumber: '+44 20 7946 0000',
      name: 'Robin Sample',
      firstname: 'Robin',
      lastname: 'Sample',
      address1: 'Flat 3, 12 Sample Street',
      AvsPostcode: 'ZZ1 1ZZ',
      host: origin,
      RedirectUrl: `${origin}/transactions?q=${reference}`,
      CancelUrl: `${origin}/checkout-session`,
    },
    shares: [
      { partner_merchant_id: '501', type_id: '1', value: '0.31', value_type: 'amount' },
      { partner_merchant_id: '502', type_id: '2', value: '0.30', value_type: 'amount' },
    ],
  };
}

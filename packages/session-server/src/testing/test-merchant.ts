import { createHash, createSecretKey } from 'node:crypto';
import { DataEncryption } from '../encryption.js';
import { type Merchant, merchantSchema } from '../merchants/merchant.js';

/** An entry of a merchants file as a platform writes it, with only what has no default. */
export function merchantEntry(
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const id = typeof changes['id'] === 'string' ? changes['id'] : 'teashop';
  return {
    id,
    name: 'The Tea Shop',
    providerMerchantId: 1001,
    currency: 'GBP',
    origins: ['https://shop.example'],
    returnUrl: 'https://shop.example/result?checkout={checkout}',
    orderLookup: { url: 'https://shop.example/api/order-lookup' },
    events: { url: 'https://shop.example/api/events' },
    sdk: {
      url: 'https://sdk.example/checkout.js',
      global: 'Pay.Checkout',
      argument: 'object',
      origins: { script: ['https://sdk.example'], frame: ['https://sdk.example'], connect: [] },
    },
    apiKeyHash: [`sha256:${createHash('sha256').update(id).digest('hex')}`],
    orderTokenSecret: ['an-order-token-secret-of-32-chars'],
    signingSecret: [`whsec_${Buffer.alloc(32, 7).toString('base64')}`],
    ...changes,
  };
}

/** That entry as the server reads it, defaults filled in. */
export function testMerchant(changes: Readonly<Record<string, unknown>> = {}): Merchant {
  return merchantSchema.parse(merchantEntry(changes));
}

/** With a key that every test knows. */
export const TEST_ENCRYPTION = new DataEncryption([
  { id: 'test', key: createSecretKey(Buffer.alloc(32, 1)) },
]);

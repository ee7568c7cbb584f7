import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DrillSandbox } from '../drill-sandbox.ts';
import type { DrillShop } from '../drill-shop.ts';
import { sha256 } from '../lane.ts';
import { SHOP_ORIGIN } from '../shopper.ts';

export const ENDPOINT_TOKEN = `canary-endpoint-${randomBytes(16).toString('hex')}`;
/** Merchants: the shop of the first is asked for prices, that of the second puts its orders. */
export const LOOKED_UP = 'looked-up';
export const PUTTING = 'putting';
/** One of whose order no one else may see anything. */
export const VICTIM = 'victim';

/** The provider and the shop around the server, its folder, and its secrets. */
export interface TargetParts {
  readonly shop: DrillShop;
  readonly sandbox: DrillSandbox;
  readonly folder: string;
  readonly secrets: ReturnType<typeof makeSecrets>;
}

/** Texts that no answer may have. */
export function makeSecrets() {
  const make = (name: string): string => `canary-${name}-${randomBytes(16).toString('hex')}`;
  return {
    operatorKey: make('operator'),
    lookedUpKey: make('looked-up'),
    puttingKey: make('putting'),
    victimKey: make('victim'),
    encryptionKey: randomBytes(32).toString('base64'),
    providerKey: DrillSandbox.apiKey,
  };
}

/** Writes the merchants file into the folder. */
export function writeMerchants(
  { shop, sandbox, folder, secrets }: TargetParts,
  shopUrl: string,
): void {
  const entry = (id: string, key: string, more: object = {}) => ({
    id,
    name: 'A Drill',
    providerMerchantId: sandbox.takeMerchant(),
    currency: 'GBP',
    decimals: 2,
    origins: [SHOP_ORIGIN],
    returnUrl: `${SHOP_ORIGIN}/result?order={order}&checkout={checkout}`,
    events: { url: `${shopUrl}/events`, allowPrivateAddress: true },
    sdk: {
      url: 'http://sandbox.localhost:4300/sdk/checkout.js',
      global: 'PaySandbox',
      argument: 'object',
      origins: { script: ['http://sandbox.localhost:4300'], frame: [], connect: [] },
    },
    apiKeyHash: [sha256(key)],
    orderTokenSecret: [shop.orderTokenSecret],
    signingSecret: [shop.signingSecret],
    ...more,
  });
  const paths = { merchantReference: 'reference', orderId: 'order_id', status: 'status' };
  const merchants = [
    entry(LOOKED_UP, secrets.lookedUpKey, {
      orderLookup: { url: `${shopUrl}/order-lookup`, allowPrivateAddress: true },
      webhookEndpoints: [{ tokenHash: sha256(ENDPOINT_TOKEN), paths }],
    }),
    entry(PUTTING, secrets.puttingKey),
    entry(VICTIM, secrets.victimKey),
  ];
  writeFileSync(join(folder, 'merchants.json'), JSON.stringify({ merchants }), { mode: 0o600 });
}

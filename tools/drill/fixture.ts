import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TuningChanges } from '../../packages/session-server/dist/config.js';
import { writeWidgetScript } from '../../packages/session-server/src/testing/widget-script.ts';
import { DrillSandbox } from './drill-sandbox.ts';
import { DrillShop, SHOP_ORIGIN } from './drill-shop.ts';

/** All shoppers of a drill come from one address. */
export const UNLIMITED = {
  createPerAddress: 1e9,
  createPerOrder: 1e9,
  createPerMerchant: 1e9,
  statusPerAddress: 1e9,
  pagesPerAddress: 1e9,
  apiPerMerchant: 1e9,
  wrongKeysPerAddress: 1e9,
};

/** The provider and the shop around the server under test: they never die. */
export interface Fixture {
  readonly sandbox: DrillSandbox;
  readonly shop: DrillShop;
  readonly shopUrl: string;
}

export async function startFixture(): Promise<Fixture> {
  const shop = new DrillShop();
  const [sandbox, shopUrl] = await Promise.all([DrillSandbox.start(), shop.listen()]);
  return { sandbox, shop, shopUrl };
}

export async function stopFixture({ sandbox, shop }: Fixture): Promise<void> {
  await Promise.all([sandbox.stop(), shop.close()]);
}

/** Writes the files of a server into a folder; answers its environment, without a database. */
export function prepareServer(
  fixture: Fixture,
  options: {
    readonly folder: string;
    readonly publicUrl: string;
    readonly providerMerchant: number;
    readonly tuning: TuningChanges;
  },
): Record<string, string> {
  const { folder, publicUrl, providerMerchant, tuning } = options;
  writeMerchants(fixture, folder, providerMerchant);
  return {
    PAY_ENVIRONMENT: 'sandbox',
    PAY_PORT: '0',
    PAY_PUBLIC_URL: publicUrl,
    PAY_MERCHANTS_FILE: join(folder, 'merchants.json'),
    PAY_WIDGET_SCRIPT: writeWidgetScript(folder),
    PAY_PARTNER_API_URL: fixture.sandbox.url,
    PAY_PARTNER_API_KEY: DrillSandbox.apiKey,
    PAY_LOG_LEVEL: 'error',
    TUNING: JSON.stringify(tuning),
  };
}

/** The same shop three times: asked for its prices, by orders that it puts, and for orders of someone else. */
function writeMerchants(
  { shop, shopUrl }: Fixture,
  folder: string,
  providerMerchantId: number,
): void {
  const entry = (id: string, more: object = {}) => ({
    id,
    name: 'A Drill',
    providerMerchantId,
    currency: 'GBP',
    decimals: 2,
    origins: [SHOP_ORIGIN],
    returnUrl: `${SHOP_ORIGIN}/result?order={order}&checkout={checkout}`,
    events: { url: `${shopUrl}/events`, allowPrivateAddress: true },
    sdk: {
      url: 'http://sandbox.localhost:4300/sdk/checkout.js',
      global: 'PaySandbox',
      argument: 'object',
      container: 'selector',
      origins: { script: ['http://sandbox.localhost:4300'], frame: [], connect: [] },
    },
    apiKeyHash: [sha256(shop.keyOf(id))],
    orderTokenSecret: [shop.orderTokenSecret],
    signingSecret: [shop.signingSecret],
    ...more,
  });
  const paths = { merchantReference: 'reference', orderId: 'order_id', status: 'status' };
  const merchants = [
    entry(DrillShop.merchant, {
      orderLookup: { url: `${shopUrl}/order-lookup`, allowPrivateAddress: true },
      webhookEndpoints: [
        { tokenHash: sha256(shop.endpointToken), paths },
        {
          tokenHash: sha256(shop.signedEndpointToken),
          paths: { ...paths, transaction: 'transaction', amount: 'amount', currency: 'currency' },
          signature: { scheme: 'standardWebhooks', keys: [{ key: shop.providerKey }] },
          evidence: { paidStatuses: ['PAID'] },
        },
      ],
    }),
    entry(DrillShop.puttingMerchant),
    entry(DrillShop.otherMerchant),
  ];
  writeFileSync(join(folder, 'merchants.json'), JSON.stringify({ merchants }), { mode: 0o600 });
}

/** How the merchants file holds a key or a token. */
function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

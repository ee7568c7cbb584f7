import type { TuningChanges } from '../../packages/session-server/dist/config.js';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWidgetScript } from '../../packages/session-server/src/testing/widget-script.ts';
import { DrillSandbox } from './drill-sandbox.ts';
import { DrillShop } from './drill-shop.ts';
import { ENDPOINT_TOKEN, SIGNED_ENDPOINT_TOKEN } from './scenarios.ts';
import { keyOf, SHOP_ORIGIN } from './shopper.ts';

/** All shoppers of a drill come from one address. */
export const UNLIMITED = {
  createPerAddress: 1e9,
  createPerOrder: 1e9,
  createPerMerchant: 1e9,
  statusPerAddress: 1e9,
  pagesPerAddress: 1e9,
};

/** The provider and the shop of a drill: they never die. */
export interface Lane {
  readonly sandbox: DrillSandbox;
  readonly shop: DrillShop;
  readonly shopUrl: string;
}

export async function openLane(): Promise<Lane> {
  const shop = new DrillShop();
  const [sandbox, shopUrl] = await Promise.all([DrillSandbox.start(), shop.listen()]);
  return { sandbox, shop, shopUrl };
}

export async function closeLane({ sandbox, shop }: Lane): Promise<void> {
  await Promise.all([sandbox.stop(), shop.close()]);
}

/** Writes the files of a server into a folder; answers its environment, without a database. */
export function prepareServer(
  lane: Lane,
  options: {
    readonly folder: string;
    readonly publicUrl: string;
    readonly providerMerchant: number;
    readonly tuning: TuningChanges;
  },
): Record<string, string> {
  const { folder, publicUrl, providerMerchant, tuning } = options;
  writeMerchants(lane, folder, providerMerchant);
  const widgetScript = writeWidgetScript(folder);
  return {
    PAY_ENVIRONMENT: 'sandbox',
    PAY_PUBLIC_URL: publicUrl,
    PAY_MERCHANTS_FILE: join(folder, 'merchants.json'),
    PAY_WIDGET_SCRIPT: widgetScript,
    PAY_PARTNER_API_URL: lane.sandbox.url,
    PAY_PARTNER_API_KEY: DrillSandbox.apiKey,
    PAY_LOG_LEVEL: 'error',
    TUNING: JSON.stringify(tuning),
  };
}

function writeMerchants({ shop, shopUrl }: Lane, folder: string, providerMerchantId: number): void {
  const merchant = {
    id: DrillShop.merchant,
    name: 'A Drill',
    providerMerchantId,
    currency: 'GBP',
    decimals: 2,
    origins: [SHOP_ORIGIN],
    returnUrl: `${SHOP_ORIGIN}/result?order={order}&checkout={checkout}`,
    orderLookup: { url: `${shopUrl}/order-lookup`, allowPrivateAddress: true },
    events: { url: `${shopUrl}/events`, allowPrivateAddress: true },
    sdk: {
      url: 'http://sandbox.localhost:4300/sdk/checkout.js',
      global: 'PaySandbox',
      argument: 'object',
      container: 'selector',
      origins: { script: ['http://sandbox.localhost:4300'], frame: [], connect: [] },
    },
    webhookEndpoints: [
      { tokenHash: sha256(ENDPOINT_TOKEN), paths: { merchantReference: 'reference' } },
      {
        tokenHash: sha256(SIGNED_ENDPOINT_TOKEN),
        paths: {
          merchantReference: 'reference',
          status: 'status',
          transaction: 'transaction',
          amount: 'amount',
          currency: 'currency',
        },
        signature: { scheme: 'standardWebhooks', keys: [{ key: shop.providerKey }] },
        evidence: { paidStatuses: ['PAID'] },
      },
    ],
    apiKeyHash: [sha256(keyOf(DrillShop.merchant))],
    orderTokenSecret: [shop.orderTokenSecret],
    signingSecret: [shop.signingSecret],
  };
  const { orderLookup: _, orderTokenSecret: __, ...putting } = merchant;
  const id = DrillShop.puttingMerchant;
  const merchants = [merchant, { ...putting, id, apiKeyHash: [sha256(keyOf(id))] }];
  writeFileSync(join(folder, 'merchants.json'), JSON.stringify({ merchants }));
}

/** How the merchants file holds a key or a token. */
export function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** The merchants file of the session server: the shop, and an entry of the playground for each SDK. */
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { z } from 'zod';
import { CURRENCY, CURRENCY_DECIMALS } from '../shop/catalogue.js';
import type { PlaygroundMerchant } from '../shop/config.js';
import { deriveApiKey, hashApiKey, type StackSecrets } from './secrets.js';
import type { StackAddresses } from './settings.js';

/** Our shop's id at the session server. */
export const MERCHANT = 'hollin-and-slip';
export const MERCHANT_NAME = 'Hollin & Slip';
export const PROVIDER_MERCHANT_ID = 1001;

export interface MerchantsFileOptions {
  readonly file: string;
  readonly addresses: StackAddresses;
  readonly secrets: StackSecrets;
  readonly shapes: readonly SdkShape[];
}

/** Writes the file. Every entry is the same merchant at the provider. */
export function writeMerchantsFile({
  file,
  addresses,
  secrets,
  shapes,
}: MerchantsFileOptions): void {
  const shop = describeShop(addresses, secrets);
  const entries = shapes.map(({ name, sdk }) => ({
    ...shop,
    id: playgroundId(name),
    returnUrl: `${addresses.shop}/playground?order={order}&checkout={checkout}&kind={kind}`,
    sdk,
    // The address is asked for whenever the shop does not tell it.
    avs: 'required',
    avsFields: ['flat', 'houseNumber', 'postcode'],
    apiKeyHash: [hashApiKey(deriveApiKey(secrets, playgroundId(name)))],
  }));
  const merchants = { merchants: [shop, ...entries] };
  writeFileSync(file, JSON.stringify(merchants, null, 2), { mode: 0o600 });
}

/** The same entries, as the shop is told of them. */
export function listPlaygroundMerchants(
  secrets: StackSecrets,
  shapes: readonly SdkShape[],
): readonly PlaygroundMerchant[] {
  return shapes.map(({ name, what, works }) => {
    const id = playgroundId(name);
    return { id, apiKey: deriveApiKey(secrets, id), shape: name, what, works };
  });
}

function playgroundId(shape: string): string {
  return `playground-${shape}`;
}

function describeShop(addresses: StackAddresses, secrets: StackSecrets) {
  return {
    id: MERCHANT,
    name: MERCHANT_NAME,
    providerMerchantId: PROVIDER_MERCHANT_ID,
    currency: CURRENCY,
    decimals: CURRENCY_DECIMALS,
    origins: [addresses.shop],
    returnUrl: `${addresses.shop}/result?order={order}&checkout={checkout}&kind={kind}`,
    orderLookup: { url: `${addresses.shopApi}/api/order-lookup`, allowPrivateAddress: true },
    events: { url: `${addresses.shopApi}/api/events`, allowPrivateAddress: true },
    split: [
      { partnerMerchantId: 501, typeId: 1, percent: '2.5' },
      { partnerMerchantId: 502, typeId: 2, fixed: '0.30' },
    ],
    sdk: describeSdk(addresses),
    apiKeyHash: [hashApiKey(secrets.merchantApiKey)],
    orderTokenSecret: [secrets.orderTokenSecret],
    signingSecret: [secrets.signingSecret],
  };
}

/** How the page loads and calls the sandbox's client SDK. */
export function describeSdk({ sandbox }: StackAddresses) {
  return {
    url: `${sandbox}/sdk/checkout.js`,
    global: 'PaySandbox',
    argument: 'object',
    container: 'selector',
    callbacks: {
      onReady: 'shown',
      onSubmit: 'submitted',
      onDecline: 'declined',
      onExpire: 'refused',
      onError: 'error',
    },
    origins: { script: [sandbox], frame: [sandbox], connect: [] as string[] },
  } as const;
}

const ASK_WITHIN_MS = 5000;

const schema = z.object({
  shapes: z
    .array(
      z.object({
        name: z.string(),
        what: z.string(),
        works: z.boolean(),
        /** What a merchant entry of the session server says under `sdk`. */
        sdk: z.looseObject({}),
      }),
    )
    .min(1),
});

export type SdkShape = Readonly<z.output<typeof schema>['shapes'][number]>;

/**
 * Asks `GET /sdk/shapes`. The addresses in the answer follow the `Host` of the question, so it is
 * asked under the name that browsers use, at the address that this process can reach.
 */
export async function listSdkShapes(
  sandboxApi: string,
  publicUrl: string,
): Promise<readonly SdkShape[]> {
  const text = await new Promise<string>((resolve, reject) => {
    const asked = request(
      `${sandboxApi}/sdk/shapes`,
      { headers: { host: new URL(publicUrl).host }, timeout: ASK_WITHIN_MS },
      (response) => {
        response.setEncoding('utf8');
        let body = '';
        response.on('data', (part: string) => (body += part));
        response.once('end', () => {
          resolve(body);
        });
        response.once('error', reject);
      },
    );
    asked.once('timeout', () => asked.destroy(new Error('The sandbox does not list its shapes.')));
    asked.once('error', reject);
    asked.end();
  });
  return schema.parse(JSON.parse(text)).shapes;
}

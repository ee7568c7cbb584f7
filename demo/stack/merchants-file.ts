/** The merchants file of the session server: both shops, and an entry of the playground for each SDK. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describeSdk, listSdkShapes } from '@pay-checkout/sandbox';
import type { Brand } from '../brands/brand.js';
import { hollinAndSlip } from '../brands/hollin-and-slip/brand.js';
import { seventhCloud } from '../brands/seventh-cloud/brand.js';
import { decimalsOf } from '../shop/money.js';
import { playgroundId, PROVIDER_MERCHANT_ID, ROASTERY, ROASTERY_AT_PROVIDER } from './merchants.js';
import { deriveApiKey, deriveSigningSecret, hashApiKey, type StackSecrets } from './secrets.js';
import { LOGO_FILE, type StackAddresses } from './settings.js';

export interface MerchantsFileOptions {
  readonly file: string;
  readonly addresses: StackAddresses;
  readonly secrets: StackSecrets;
}

/** Writes the file, and the logo next to it. Shop and playground are the same merchant at the provider. */
export function writeMerchantsFile({ file, addresses, secrets }: MerchantsFileOptions): void {
  const shop = describeShop(addresses, secrets);
  const entries = listSdkShapes(addresses.sandbox).map(({ name, sdk }) => ({
    ...shop,
    id: playgroundId(name),
    returnUrl: `${addresses.shop}/playground?order={order}&checkout={checkout}&kind={kind}`,
    // These orders are put, and those of the shop itself are looked up.
    orderLookup: undefined,
    events: { ...shop.events, url: `${shop.events.url}/${playgroundId(name)}` },
    sdk,
    // The element asks for the address whenever the shop does not send it.
    avs: 'required',
    avsFields: ['flat', 'houseNumber', 'postcode'],
    apiKeyHash: [hashApiKey(deriveApiKey(secrets, playgroundId(name)))],
  }));
  copyFileSync(LOGO_FILE, join(dirname(file), basename(LOGO_FILE)));
  const merchants = { merchants: [shop, describeRoastery(addresses, secrets), ...entries] };
  writeFileSync(file, JSON.stringify(merchants, null, 2), { mode: 0o600 });
}

/** The second shop puts its orders. */
function describeRoastery(addresses: StackAddresses, secrets: StackSecrets) {
  return {
    ...describeBrand(seventhCloud, addresses.roastery, addresses.roasteryApi),
    providerMerchantId: ROASTERY_AT_PROVIDER.id,
    // Journeys put its orders on a page of the first shop.
    origins: [addresses.roastery, addresses.shop],
    split: [{ partnerMerchantId: 503, typeId: 1, percent: '4', min: '0.100', cap: '0.250' }],
    sdk: describeSdk(addresses.sandbox),
    apiKeyHash: [hashApiKey(deriveApiKey(secrets, ROASTERY))],
    signingSecret: [deriveSigningSecret(secrets, ROASTERY)],
  };
}

function describeShop(addresses: StackAddresses, secrets: StackSecrets) {
  return {
    ...describeBrand(hollinAndSlip, addresses.shop, addresses.shopApi),
    providerMerchantId: PROVIDER_MERCHANT_ID,
    origins: [addresses.shop],
    orderLookup: { url: `${addresses.shopApi}/api/order-lookup`, allowPrivateAddress: true },
    split: [
      { partnerMerchantId: 501, typeId: 1, percent: '2.5' },
      { partnerMerchantId: 502, typeId: 2, fixed: '0.30' },
    ],
    sdk: describeSdk(addresses.sandbox),
    apiKeyHash: [hashApiKey(secrets.merchantApiKey)],
    orderTokenSecret: [secrets.orderTokenSecret],
    signingSecret: [secrets.signingSecret],
  };
}

function describeBrand({ id, name, checkoutLook, currency }: Brand, address: string, api: string) {
  return {
    id,
    name,
    brand: checkoutLook,
    currency,
    decimals: decimalsOf(currency),
    returnUrl: `${address}/result?order={order}&checkout={checkout}&kind={kind}`,
    events: { url: `${api}/api/events`, allowPrivateAddress: true },
  };
}

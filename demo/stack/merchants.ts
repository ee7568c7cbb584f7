/** The merchants of the stack: what they are called at the session server and at the provider. */
import { listSdkShapes } from '@pay-checkout/sandbox';
import { hollinAndSlip } from '../brands/hollin-and-slip/brand.js';
import { seventhCloud } from '../brands/seventh-cloud/brand.js';
import type { PlaygroundMerchant } from '../shop/config.js';
import { deriveApiKey, type StackSecrets } from './secrets.js';

/** Our shop's id at the session server. */
export const MERCHANT = hollinAndSlip.id;
export const MERCHANT_NAME = hollinAndSlip.name;
export const PROVIDER_MERCHANT_ID = 1001;

/** The second shop, and its merchant at the provider. */
export const ROASTERY = seventhCloud.id;
export const ROASTERY_AT_PROVIDER = {
  id: 1006,
  name: 'Seventh Cloud Roastery',
  currency: seventhCloud.currency,
};

/** The playground's merchants as the shop knows them: one for each shape of the SDK. */
export function listPlaygroundMerchants(
  sandbox: string,
  secrets: StackSecrets,
): readonly PlaygroundMerchant[] {
  return listSdkShapes(sandbox).map(({ name, what, works }) => {
    const id = playgroundId(name);
    return { id, apiKey: deriveApiKey(secrets, id), shape: name, what, works };
  });
}

export function playgroundId(shape: string): string {
  return `playground-${shape}`;
}

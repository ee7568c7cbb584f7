import type { Merchant } from './merchant.js';

/** The name under which our sandbox's SDK makes itself known: never right in production. */
const SANDBOX_GLOBAL = 'PaySandbox';

type Addressed = Pick<Merchant, 'origins' | 'returnUrl' | 'orderLookup' | 'events'> & {
  readonly sdk: { readonly url: string; readonly global: string };
};

/** What an environment of `production` refuses: plain http anywhere, and our sandbox's SDK. */
export function findUnsafeForProduction(merchants: readonly Addressed[]): string[] {
  return merchants.flatMap((merchant, index) => {
    const addresses: readonly (readonly [string, string])[] = [
      ...merchant.origins.map((url, at) => [`origins.${String(at)}`, url] as const),
      ['returnUrl', merchant.returnUrl],
      ['orderLookup.url', merchant.orderLookup.url],
      ['events.url', merchant.events.url],
      ['sdk.url', merchant.sdk.url],
    ];
    const plain = addresses
      .filter(([, url]) => !url.startsWith('https:'))
      .map(([field]) => `merchants.${String(index)}.${field}: production expects https`);
    return merchant.sdk.global.split('.')[0] === SANDBOX_GLOBAL
      ? [...plain, `merchants.${String(index)}.sdk: production cannot use the sandbox’s SDK`]
      : plain;
  });
}

/** What each process of the stack is told: its environment, and the merchants file. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CURRENCY, CURRENCY_DECIMALS } from '../../shared/catalogue.js';
import { findPackageDirectory } from '../package-directory.js';
import { hashApiKey, type StackSecrets } from './stack-secrets.js';

/** The three processes. */
export type ProcessName = 'sandbox' | 'session-server' | 'shop';

export const PROCESS_NAMES: readonly ProcessName[] = ['sandbox', 'session-server', 'shop'];

/** Addresses as browsers see them, and as the processes reach each other. */
export interface StackAddresses {
  readonly sandbox: string;
  readonly pay: string;
  readonly shop: string;
  readonly sandboxApi: string;
  readonly payApi: string;
  readonly shopApi: string;
}

/** Our shop's id at the session server. */
export const MERCHANT = 'hollin-and-slip';
const MERCHANT_NAME = 'Hollin & Slip';
const PROVIDER_MERCHANT_ID = 1001;

export type ProcessEnv = Readonly<Record<string, string>>;

export interface StackSettings {
  readonly addresses: StackAddresses;
  readonly env: Readonly<Record<ProcessName, ProcessEnv>>;
}

/** Who listens where. */
export function addressesOf(ports: Readonly<Record<ProcessName, number>>): StackAddresses {
  return {
    sandbox: `http://sandbox.localhost:${ports.sandbox}`,
    pay: `http://pay.localhost:${ports['session-server']}`,
    shop: `http://shop.localhost:${ports.shop}`,
    // Node does not resolve names under `localhost`: servers use the number.
    sandboxApi: `http://127.0.0.1:${ports.sandbox}`,
    payApi: `http://127.0.0.1:${ports['session-server']}`,
    shopApi: `http://127.0.0.1:${ports.shop}`,
  };
}

/** Where the program of each process is. */
export function programOf(name: ProcessName): string {
  switch (name) {
    case 'sandbox':
      return join(findPackageDirectory('@pay-checkout/sandbox'), 'dist', 'main.js');
    case 'session-server':
      return join(findPackageDirectory('@pay-checkout/session-server'), 'dist', 'main.js');
    case 'shop':
      return join(findPackageDirectory('@pay-checkout/demo'), 'dist', 'server', 'shop-main.js');
  }
}

/** Writes the merchants file and gives the environment of each process. */
export function writeStackSettings(
  dataDirectory: string,
  ports: Readonly<Record<ProcessName, number>>,
  secrets: StackSecrets,
): StackSettings {
  const addresses = addressesOf(ports);
  const merchantsFile = join(dataDirectory, 'merchants.json');
  const merchants = { merchants: [describeMerchant(addresses, secrets)] };
  writeFileSync(merchantsFile, JSON.stringify(merchants, null, 2), { mode: 0o600 });
  return {
    addresses,
    env: {
      sandbox: {
        SANDBOX_HOST: '127.0.0.1',
        SANDBOX_PORT: String(ports.sandbox),
        SANDBOX_PUBLIC_URL: addresses.sandbox,
        SANDBOX_API_KEY: secrets.providerApiKey,
        SANDBOX_MERCHANTS: JSON.stringify([
          { id: PROVIDER_MERCHANT_ID, name: MERCHANT_NAME, currency: CURRENCY },
        ]),
      },
      'session-server': {
        PAY_ENVIRONMENT: 'sandbox',
        PAY_HOST: '127.0.0.1',
        PAY_PORT: String(ports['session-server']),
        PAY_PUBLIC_URL: addresses.pay,
        PAY_WEBHOOK_BASE_URL: addresses.payApi,
        PAY_DATABASE_FILE: join(dataDirectory, 'session-server.sqlite'),
        PAY_MERCHANTS_FILE: merchantsFile,
        PAY_WIDGET_SCRIPT: join(
          findPackageDirectory('@pay-checkout/widget'),
          'dist',
          'pay-checkout.js',
        ),
        PAY_PARTNER_API_URL: addresses.sandboxApi,
        PAY_PARTNER_API_KEY: secrets.providerApiKey,
        PAY_LOG_LEVEL: 'warn',
      },
      shop: {
        SHOP_HOST: '127.0.0.1',
        SHOP_PORT: String(ports.shop),
        SHOP_PUBLIC_URL: addresses.shop,
        SHOP_DATA_FILE: join(dataDirectory, 'shop.sqlite'),
        SHOP_PAY_PUBLIC_URL: addresses.pay,
        SHOP_PAY_API_URL: addresses.payApi,
        SHOP_MERCHANT: MERCHANT,
        SHOP_ORDER_TOKEN_SECRET: secrets.orderTokenSecret,
        SHOP_SIGNING_SECRET: secrets.signingSecret,
        SHOP_PAY_API_KEY: secrets.merchantApiKey,
        SHOP_SDK_ORIGINS: JSON.stringify(describeSdk(addresses).origins),
      },
    },
  };
}

function describeMerchant(addresses: StackAddresses, secrets: StackSecrets): object {
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
function describeSdk({ sandbox }: StackAddresses) {
  return {
    url: `${sandbox}/sdk/checkout.js`,
    global: 'PaySandbox',
    argument: 'object',
    container: 'selector',
    callbacks: {
      onReady: 'shown',
      onSubmit: 'submitted',
      onDecline: 'declined',
      onError: 'error',
    },
    origins: { script: [sandbox], frame: [sandbox], connect: [] as string[] },
  } as const;
}

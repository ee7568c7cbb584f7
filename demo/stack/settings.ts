/** The environment of each process of the stack. */
import { createRequire } from 'node:module';
import { join, dirname } from 'node:path';
import { describeSdk } from '@pay-checkout/sandbox';
import type { KnownThings } from '../console/console-view.js';
import { hollinAndSlip } from '../brands/hollin-and-slip/brand.js';
import {
  listPlaygroundMerchants,
  MERCHANT,
  MERCHANT_NAME,
  PROVIDER_MERCHANT_ID,
  ROASTERY,
  ROASTERY_AT_PROVIDER,
} from './merchants.js';
import {
  deriveApiKey,
  deriveOperatorKey,
  deriveSigningSecret,
  type StackSecrets,
} from './secrets.js';

/** What listens: the session server has a listener for its operator, and one for its merchants. */
export const PORT_NAMES = [
  'shop',
  'session-server',
  'sandbox',
  'console',
  'operator',
  'dashboard',
  'roastery',
] as const;

export type PortName = (typeof PORT_NAMES)[number];

/** A value for each that listens. */
export function perPort<Value>(valueOf: (name: PortName) => Value): Record<PortName, Value> {
  const entries = PORT_NAMES.map((name) => [name, valueOf(name)]);
  return Object.fromEntries(entries) as Record<PortName, Value>;
}

/** The processes; the second shop and the partner console belong to a whole stack. */
export type ProcessName = 'sandbox' | 'session-server' | 'shop' | 'roastery' | 'console';

/** Addresses as browsers see them, and as the processes reach each other. */
export interface StackAddresses {
  readonly sandbox: string;
  readonly pay: string;
  readonly shop: string;
  /** The second shop. */
  readonly roastery: string;
  readonly console: string;
  /** The operator's page of the session server. */
  readonly operator: string;
  /** The page of a merchant of the session server. */
  readonly dashboard: string;
  readonly sandboxApi: string;
  readonly payApi: string;
  readonly shopApi: string;
  readonly roasteryApi: string;
  readonly consoleApi: string;
}

/** A name of its own: browsers keep its cookie from all that listens at another one. */
const OPERATOR_NAME = 'operator.localhost';

export type ProcessEnv = Readonly<Record<string, string>>;

/** Who listens where. */
export function addressesOf(ports: Readonly<Record<PortName, number>>): StackAddresses {
  return {
    sandbox: `http://sandbox.localhost:${ports.sandbox}`,
    pay: `http://pay.localhost:${ports['session-server']}`,
    shop: `http://shop.localhost:${ports.shop}`,
    roastery: `http://roastery.localhost:${ports.roastery}`,
    console: `http://partner.localhost:${ports.console}`,
    operator: `http://${OPERATOR_NAME}:${ports.operator}`,
    dashboard: `http://dashboard.localhost:${ports.dashboard}`,
    // Node does not resolve names under `localhost`: servers use the number.
    sandboxApi: `http://127.0.0.1:${ports.sandbox}`,
    payApi: `http://127.0.0.1:${ports['session-server']}`,
    shopApi: `http://127.0.0.1:${ports.shop}`,
    roasteryApi: `http://127.0.0.1:${ports.roastery}`,
    consoleApi: `http://127.0.0.1:${ports.console}`,
  };
}

const DEMO = findPackageDirectory('@pay-checkout/demo');

/** Where the data are kept by default. */
export const DEFAULT_DATA_DIRECTORY = join(DEMO, 'data');

/** The logo of the shop, on its hosted page too. */
export const LOGO_FILE = join(DEMO, 'brands/hollin-and-slip/logo.png');

/** Where the built pages of a site are: `playground`, `console`, or the shop with a brand's id. */
export function siteDirectoryOf(site: string): string {
  return join(DEMO, 'dist/sites', site);
}

/** Where the program of each process is. */
export function programOf(name: ProcessName): string {
  switch (name) {
    case 'sandbox':
      return join(findPackageDirectory('@pay-checkout/sandbox'), 'dist/main.js');
    case 'session-server':
      return join(findPackageDirectory('@pay-checkout/session-server'), 'dist/main.js');
    case 'shop':
    case 'roastery':
      return join(DEMO, 'dist/stack/shop-main.js');
    case 'console':
      return join(DEMO, 'dist/stack/console-main.js');
  }
}

/** Environment of the sandbox; with a past for the partner console to show. */
export function sandboxEnv(
  { sandbox, sandboxApi }: StackAddresses,
  secrets: StackSecrets,
  isWhole: boolean,
): ProcessEnv {
  return {
    SANDBOX_HOST: '127.0.0.1',
    SANDBOX_PORT: portOf(sandboxApi),
    SANDBOX_PUBLIC_URL: sandbox,
    SANDBOX_API_KEY: secrets.providerApiKey,
    SANDBOX_MERCHANTS: JSON.stringify([
      { id: PROVIDER_MERCHANT_ID, name: MERCHANT_NAME, currency: hollinAndSlip.currency },
      ROASTERY_AT_PROVIDER,
      ...(isWhole ? OTHER_MERCHANTS : []),
    ]),
    ...(isWhole && inventPast(new Date())),
  };
}

/** Environment of the session server. */
export function sessionServerEnv(
  { pay, payApi, sandboxApi, operator, dashboard, console }: StackAddresses,
  secrets: StackSecrets,
  files: { readonly database: string; readonly merchants: string },
): ProcessEnv {
  return {
    PAY_ENVIRONMENT: 'sandbox',
    PAY_HOST: '127.0.0.1',
    PAY_PORT: portOf(payApi),
    PAY_PUBLIC_URL: pay,
    PAY_WEBHOOK_BASE_URL: payApi,
    PAY_DATABASE_FILE: files.database,
    PAY_MERCHANTS_FILE: files.merchants,
    PAY_WIDGET_SCRIPT: join(
      findPackageDirectory('@pay-checkout/widget'),
      'dist',
      'pay-checkout.js',
    ),
    PAY_PARTNER_API_URL: sandboxApi,
    PAY_PARTNER_API_KEY: secrets.providerApiKey,
    PAY_OPERATOR_PORT: portOf(operator),
    PAY_OPERATOR_NAMES: OPERATOR_NAME,
    PAY_OPERATOR_CONSOLE_URL: console,
    PAY_OPERATOR_KEY: deriveOperatorKey(secrets),
    PAY_DASHBOARD_PORT: portOf(dashboard),
    PAY_LOG_LEVEL: 'warn',
  };
}

/** Environment of a shop. The first one has the playground; the second one puts its orders. */
export function shopEnv(
  shop: 'shop' | 'roastery',
  addresses: StackAddresses,
  secrets: StackSecrets,
  database: string,
): ProcessEnv {
  const playground = JSON.stringify(listPlaygroundMerchants(addresses.sandbox, secrets));
  const entry: ProcessEnv =
    shop === 'shop'
      ? {
          SHOP_BRAND: MERCHANT,
          SHOP_ORDER_TOKEN_SECRET: secrets.orderTokenSecret,
          SHOP_SIGNING_SECRET: secrets.signingSecret,
          SHOP_PAY_API_KEY: secrets.merchantApiKey,
          SHOP_PLAYGROUND_MERCHANTS: playground,
        }
      : {
          SHOP_BRAND: ROASTERY,
          SHOP_SIGNING_SECRET: deriveSigningSecret(secrets, ROASTERY),
          SHOP_PAY_API_KEY: deriveApiKey(secrets, ROASTERY),
        };
  return {
    ...entry,
    SHOP_HOST: '127.0.0.1',
    SHOP_PORT: portOf(addresses[shop]),
    SHOP_PUBLIC_URL: addresses[shop],
    SHOP_DATA_FILE: database,
    SHOP_PAY_PUBLIC_URL: addresses.pay,
    SHOP_PAY_API_URL: addresses.payApi,
    SHOP_SDK_ORIGINS: JSON.stringify(describeSdk(addresses.sandbox).origins),
    SHOP_BREAK_THINGS: JSON.stringify({
      sandboxUrl: addresses.sandboxApi,
      operatorUrl: `http://127.0.0.1:${portOf(addresses.operator)}`,
      operatorKey: deriveOperatorKey(secrets),
    }),
  };
}

/** Environment of the partner console: the only process of the demo's pages with the API key. */
export function consoleEnv(
  { console, consoleApi, operator, sandbox, sandboxApi }: StackAddresses,
  secrets: StackSecrets,
  keyDirectory: string,
): ProcessEnv {
  return {
    CONSOLE_PORT: portOf(consoleApi),
    CONSOLE_PUBLIC_URL: console,
    CONSOLE_PARTNER_API_URL: sandboxApi,
    CONSOLE_MERCHANTS_API_URL: `${sandboxApi}/merchants-sandbox`,
    CONSOLE_TRANSFERS_API_URL: sandboxApi,
    CONSOLE_PAY_PAGE_URL: `${sandbox}/pages/pay/{session}`,
    CONSOLE_OPERATOR_URL: operator,
    CONSOLE_PARTNER_API_KEY: secrets.providerApiKey,
    CONSOLE_KEY_DIRECTORY: keyDirectory,
    CONSOLE_KNOWN: JSON.stringify(describeKnown(PROVIDER_MERCHANT_ID, MERCHANT_NAME)),
  };
}

function portOf(address: string): string {
  return new URL(address).port || '80';
}

const PAST_TRANSACTIONS = 4000;
const PAST_DAYS = 180;

/** Merchants in addition to our shop; none of them has a page in the demo. */
export const OTHER_MERCHANTS = [
  { id: 1002, name: 'Lanternfish Books', currency: 'EUR' },
  { id: 1003, name: 'Koyama Paper', currency: 'JPY' },
  { id: 1004, name: 'Saltmarsh Cycles', currency: 'GBP' },
  { id: 1005, name: 'Dune Radio', currency: 'KWD' },
] as const;

/** Settings of the sandbox: half a year of payments that ends at this moment. */
export function inventPast(now: Date): Readonly<Record<string, string>> {
  return {
    SANDBOX_TRANSACTIONS: String(PAST_TRANSACTIONS),
    SANDBOX_TRANSACTIONS_DAYS: String(PAST_DAYS),
    SANDBOX_TRANSACTIONS_UNTIL: now.toISOString(),
  };
}

/** What the team knows from its contracts: the provider's interface has no list of these. */
export function describeKnown(shopId: number, shopName: string): KnownThings {
  const others = [ROASTERY_AT_PROVIDER, ...OTHER_MERCHANTS].map(({ id, name }) => ({ id, name }));
  const merchants = [{ id: shopId, name: shopName }, ...others];
  return {
    partners: ['harbour-lane', 'quiet-harbour', 'broken-harbour'],
    merchants,
    reportSchedules: merchants.map(({ id }) => `sch_${id}_daily`),
  };
}

/** Directory of the package that Node finds under this name. */
export function findPackageDirectory(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
}

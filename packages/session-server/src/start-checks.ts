import { setTimeout as sleep } from 'node:timers/promises';
import { isPartnerApiError } from '@pay-checkout/partner-api';
import { systemClock } from './clock.js';
import { type Config, findTaken, listenersOf, parseConfig, readValidSettings } from './config.js';
import { peekOrderId } from './checkouts/order-ids.js';
import { AppError, ConfigError, isOurs, NOT_STARTED } from './errors.js';
import { readDomainFile, readWidgetScript } from './hosted/assets.js';
import { loadingDirectives } from './http/headers.js';
import { startListener } from './http/listener.js';
import { findBrandWarnings } from './merchants/brand.js';
import { DEFAULT_ACCOUNT, type Merchant } from './merchants/merchant.js';
import { findKeyMistake } from './known-keys.js';
import {
  fixedMerchants,
  hasAccountList,
  type MerchantsFile,
  readMerchantsFile,
} from './merchants/merchant-source.js';
import { openAlongside } from './open-database.js';
import { createPartnerGateway } from './provider/gateway.js';
import { PartnerClients } from './provider/partner-clients.js';
import { findAddressProblem, isWrittenPrivate } from './provider/shop-client.js';
import { compareLists, type ListComparison } from './reconciliation/compare-lists.js';
import { sdkSources } from './security/csp.js';
import { loadOperator } from './operator-package.js';
import { checkDatabaseUrl } from './store/postgres-database.js';
import { checkDataFile } from './store/sqlite-database.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What settings of a package that may be missing begin with. */
const OPERATOR_SETTINGS = /^PAY_(OPERATOR|DASHBOARD)_/;

/** Settings whose error may be temporary: an unavailable database, a port or file that another process still uses. */
const PASSING = [
  'DATABASE_URL',
  'PAY_DATABASE_FILE',
  'PAY_PORT',
  'PAY_OPERATOR_PORT',
  'PAY_METRICS_PORT',
  'PAY_DASHBOARD_PORT',
];

/**
 * Finds everything that would keep the server from starting, before it opens anything: settings,
 * merchants file, data file, scripts and ports.
 *
 * @param isRunning whether a server is running, whose data file and ports are in use
 * @throws {ConfigError} listing every mistake of all of them
 */
export async function checkStart(env: Environment, isRunning = false): Promise<Config> {
  const mistakes: string[] = [];
  let isFinal = false;
  const note = (setting: string) => (error: unknown) => {
    if (!isOurs(error)) throw error;
    isFinal ||= !PASSING.includes(setting);
    if (!(error instanceof ConfigError)) mistakes.push(`${setting}: ${error.message}`);
    else if (error.source === 'environment') mistakes.push(...error.mistakes);
    else for (const why of error.mistakes) mistakes.push(`${setting}: ${why}`);
  };
  const check = <T>(setting: string, work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      note(setting)(error);
      return undefined;
    }
  };

  const config = check('environment', () => parseConfig(env));
  const {
    PAY_ENVIRONMENT: environment = 'sandbox',
    PAY_MERCHANTS_FILE: merchantsFile,
    PAY_DATABASE_FILE: dataFile,
    DATABASE_URL: databaseUrl,
    PAY_WIDGET_SCRIPT: script,
    PAY_EARLIER_WIDGET_SCRIPTS: earlierScripts = [],
    PAY_APPLE_PAY_FILE: applePayFile,
    ...listeners
  } = readValidSettings(env);
  if (merchantsFile !== undefined) {
    check('PAY_MERCHANTS_FILE', () => readMerchantsFile(merchantsFile, environment));
  }
  if (databaseUrl !== undefined) {
    await checkDatabaseUrl(databaseUrl).catch(note('DATABASE_URL'));
  } else if (dataFile !== undefined && !isRunning) {
    check('PAY_DATABASE_FILE', () => checkDataFile(dataFile));
  }
  if (script !== undefined) check('PAY_WIDGET_SCRIPT', () => readWidgetScript(script));
  for (const path of earlierScripts) {
    check('PAY_EARLIER_WIDGET_SCRIPTS', () => readWidgetScript(path, 'PAY_EARLIER_WIDGET_SCRIPTS'));
  }
  if (applePayFile !== undefined) {
    check('PAY_APPLE_PAY_FILE', () => readDomainFile(applePayFile));
  }
  const ofOperator = Object.keys(env).find((name) => OPERATOR_SETTINGS.test(name) && env[name]);
  if (ofOperator !== undefined) await loadOperator(ofOperator).catch(note(ofOperator));
  if (!isRunning) await checkPorts(listeners, note);
  if (config && mistakes.length === 0) return config;
  throw new ConfigError(isRunning ? 'the server would not start' : NOT_STARTED, mistakes, isFinal);
}

/** What `check` found: an error keeps payments or events from working, a warning may. */
interface Finding {
  readonly level: 'error' | 'warning' | 'info';
  /** A setting, a merchant or an account. */
  readonly about: string;
  readonly text: string;
}

/**
 * `pay-session-server check`, with or without a running server: what a start would warn about, whether
 * the provider's lists are as `transactionList` says, and mistakes that a start does not notice.
 * With such an error, the exit code is 1.
 *
 * @throws {ConfigError} listing what it would refuse in settings, merchants file and scripts
 */
export async function runCheck(env: Environment, isJson = false): Promise<string[]> {
  const config = await checkStart(env, true);
  const file = readMerchantsFile(config.merchantsFile, config.environment);
  const merchants = [...file.merchants.values()];
  const findings: Finding[] = [
    ...merchants.flatMap(findAccentWarnings),
    ...checkWebhookAddress(config),
    ...(await checkShopAddresses(merchants)),
    ...(await checkDatabase(config)),
    ...(await checkLists(config, file)),
    ...describePolicies(merchants),
  ];
  const errors = findings.filter(({ level }) => level === 'error').length;
  if (errors > 0) process.exitCode = 1;
  if (isJson) return [JSON.stringify({ merchants: merchants.length, errors, findings })];
  const checked = `Settings, scripts and ${countOf(merchants.length, 'merchant')}`;
  return [
    ...findings.map(
      ({ level, about, text }) => `${level === 'info' ? '' : `${level}: `}${about}: ${text}`,
    ),
    `${checked}: ${errors === 0 ? 'no mistakes' : countOf(errors, 'error')}.`,
  ];
}

function countOf(count: number, thing: string): string {
  return `${String(count)} ${thing}${count === 1 ? '' : 's'}`;
}

function findAccentWarnings(merchant: Merchant): Finding[] {
  return findBrandWarnings(merchant).map(({ code, accent, ratio, surface, needed }) => {
    const change = surface === 'light' ? 'darker' : 'lighter';
    const text =
      `${code}: ${accent} has a contrast of ${ratio} on the ${surface} ` +
      `surface, and needs ${needed}; give brand.accent a ${change} colour for it`;
    return { level: 'warning', about: merchant.id, text };
  });
}

/** Webhooks are hints alone, so payments are still found without them: only later. */
function checkWebhookAddress({ environment, webhookBaseUrl }: Config): Finding[] {
  if (environment === 'sandbox' || !isWrittenPrivate(webhookBaseUrl)) return [];
  const text = `${new URL(webhookBaseUrl).hostname} is a private address, which the provider's servers do not reach; set PAY_WEBHOOK_BASE_URL to a public one`;
  return [{ level: 'warning', about: 'webhooks', text }];
}

/** How long names are looked up in all. */
const LOOKUP_MS = 3000;

/** The addresses of the shops' back ends, as this machine resolves them: each name once, however many have it. */
async function checkShopAddresses(merchants: readonly Merchant[]): Promise<Finding[]> {
  const endpoints = merchants.flatMap(({ id, events, orderLookup }) =>
    Object.entries({ events, orderLookup }).flatMap(([field, endpoint]) =>
      endpoint && !endpoint.allowPrivateAddress
        ? [{ id, field, url: endpoint.url, hostname: new URL(endpoint.url).hostname }]
        : [],
    ),
  );
  const isOver = sleep(LOOKUP_MS, 'late' as const, { ref: false });
  const byName = Map.groupBy(endpoints, ({ hostname }) => hostname);
  const problems = new Map(
    await Promise.all(
      [...byName].map(async ([hostname, [first]]) => {
        const problem = first && findAddressProblem({ url: first.url });
        return [hostname, await Promise.race([problem, isOver])] as const;
      }),
    ),
  );
  const alike = Map.groupBy(endpoints, ({ hostname, field }) =>
    problems.get(hostname) === 'late' ? 'late' : `${hostname} ${field}`,
  );
  return [...alike.values()].flatMap(([first, ...others]): Finding[] => {
    if (!first) return [];
    const { id, field, hostname } = first;
    const more = others.length === 0 ? '' : `, and ${String(others.length)} more`;
    const about = `${id}: ${field}.url${more}`;
    switch (problems.get(hostname)) {
      case 'private': {
        const text = `${hostname} is a private address, to which the server does not connect; if this is intended, set "allowPrivateAddress": true in ${field}`;
        return [{ level: 'error', about, text }];
      }
      case 'not_found':
        return [{ level: 'warning', about, text: `${hostname} was not found from here` }];
      case 'late': {
        const text = `${hostname} was not looked up within ${String(LOOKUP_MS / 1000)} s`;
        return [{ level: 'warning', about, text }];
      }
      case undefined:
        return [];
    }
  });
}

/** Whether the database has order ids left to give out, and knows the keys. One that is not there yet does. */
async function checkDatabase(config: Config): Promise<Finding[]> {
  const database = await openAlongside(config, 'read').catch((error: unknown) => {
    if (!isOurs(error)) throw error;
    return undefined;
  });
  if (!database) return [];
  const findings: Finding[] = [];
  try {
    const next = await peekOrderId(database, systemClock.now());
    if (next !== undefined && next > config.maxOrderId) {
      const text = `the next order_id of the database is ${String(next)}, so no payment can be begun; raise it`;
      findings.push({ level: 'error', about: 'PAY_MAX_ORDER_ID', text });
    }
    const mistake = await findKeyMistake(database, config.encryptionKeys ?? []);
    if (config.encryptionKeys && mistake !== undefined) {
      findings.push({ level: 'error', about: 'PAY_ENCRYPTION_KEY', text: mistake });
    }
  } finally {
    await database.close();
  }
  return findings;
}

/** What the hosted pages will allow, once for all that allow the same. */
function describePolicies(merchants: readonly Merchant[]): Finding[] {
  const policyOf = ({ sdk }: Merchant) => loadingDirectives({ sdk: sdkSources(sdk) }).join('; ');
  return [...Map.groupBy(merchants, policyOf)].map(([text, alike]) => {
    const [first, ...others] = alike.map(({ id }) => id);
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return { level: 'info', about: `hosted page of ${first}${more}`, text };
  });
}

/** Reports for each account which of its lists the server should read. */
async function checkLists(config: Config, file: MerchantsFile): Promise<Finding[]> {
  const source = fixedMerchants(file);
  const clients = new PartnerClients(config, source);
  const gateway = createPartnerGateway(clients);
  try {
    const findings: Finding[] = [];
    for (const [account, places] of Map.groupBy(
      file.merchants.values(),
      (merchant) => merchant.account,
    )) {
      const comparison = await compareLists(gateway, account, places, systemClock.now());
      const set = (await hasAccountList(source, account)) ? 'account' : 'merchant';
      const address = file.accounts.get(account)?.apiUrl ?? config.partnerApiUrl;
      findings.push(describeLists({ account, address }, comparison, set));
    }
    return findings;
  } finally {
    clients.close();
  }
}

function describeLists(
  { account, address }: { readonly account: string; readonly address: string },
  comparison: ListComparison,
  set: 'account' | 'merchant',
): Finding {
  const about = `account ${account}`;
  const asked = `${address} was asked for the newest transactions`;
  const advise = (right: 'account' | 'merchant', why: string): Finding => {
    if (right === set) {
      return { level: 'info', about, text: `${why}; transactionList "${right}" is right` };
    }
    const change = `set transactionList of accounts.${account} to "${right}"`;
    return { level: 'warning', about, text: `${why}; ${change}` };
  };
  if (comparison.kind === 'unreachable') {
    const { providerMerchantId, cause } = comparison;
    const { isRefusal, words } = describeAnswer(cause);
    const key =
      account === DEFAULT_ACCOUNT ? 'PAY_PARTNER_API_KEY' : `apiKey of accounts.${account}`;
    const advice = isRefusal
      ? `check address, ${key} and providerMerchantId`
      : `transactionList "${set}" is not verified`;
    const text = `${asked} of merchant ${String(providerMerchantId)}: ${words}; ${advice}`;
    return { level: isRefusal ? 'error' : 'warning', about, text };
  }
  if (comparison.kind === 'refused') {
    const { words } = describeAnswer(comparison.cause);
    return advise('merchant', `its list cannot be read (${words}), and those of its merchants can`);
  }
  const { transactions, missing, withoutMerchant, merchants } = comparison;
  if (transactions === 0) {
    const text = `${asked} of ${countOf(merchants, 'merchant')}: there are none yet to compare; transactionList "${set}" is not verified`;
    return { level: 'info', about, text };
  }
  const all = `${transactions} transactions of its merchants`;
  if (missing > 0) return advise('merchant', `its list does not show ${missing} of ${all}`);
  if (withoutMerchant > 0) {
    return advise(
      'merchant',
      `its list gives no matching merchantId for ${withoutMerchant} of ${all}`,
    );
  }
  return advise('account', `its list shows all of ${all}`);
}

/** What the provider answered, for a person; a refusal is an error that a retry does not fix. */
function describeAnswer(error: unknown): { isRefusal: boolean; words: string } {
  const cause = error instanceof AppError ? (error.cause ?? error) : error;
  const words = cause instanceof Error ? cause.message.replace(/\.$/, '') : 'no answer';
  if (!isPartnerApiError(cause)) return { isRefusal: false, words };
  const { status = 0, providerMessage } = cause;
  return {
    isRefusal: status >= 300 && status < 500 && status !== 429,
    words: providerMessage === undefined ? words : `${words} (“${providerMessage}”)`,
  };
}

/** Listens at each address for a moment, at all at the same time. */
async function checkPorts(
  settings: ReturnType<typeof readValidSettings>,
  note: (setting: string) => (error: unknown) => void,
): Promise<void> {
  const wanted = listenersOf(settings);
  const taken = findTaken(wanted).map(({ setting }) => setting);
  const listeners = [];
  for (const { setting, host, port } of wanted) {
    if (host === undefined || taken.includes(setting)) continue;
    const listening = startListener((_request, response) => response.destroy(), { host, port });
    listeners.push(await listening.catch(note(setting)));
  }
  for (const listener of listeners) await listener?.close();
}

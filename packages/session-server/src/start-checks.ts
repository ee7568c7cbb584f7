import { systemClock } from './clock.js';
import { type Config, parseConfig, readValidSettings } from './config.js';
import { ConfigError } from './errors.js';
import { readWidgetScript } from './hosted/assets.js';
import { findBrandWarnings } from './merchants/brand.js';
import {
  fixedMerchants,
  hasAccountList,
  type MerchantsFile,
  readMerchantsFile,
} from './merchants/merchant-source.js';
import { createPartnerGateway } from './provider/gateway.js';
import { PartnerClients } from './provider/partner-clients.js';
import { compareLists, type ListComparison } from './reconciliation/compare-lists.js';
import { startListener } from './running-server.js';
import { checkDatabaseUrl } from './store/postgres-database.js';
import { checkDataFile } from './store/sqlite-database.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Finds everything that would keep the server from starting, before it opens anything: settings,
 * merchants file, data file, scripts and ports.
 *
 * @param beside whether a server runs meanwhile, whose data file and ports are in use
 * @throws {ConfigError} listing every mistake of all of them
 */
export async function checkStart(env: Environment, beside = false): Promise<Config> {
  const mistakes: string[] = [];
  const note = (setting: string) => (error: unknown) => {
    if (!isOurs(error)) throw error;
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
    ...listeners
  } = readValidSettings(env);
  if (merchantsFile !== undefined) {
    check('PAY_MERCHANTS_FILE', () => readMerchantsFile(merchantsFile, environment));
  }
  if (databaseUrl !== undefined) {
    await checkDatabaseUrl(databaseUrl).catch(note('DATABASE_URL'));
  } else if (dataFile !== undefined && !beside) {
    check('PAY_DATABASE_FILE', () => checkDataFile(dataFile));
  }
  if (script !== undefined) check('PAY_WIDGET_SCRIPT', () => readWidgetScript(script));
  for (const path of earlierScripts) {
    check('PAY_EARLIER_WIDGET_SCRIPTS', () => readWidgetScript(path, 'PAY_EARLIER_WIDGET_SCRIPTS'));
  }
  if (!beside) await checkPorts(listeners, note);
  if (config && mistakes.length === 0) return config;
  throw new ConfigError(
    beside ? 'the server would not start' : 'the server did not start',
    mistakes,
  );
}

/**
 * `pay-session-server check`, beside a running server or without one: what a start would warn of, and
 * whether the provider's lists are as `transactionList` says.
 *
 * @throws {ConfigError} listing what it would refuse in settings, merchants file and scripts
 */
export async function runCheck(env: Environment): Promise<string[]> {
  const config = await checkStart(env, true);
  const file = readMerchantsFile(config.merchantsFile, config.environment);
  const merchants = [...file.merchants.values()];
  const warnings = merchants.flatMap((merchant) =>
    findBrandWarnings(merchant).map(({ code, accent, ratio, surface, needed }) => {
      const change = surface === 'light' ? 'darker' : 'lighter';
      return (
        `warning: ${merchant.id}: ${code}: ${accent} has a contrast of ${ratio} on the ${surface} ` +
        `surface, and needs ${needed}; give brand.accent a ${change} colour for it`
      );
    }),
  );
  const count = `${merchants.length} ${merchants.length === 1 ? 'merchant' : 'merchants'}`;
  const lists = await checkLists(config, file);
  return [...warnings, ...lists, `Settings, scripts and ${count}: no mistakes.`];
}

/** Says of each account which of its lists the server should read. */
async function checkLists(config: Config, file: MerchantsFile): Promise<string[]> {
  const source = fixedMerchants(file);
  const clients = new PartnerClients(config, source);
  const gateway = createPartnerGateway(clients);
  try {
    const lines: string[] = [];
    for (const [account, places] of Map.groupBy(
      file.merchants.values(),
      (merchant) => merchant.account,
    )) {
      const comparison = await compareLists(gateway, account, places, systemClock.now());
      const set = (await hasAccountList(source, account)) ? 'account' : 'merchant';
      lines.push(describeLists(account, comparison, set));
    }
    return lines;
  } finally {
    clients.close();
  }
}

function describeLists(
  account: string,
  comparison: ListComparison,
  set: 'account' | 'merchant',
): string {
  const whose = `account ${account}:`;
  const advise = (right: 'account' | 'merchant', why: string): string => {
    if (right === set) return `${whose} ${why}; transactionList "${right}" is right`;
    const change = `set transactionList of accounts.${account} to "${right}"`;
    return `warning: ${whose} ${why}; ${change}`;
  };
  if (comparison.kind === 'unreachable') {
    return `warning: ${whose} the provider could not be asked for transactions; transactionList "${set}" is not confirmed`;
  }
  if (comparison.kind === 'refused') {
    return advise('merchant', 'its list cannot be read, and those of its merchants can');
  }
  const { transactions, missing, nameless } = comparison;
  if (transactions === 0) {
    return `${whose} its merchants have no transactions yet to compare; transactionList "${set}" is not confirmed`;
  }
  const all = `${transactions} transactions of its merchants`;
  if (missing > 0) return advise('merchant', `its list does not show ${missing} of ${all}`);
  if (nameless > 0) {
    return advise('merchant', `its list does not say whose ${nameless} of ${all} are`);
  }
  return advise('account', `its list shows all of ${all}`);
}

/** Listens at each address for a moment, at both at the same time. */
async function checkPorts(
  settings: ReturnType<typeof readValidSettings>,
  note: (setting: string) => (error: unknown) => void,
): Promise<void> {
  const { PAY_HOST: host, PAY_PORT: port } = settings;
  const { PAY_OPERATOR_HOST: operatorHost, PAY_OPERATOR_PORT: operatorPort } = settings;
  const listeners = [
    await tryToListen(host, port).catch(note('PAY_PORT')),
    await tryToListen(operatorHost, operatorPort).catch(note('PAY_OPERATOR_PORT')),
  ];
  for (const listener of listeners) await listener?.close();
}

async function tryToListen(host: string | undefined, port: number | undefined) {
  if (host === undefined || port === undefined) return undefined;
  return startListener((_request, response) => response.destroy(), { host, port });
}

/** Errors whose message is written for an operator. */
export function isOurs(error: unknown): error is Error {
  return (
    error instanceof ConfigError ||
    (error instanceof Error &&
      ['DatabaseInUseError', 'DataFileError', 'AppError'].includes(error.name))
  );
}

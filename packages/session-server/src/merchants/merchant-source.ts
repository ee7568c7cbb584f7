import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Environment } from '../contract.js';
import type { DataEncryption } from '../encryption.js';
import { ConfigError, type FieldError } from '../errors.js';
import { describeIssue, toFieldErrors } from '../field-errors.js';
import type { LogFields, Logger } from '../logger.js';
import { stampOf } from '../secret-files.js';
import { brandSettings, findBrandWarnings } from './brand.js';
import { CombinedFile, type Part, partPaths, readParts, sourceOf } from './file-parts.js';
import { type Logo, LogoError, readLogo } from './logo.js';
import {
  type AccountSettings,
  type Merchant,
  merchantSchema,
  merchantsFileSchema,
} from './merchant.js';
import { resolveSecrets } from './secret-references.js';

/** Where merchants come from: a file, or a platform's own function. */
export interface MerchantSource {
  /** The merchant with this id, or undefined. */
  find(id: string): Promise<Merchant | undefined>;
  /** Every merchant. The same array until something changes, so that callers can cache by it. */
  all(): Promise<readonly Merchant[]>;
  /** Provider accounts, by the names that merchants give. Default: `default` alone, as it is. */
  accounts?(): Promise<ReadonlyMap<string, AccountSettings>>;
  close(): Promise<void>;
}

/** Whether one list shows the transactions of all merchants of an account. */
export async function hasAccountList(
  merchants: Pick<MerchantSource, 'accounts'>,
  account: string,
): Promise<boolean> {
  return (await merchants.accounts?.())?.get(account)?.transactionList !== 'merchant';
}

/** What a merchants file says, by id and by name. */
export interface MerchantsFile {
  readonly merchants: ReadonlyMap<string, Merchant>;
  readonly accounts: ReadonlyMap<string, AccountSettings>;
}

/** Merchants that do not change: for commands. */
export function fixedMerchants({ merchants, accounts }: MerchantsFile): MerchantSource {
  const all = [...merchants.values()];
  return {
    find: (id) => Promise.resolve(merchants.get(id)),
    all: () => Promise.resolve(all),
    accounts: () => Promise.resolve(accounts),
    close: () => Promise.resolve(),
  };
}

/**
 * Merchants who can also be given order tokens by the server: after the secrets of its entry, each has
 * those that are derived from the platform's keys.
 */
export function addOrderTokenSecrets(
  source: MerchantSource,
  encryption: DataEncryption,
): MerchantSource {
  let added = new WeakMap<Merchant, Merchant>();
  let lists = new WeakMap<readonly Merchant[], readonly Merchant[]>();
  let { generation } = encryption;
  const forgetOldKeys = (): void => {
    if (generation === encryption.generation) return;
    ({ generation } = encryption);
    added = new WeakMap();
    lists = new WeakMap();
  };
  const add = (merchant: Merchant): Merchant => {
    forgetOldKeys();
    const known = added.get(merchant);
    if (known) return known;
    const secrets = [...merchant.orderTokenSecret, ...encryption.orderTokenSecrets(merchant.id)];
    const result = { ...merchant, orderTokenSecret: secrets };
    added.set(merchant, result);
    return result;
  };
  return {
    async find(id) {
      const merchant = await source.find(id);
      return merchant && add(merchant);
    },
    async all() {
      const all = await source.all();
      forgetOldKeys();
      const result = lists.get(all) ?? all.map(add);
      lists.set(all, result);
      return result;
    },
    ...(source.accounts && { accounts: source.accounts.bind(source) }),
    close: () => source.close(),
  };
}

const WATCH_INTERVAL_MS = 1000;
/** The name of our sandbox's SDK: never right in production. */
const SANDBOX_GLOBAL = 'PaySandbox';

export interface FileMerchantSourceOptions {
  readonly path: string;
  readonly environment: Environment;
  readonly logger: Logger;
}

/**
 * Merchants from one JSON file, or a folder of them (`docs/merchants-file.md`), read at start and again when one
 * changes.
 * At start every mistake is listed and nothing runs. Later a bad file keeps the good one in force,
 * and the log says why.
 */
export class FileMerchantSource implements MerchantSource {
  readonly #options: FileMerchantSourceOptions;
  readonly #timer: NodeJS.Timeout;
  #file: MerchantsFile;
  #all: readonly Merchant[];
  /** The merchants file, and those that its secrets are in. */
  #paths: readonly string[] = [];
  #stamp = '';

  /** @throws {ConfigError} listing every mistake of the file */
  constructor(options: FileMerchantSourceOptions) {
    const { path, environment, logger } = options;
    this.#options = options;
    this.#noteStamp();
    this.#file = readMerchantsFile(path, environment);
    this.#all = [...this.#file.merchants.values()];
    warnOf(this.#all, logger);
    this.#timer = setInterval(() => {
      this.#reloadIfChanged();
    }, WATCH_INTERVAL_MS).unref();
  }

  find(id: string): Promise<Merchant | undefined> {
    return Promise.resolve(this.#file.merchants.get(id));
  }

  all(): Promise<readonly Merchant[]> {
    return Promise.resolve(this.#all);
  }

  accounts(): Promise<ReadonlyMap<string, AccountSettings>> {
    return Promise.resolve(this.#file.accounts);
  }

  close(): Promise<void> {
    clearInterval(this.#timer);
    return Promise.resolve();
  }

  /** Before the file is read, so that a change in between is noticed. */
  #noteStamp(): void {
    const { path } = this.#options;
    this.#paths = [path, ...partPaths(path), ...listSecretFiles(path)];
    this.#stamp = stampOf(this.#paths);
  }

  #reloadIfChanged(): void {
    const { path, environment, logger } = this.#options;
    if (stampOf(this.#paths) === this.#stamp) return;
    this.#noteStamp();
    try {
      const before = this.#all;
      this.#file = readMerchantsFile(path, environment);
      this.#all = [...this.#file.merchants.values()];
      warnOf(this.#all, logger);
      logger.info({ merchants: this.#all.length }, 'merchants file reloaded');
      const removed = before.filter(({ id }) => !this.#file.merchants.has(id));
      if (removed.length > 0) {
        logger.warn(
          namesOf(removed),
          'merchants were removed; their payments are no longer confirmed',
        );
      }
    } catch (error) {
      const mistakes = error instanceof ConfigError ? error.mistakes : ['it cannot be read'];
      logger.error({ mistakes }, 'merchants file refused; the one read before stays in force');
    }
  }
}

/** @throws {ConfigError} listing every mistake; values are never quoted, since some are secrets */
export function readMerchantsFile(path: string, environment: Environment): MerchantsFile {
  return parseMerchantsFile(readParts(path), path, environment);
}

/**
 * @param path where the parts are or are to be: references to files are relative to their folder
 * @throws {ConfigError} as `readMerchantsFile`
 */
export function parseMerchantsFile(
  parts: readonly Part[],
  path: string,
  environment: Environment,
): MerchantsFile {
  const combined = new CombinedFile(parts, path);
  const folder = folderOf(path);
  const { resolved, mistakes: ofSecrets } = resolveSecrets(combined.file, folder);
  const logos = readLogos(resolved, folder);
  const parsed = merchantsFileSchema.safeParse(resolved, { error: describeIssue });
  const mistakes = [
    ...(parsed.error ? toFieldErrors(parsed.error, 'file', merchantsFileSchema) : []).filter(
      ({ field }) => !ofSecrets.some((mistake) => mistake.field === field),
    ),
    ...ofSecrets,
    ...logos.mistakes,
    ...(environment === 'production' ? findUnsafeForProduction(resolved) : []),
  ];
  if (!parsed.success || mistakes.length + combined.mistakes.length > 0) {
    const described = [...combined.mistakes, ...combined.describeMistakes(mistakes)];
    throw new ConfigError(sourceOf(path), described);
  }
  const { merchants, accounts } = parsed.data;
  return {
    merchants: new Map(
      merchants.map((merchant, at) => {
        const logo = logos.found.get(at);
        return [merchant.id, logo ? { ...merchant, logo } : merchant];
      }),
    ),
    accounts: new Map(Object.entries<AccountSettings>(accounts)),
  };
}

function folderOf(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? path : dirname(path);
}

/** The files that secrets of a merchants file are in; none while it is no JSON. */
function listSecretFiles(path: string): readonly string[] {
  try {
    return resolveSecrets(new CombinedFile(readParts(path), path).file, folderOf(path)).files;
  } catch {
    return [];
  }
}

const entries = z.object({ merchants: z.array(z.unknown()) });
const namesLogo = z.object({ brand: z.object({ logo: brandSettings.shape.logo }) });
const accountAddresses = z.object({
  accounts: z.record(z.string(), z.object({ apiUrl: z.url().optional() })),
});

/** Those that are valid, by the number of their entry, and what is wrong with the others. */
interface Logos {
  readonly found: ReadonlyMap<number, Logo>;
  readonly mistakes: readonly FieldError[];
}

/** Also those of a file with other mistakes: all are listed at once. */
function readLogos(file: unknown, folder: string): Logos {
  const found = new Map<number, Logo>();
  const mistakes: FieldError[] = [];
  for (const [at, entry] of (entries.safeParse(file).data?.merchants ?? []).entries()) {
    const name = namesLogo.safeParse(entry).data?.brand.logo;
    if (name === undefined) continue;
    try {
      found.set(at, readLogo(folder, name));
    } catch (error) {
      if (!(error instanceof LogoError)) throw error;
      mistakes.push({ field: `merchants.${String(at)}.brand.logo`, message: error.message });
    }
  }
  return { found, mistakes };
}

/** What production refuses in the valid entries of a file: plain http, and our sandbox's SDK. */
export function findUnsafeForProduction(file: unknown): FieldError[] {
  const accounts = accountAddresses.safeParse(file).data?.accounts ?? {};
  const plainAccounts = Object.entries(accounts)
    .filter(([, { apiUrl }]) => apiUrl?.startsWith('http:'))
    .map(([name]) => ({ field: `accounts.${name}.apiUrl`, message: 'production expects https' }));
  const all = entries.safeParse(file).data?.merchants ?? [];
  const ofMerchants = all.flatMap((entry, index) => {
    const { data: merchant } = merchantSchema.safeParse(entry);
    if (!merchant) return [];
    const at = `merchants.${String(index)}`;
    const plain = addressesOf(merchant)
      .filter(([, url]) => url.startsWith('http:'))
      .map(([field]) => ({ field: `${at}.${field}`, message: 'production expects https' }));
    return merchant.sdk.global.split('.')[0] === SANDBOX_GLOBAL
      ? [...plain, { field: `${at}.sdk`, message: 'production cannot use the sandbox’s SDK' }]
      : plain;
  });
  return [...plainAccounts, ...ofMerchants];
}

function addressesOf(merchant: Merchant): (readonly [field: string, url: string])[] {
  const { origins, returnUrl, orderLookup, events, sdk } = merchant;
  const list = (field: string, urls: readonly string[]) =>
    urls.map((url, index) => [`${field}.${String(index)}`, url] as const);
  return [
    ...list('origins', origins),
    ['returnUrl', returnUrl],
    ...(orderLookup ? [['orderLookup.url', orderLookup.url] as const] : []),
    ...(events ? [['events.url', events.url] as const] : []),
    ['sdk.url', sdk.url],
    ...list('sdk.origins.script', sdk.origins.script),
    ...list('sdk.origins.frame', sdk.origins.frame),
    ...list('sdk.origins.connect', sdk.origins.connect),
  ];
}

/** Merchants that a line of the log names. */
const MAX_NAMED = 10;

/** One line for all of which the same is said. */
function namesOf(merchants: readonly Pick<Merchant, 'id'>[]): LogFields {
  const named = merchants.slice(0, MAX_NAMED).map(({ id }) => id);
  return { merchants: named, count: merchants.length };
}

function warnOf(merchants: readonly Merchant[], logger: Logger): void {
  const open = merchants.filter(({ openBy }) => openBy === 'order');
  if (open.length > 0) {
    logger.warn(namesOf(open), 'merchants open orders without an order token (openBy)');
  }
  const faint = Map.groupBy(merchants, (merchant) => findBrandWarnings(merchant)[0]?.code);
  for (const [code, alike] of faint) {
    if (code === undefined) continue;
    logger.warn({ ...namesOf(alike), code }, 'accents of merchants are hard to see; run check');
  }
}

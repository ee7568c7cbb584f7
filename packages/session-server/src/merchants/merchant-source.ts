import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { findNodeAtLocation, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { z } from 'zod';
import type { Environment } from '../contract.js';
import type { DataEncryption } from '../encryption.js';
import { ConfigError, describeFileError, type FieldError } from '../errors.js';
import { describeIssue, toFieldErrors } from '../field-errors.js';
import type { Logger } from '../logger.js';
import { stampOf } from '../secret-files.js';
import { brandSettings, findBrandWarnings } from './brand.js';
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
 * Merchants from one JSON file (`docs/merchants-file.md`), read at start and again when it changes.
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
    this.#paths = [path, ...listSecretFiles(path)];
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
      for (const { id } of before) {
        if (this.#file.merchants.has(id)) continue;
        logger.warn(
          { merchant: id },
          'a merchant was removed; its payments are no longer confirmed',
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
  return parseMerchantsFile(readText(path, sourceOf(path)), path, environment);
}

/**
 * @param path where the text is or is to be: references to files are relative to it
 * @throws {ConfigError} as `readMerchantsFile`
 */
export function parseMerchantsFile(
  text: string,
  path: string,
  environment: Environment,
): MerchantsFile {
  const file = parseJson(text, sourceOf(path));
  const { resolved, mistakes: ofSecrets } = resolveSecrets(file, dirname(path));
  const logos = readLogos(resolved, dirname(path));
  const parsed = merchantsFileSchema.safeParse(resolved, { error: describeIssue });
  const mistakes = [
    ...(parsed.error ? toFieldErrors(parsed.error, 'file', merchantsFileSchema) : []).filter(
      ({ field }) => !ofSecrets.some((mistake) => mistake.field === field),
    ),
    ...ofSecrets,
    ...logos.mistakes,
    ...(environment === 'production' ? findUnsafeForProduction(resolved) : []),
  ];
  if (!parsed.success || mistakes.length > 0) {
    throw new ConfigError(sourceOf(path), describeMistakes(mistakes, text));
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

/** The same mistake in several entries is one line, with where it is first and how often it is there. */
function describeMistakes(mistakes: readonly FieldError[], text: string): string[] {
  const groups = Map.groupBy(mistakes, ({ field, message }) =>
    [field.replace(/^merchants\.\d+\./, ''), message].join('\n'),
  );
  return [...groups.values()].map((same) => {
    const [first = { field: '', message: '' }] = same;
    const where = `${first.field} (${locateField(text, first.field)})`;
    const others = same.length - 1;
    if (others === 0) return `${where}: ${first.message}`;
    const more = `${String(others)} other ${others === 1 ? 'entry' : 'entries'}`;
    return `${where}, and ${more}: ${first.message}`;
  });
}

function sourceOf(path: string): string {
  return `merchants file ${path}`;
}

/** The files that secrets of a merchants file are in; none while it is no JSON. */
function listSecretFiles(path: string): readonly string[] {
  try {
    return resolveSecrets(parseJson(readText(path, ''), ''), dirname(path)).files;
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

function readText(path: string, source: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new ConfigError(source, [describeFileError(error)]);
  }
}

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const found: ParseError[] = [];
    parseTree(text, found, { disallowComments: true });
    const [first] = found;
    const what = (first && MISTAKES_OF_JSON[printParseErrorCode(first.error)]) ?? 'a mistake';
    throw new ConfigError(source, [
      `it is not JSON: ${what} at ${locate(text, first?.offset ?? text.length)}`,
    ]);
  }
}

/** By the names that the parser gives them. Its own words may quote a secret. */
const MISTAKES_OF_JSON: Readonly<Record<string, string>> = {
  InvalidSymbol: 'text outside double quotes',
  PropertyNameExpected: 'no name in double quotes after a comma or brace',
  ValueExpected: 'no value',
  ColonExpected: 'no colon after a name',
  CommaExpected: 'no comma',
  CloseBraceExpected: 'no closing brace',
  CloseBracketExpected: 'no closing bracket',
  InvalidCommentToken: 'a comment',
  UnexpectedEndOfString: 'a text without its closing quote',
  InvalidEscapeCharacter: 'a text with a wrong escape',
  InvalidCharacter: 'a text with a control character',
};

/** Where a field is; of one that is missing, where the object is that should have it. */
function locateField(text: string, field: string): string {
  const root = parseTree(text);
  const path = field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  for (;;) {
    const node = root && findNodeAtLocation(root, path);
    if (!root || node) return locate(text, node?.offset ?? 0);
    path.pop();
  }
}

function locate(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `line ${String(lines.length)}, column ${String((lines.at(-1)?.length ?? 0) + 1)}`;
}

function warnOf(merchants: readonly Merchant[], logger: Logger): void {
  for (const merchant of merchants) {
    const { id, openBy } = merchant;
    if (openBy === 'order') {
      logger.warn({ merchant: id }, 'this merchant opens orders without an order token (openBy)');
    }
    for (const warning of findBrandWarnings(merchant)) {
      logger.warn({ merchant: id, ...warning }, 'the accent of this merchant is hard to see');
    }
  }
}

import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import type { Environment } from '../contract.js';
import { ConfigError } from '../errors.js';
import type { Logger } from '../logger.js';
import { type Merchant, merchantSchema, merchantsFileSchema } from './merchant.js';

/** Where merchants come from: a file, or a platform's own function. */
export interface MerchantSource {
  /** The merchant with this id, or undefined. */
  find(id: string): Promise<Merchant | undefined>;
  /** Every merchant. The same array until something changes, so that callers can cache by it. */
  all(): Promise<readonly Merchant[]>;
  close(): Promise<void>;
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
  #merchants: ReadonlyMap<string, Merchant>;
  #all: readonly Merchant[];
  #stamp: string;

  /** @throws {ConfigError} listing every mistake of the file */
  constructor(options: FileMerchantSourceOptions) {
    const { path, environment, logger } = options;
    this.#options = options;
    // Before the file is read, so that a change in between is noticed.
    this.#stamp = stampOf(path);
    this.#merchants = readMerchants(path, environment);
    this.#all = [...this.#merchants.values()];
    warnOfMissingTokens(this.#all, logger);
    this.#timer = setInterval(() => {
      this.#reloadIfChanged();
    }, WATCH_INTERVAL_MS).unref();
  }

  find(id: string): Promise<Merchant | undefined> {
    return Promise.resolve(this.#merchants.get(id));
  }

  all(): Promise<readonly Merchant[]> {
    return Promise.resolve(this.#all);
  }

  close(): Promise<void> {
    clearInterval(this.#timer);
    return Promise.resolve();
  }

  #reloadIfChanged(): void {
    const { path, environment, logger } = this.#options;
    const stamp = stampOf(path);
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    try {
      this.#merchants = readMerchants(path, environment);
      this.#all = [...this.#merchants.values()];
      warnOfMissingTokens(this.#all, logger);
      logger.info({ merchants: this.#all.length }, 'merchants file reloaded');
    } catch (error) {
      const mistakes = error instanceof ConfigError ? error.mistakes : ['it cannot be read'];
      logger.error({ mistakes }, 'merchants file refused; the one read before stays in force');
    }
  }
}

/** @throws {ConfigError} listing every mistake; values are never quoted, since some are secrets */
export function readMerchants(
  path: string,
  environment: Environment,
): ReadonlyMap<string, Merchant> {
  const source = `merchants file ${path}`;
  const file = readJson(path, source);
  const parsed = merchantsFileSchema.safeParse(file);
  const unsafe = environment === 'production' ? findUnsafeForProduction(file) : [];
  if (!parsed.success || unsafe.length > 0) {
    const issues = parsed.error?.issues ?? [];
    const mistakes = issues.map(({ path: at, message }) => `${at.join('.') || 'file'}: ${message}`);
    throw new ConfigError(source, [...mistakes, ...unsafe]);
  }
  return new Map(parsed.data.merchants.map((merchant) => [merchant.id, merchant]));
}

const entries = z.object({ merchants: z.array(z.unknown()) });

/** What production refuses in the valid entries of a file: plain http, and our sandbox's SDK. */
export function findUnsafeForProduction(file: unknown): string[] {
  const all = entries.safeParse(file).data?.merchants ?? [];
  return all.flatMap((entry, index) => {
    const { data: merchant } = merchantSchema.safeParse(entry);
    if (!merchant) return [];
    const at = `merchants.${String(index)}`;
    const plain = addressesOf(merchant)
      .filter(([, url]) => url.startsWith('http:'))
      .map(([field]) => `${at}.${field}: production expects https`);
    return merchant.sdk.global.split('.')[0] === SANDBOX_GLOBAL
      ? [...plain, `${at}.sdk: production cannot use the sandbox’s SDK`]
      : plain;
  });
}

function addressesOf(merchant: Merchant): (readonly [field: string, url: string])[] {
  const { origins, returnUrl, orderLookup, events, sdk } = merchant;
  const list = (field: string, urls: readonly string[]) =>
    urls.map((url, index) => [`${field}.${String(index)}`, url] as const);
  return [
    ...list('origins', origins),
    ['returnUrl', returnUrl],
    ['orderLookup.url', orderLookup.url],
    ['events.url', events.url],
    ['sdk.url', sdk.url],
    ...list('sdk.origins.script', sdk.origins.script),
    ...list('sdk.origins.frame', sdk.origins.frame),
    ...list('sdk.origins.connect', sdk.origins.connect),
  ];
}

/** Differs whenever the file was written or replaced; empty when it cannot be read. */
function stampOf(path: string): string {
  try {
    const { ino, mtimeMs, size } = statSync(path);
    return [ino, mtimeMs, size].join(':');
  } catch {
    return '';
  }
}

function readJson(path: string, source: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new ConfigError(source, [`it cannot be read (${code}); check the path and its rights`]);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigError(source, ['it is not JSON; check it with a JSON formatter']);
  }
}

function warnOfMissingTokens(merchants: readonly Merchant[], logger: Logger): void {
  for (const { id, openBy } of merchants) {
    if (openBy === 'order') {
      logger.warn({ merchant: id }, 'this merchant opens orders without an order token (openBy)');
    }
  }
}

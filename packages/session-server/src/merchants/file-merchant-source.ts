import { readFileSync, statSync } from 'node:fs';
import type { Environment } from '../contract.js';
import { ConfigError } from '../errors.js';
import type { Logger } from '../logger.js';
import { type Merchant, merchantsFileSchema } from './merchant.js';
import type { MerchantSource } from './merchant-source.js';
import { findUnsafeForProduction } from './production-rules.js';

/** How often the file is polled at for a change. */
const WATCH_INTERVAL_MS = 1000;

export interface FileMerchantSourceOptions {
  readonly path: string;
  readonly environment: Environment;
  readonly logger: Logger;
}

/**
 * Merchants from one JSON file (`docs/merchants-file.md`), read at start and again when it changes.
 * At start every mistake is listed and nothing runs; later a bad file keeps the good one in force
 * and the log says why.
 */
export class FileMerchantSource implements MerchantSource {
  #merchants: ReadonlyMap<string, Merchant>;
  #all: readonly Merchant[];
  readonly #options: FileMerchantSourceOptions;
  readonly #timer: NodeJS.Timeout;
  #stamp: string;

  /** @throws {ConfigError} listing every mistake of the file */
  constructor(options: FileMerchantSourceOptions) {
    this.#options = options;
    // Before the reading, so that a change in between is seen at the next look.
    this.#stamp = stampOf(options.path);
    this.#merchants = readMerchants(options.path, options.environment);
    this.#all = [...this.#merchants.values()];
    warnOfOpenDoors(this.#merchants, options.logger);
    this.#timer = setInterval(() => {
      this.#lookForChange();
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

  #lookForChange(): void {
    const stamp = stampOf(this.#options.path);
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    this.#reload();
  }

  #reload(): void {
    const { path, environment, logger } = this.#options;
    try {
      this.#merchants = readMerchants(path, environment);
      this.#all = [...this.#merchants.values()];
      warnOfOpenDoors(this.#merchants, logger);
      logger.info({ merchants: this.#merchants.size }, 'merchants file read again');
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
  return new Map(parsed.data.merchants.map((merchant) => [merchant.id, merchant as Merchant]));
}

/** Differs whenever the file was written or replaced; empty when it cannot be polled at. */
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

function warnOfOpenDoors(merchants: ReadonlyMap<string, Merchant>, logger: Logger): void {
  for (const { id, openBy } of merchants.values()) {
    if (openBy === 'order') {
      logger.warn({ merchant: id }, 'this merchant opens orders without an order token (openBy)');
    }
  }
}

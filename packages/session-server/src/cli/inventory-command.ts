import { readFileSync } from 'node:fs';
import type { Config } from '../config.js';
import { AppError } from '../errors.js';
import { readMerchants } from '../merchants/file-merchant-source.js';
import { compareRecords, compareWithInventory, PageChangedError } from '../security/page-check.js';
import { parseRecord, recordPage } from '../security/page-record.js';
import {
  describeInventory,
  type InventoryScript,
  scriptInventory,
} from '../security/script-inventory.js';

/**
 * `pay-session-server inventory` and its flags: every script that the payment pages run because of
 * us, as a table in Markdown or as JSON; and whether a page, as it is sent now, is still like that.
 *
 * @throws {AppError} when the words after `inventory` are not understood
 * @throws {PageChangedError} when a page is not as it should be
 */
export async function runInventory(config: Config, words: readonly string[]): Promise<string[]> {
  const [flag, url, file, ...more] = words;
  if (flag === undefined) return [describeInventory(readInventory(config))];
  if (flag === '--json' && url === undefined) {
    return [JSON.stringify(readInventory(config), null, 2)];
  }
  if (flag === '--record' && isWebAddress(url) && file === undefined) {
    return [JSON.stringify(await recordPage(url), null, 2)];
  }
  if (flag === '--check' && isWebAddress(url) && more.length === 0) {
    return [await check(url, file, readInventory(config))];
  }
  throw new AppError(
    400,
    'invalid_request',
    'expected: inventory [--json], inventory --record <url>, or inventory --check <url> [<record file>]',
  );
}

function readInventory(config: Config): InventoryScript[] {
  const merchants = [...readMerchants(config.merchantsFile, config.environment).values()];
  return scriptInventory({ ...config, merchants });
}

/** Compares a page with what was recorded of it, and without a record with the inventory. */
async function check(
  url: string,
  file: string | undefined,
  inventory: readonly InventoryScript[],
): Promise<string> {
  const before = file === undefined ? undefined : parseRecord(readFileSync(file, 'utf8'));
  const now = await recordPage(url);
  const findings = before ? compareRecords(before, now) : compareWithInventory(now, inventory);
  if (findings.length > 0) throw new PageChangedError(url, findings);
  const scripts = Object.keys(now.scripts).length;
  return `${url}: as it should be, ${String(scripts)} scripts`;
}

function isWebAddress(text: string | undefined): text is string {
  return text !== undefined && /^https?:\/\//.test(text) && URL.canParse(text);
}

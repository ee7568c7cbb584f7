import type { Config } from './config.js';
import { AppError } from './errors.js';
import { readMerchants } from './merchants/file-merchant-source.js';
import { describeInventory, scriptInventory } from './security/script-inventory.js';

/**
 * `pay-session-server inventory [--json]`: every script that the payment pages run because of us,
 * as a table in Markdown or as JSON.
 *
 * @throws {AppError} when the words after `inventory` are not these
 */
export function runInventory(config: Config, words: readonly string[]): Promise<string[]> {
  const [format, ...more] = words;
  if (more.length > 0 || (format !== undefined && format !== '--json')) {
    throw new AppError(400, 'invalid_request', 'expected: inventory, or: inventory --json');
  }
  const merchants = [...readMerchants(config.merchantsFile, config.environment).values()];
  const scripts = scriptInventory({ ...config, merchants });
  const text = format === '--json' ? JSON.stringify(scripts, null, 2) : describeInventory(scripts);
  return Promise.resolve([text]);
}

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ConfigError } from '../errors.js';
import { merchantEntry } from '../testing/test-merchant.js';
import { FileMerchantSource, readMerchantsFile } from './merchant-source.js';

const TOKEN_SECRET = 'canary-order-token-secret-of-a-file';
const SIGNING_SECRET = `whsec_${Buffer.from('canary-signing-secret-of-a-file').toString('base64')}`;
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'references-'));
  path = join(folder, 'merchants.json');
  mkdirSync(join(folder, 'secrets'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function writeSecret(name: string, text: string, mode = 0o600): { file: string } {
  writeFileSync(join(folder, 'secrets', name), text, { mode });
  return { file: `secrets/${name}` };
}
function writeMerchants(changes: object, accounts: object = {}): void {
  const merchants = [merchantEntry({ ...changes })];
  writeFileSync(path, JSON.stringify({ accounts, merchants }), { mode: 0o600 });
}
function mistakes(): readonly string[] {
  try {
    readMerchantsFile(path, 'sandbox');
    return [];
  } catch (error) {
    return (error as ConfigError).mistakes.map((mistake) => mistake.replace(/ \(line.*?\)/, ''));
  }
}

describe('secrets of the merchants file', () => {
  it('are read from the files and variables that it names, wherever it has one', () => {
    vi.stubEnv('TEASHOP_KEY', 'canary-key-of-the-environment');
    const key = { env: 'TEASHOP_KEY' };
    const signature = { scheme: 'bodyHex', keys: [{ key: writeSecret('hex', 'ab'.repeat(16)) }] };
    writeMerchants(
      {
        orderTokenSecret: [writeSecret('token', `${TOKEN_SECRET}\n`), 'x'.repeat(32)],
        signingSecret: [writeSecret('signing', SIGNING_SECRET)],
        webhooks: { signature },
        webhookEndpoints: [
          { tokenHash: `sha256:${'0'.repeat(64)}`, paths: { orderId: 'id' }, signature },
        ],
      },
      { north: { apiUrl: 'https://north.example', apiKey: key } },
    );
    const file = readMerchantsFile(path, 'sandbox');
    const merchant = file.merchants.get('teashop');
    const revealed = [
      ...(merchant?.orderTokenSecret ?? []),
      ...(merchant?.signingSecret ?? []),
      merchant?.webhooks.signature?.keys[0]?.key,
      merchant?.webhookEndpoints[0]?.signature?.keys[0]?.key,
      file.accounts.get('north')?.apiKey,
    ].map((secret) => secret?.reveal());
    expect(revealed).toEqual([
      TOKEN_SECRET,
      'x'.repeat(32),
      SIGNING_SECRET,
      'ab'.repeat(16),
      'ab'.repeat(16),
      'canary-key-of-the-environment',
    ]);
    expect(inspect(file, { depth: 12 }) + JSON.stringify([...file.merchants])).not.toContain(
      'canary',
    );
  });

  it('that cannot be read are mistakes along with all others, and none is quoted', () => {
    writeMerchants({
      currency: 'pounds',
      orderTokenSecret: [
        { file: 'secrets/none' },
        { env: 'NOT_SET' },
        { text: 'canary' },
        writeSecret('open', 'canary', 0o644),
        writeSecret('short', 'canary'),
      ],
    });
    const at = 'merchants.0.orderTokenSecret';
    const secrets = join(folder, 'secrets');
    expect(mistakes().toSorted()).toEqual(
      [
        'merchants.0.currency: expected three capital letters, such as "GBP"',
        `${at}.0: ${join(secrets, 'none')}: there is no such file`,
        `${at}.1: NOT_SET is not set in the environment`,
        `${at}.2: expected text, { "file": "<path>" } or { "env": "<variable>" }`,
        `${at}.3: ${join(secrets, 'open')}: other users can read or change it; give it mode 0400 or 0440`,
        `${at}.4: expected at least 32 characters of random text`,
      ].toSorted(),
    );
  });

  it('are read in those places only: another field may have such a form', () => {
    const extraFields = { file: 'a-name' };
    writeMerchants({ extraFields });
    const { merchants } = readMerchantsFile(path, 'sandbox');
    expect(merchants.get('teashop')?.extraFields).toEqual(extraFields);
  });

  it('are rotated without a restart; one that is gone keeps the file from before', async () => {
    const log: string[] = [];
    const note = (_fields: object, message: string) => void log.push(message);
    const logger = { debug: note, info: note, warn: note, error: note };
    writeMerchants({ orderTokenSecret: [writeSecret('token', TOKEN_SECRET)] });
    const source = new FileMerchantSource({ path, environment: 'sandbox', logger });
    const current = async () => (await source.find('teashop'))?.orderTokenSecret[0]?.reveal();
    try {
      rmSync(join(folder, 'secrets/token'));
      await expect.poll(() => log.join()).toContain('merchants file refused');
      expect(await current()).toBe(TOKEN_SECRET);
      writeSecret('token', `new-${TOKEN_SECRET}`);
      await expect.poll(current).toBe(`new-${TOKEN_SECRET}`);
    } finally {
      await source.close();
    }
  });
});

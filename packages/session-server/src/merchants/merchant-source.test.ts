import { mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Environment } from '../contract.js';
import { ConfigError } from '../errors.js';
import type { LogFields, Logger } from '../logger.js';
import { merchantEntry } from '../testing/test-merchant.js';
import {
  FileMerchantSource,
  findUnsafeForProduction,
  fixedMerchants,
  hasAccountList,
  readMerchantsFile,
} from './merchant-source.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'merchants-'));
  path = join(folder, 'merchants.json');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(...entries: readonly unknown[]): void {
  writeFileSync(path, JSON.stringify({ merchants: entries }));
}

function mistakesOf(environment: Environment = 'sandbox'): readonly string[] {
  try {
    readMerchantsFile(path, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

function recordingLogger() {
  const lines: { level: string; fields: LogFields; message: string }[] = [];
  const write = (level: string) => (fields: LogFields, message: string) =>
    void lines.push({ level, fields, message });
  const logger: Logger = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  return { logger, lines };
}

describe('reading the merchants file', () => {
  it('gives the merchants by their ids', () => {
    write(merchantEntry(), merchantEntry({ id: 'other' }));
    expect([...readMerchantsFile(path, 'production').merchants.keys()]).toEqual([
      'teashop',
      'other',
    ]);
  });

  it('names the field that a misspelt one is meant to be', () => {
    const { returnUrl, ...entry } = merchantEntry();
    const sdk = { ...(entry['sdk'] as object), container: undefined, Integrity: 'x' };
    write({ ...entry, returnURL: returnUrl, events: { uri: 'https://shop.example' }, sdk, zzz: 1 });
    const unknown = mistakesOf().filter((mistake) => mistake.includes('not accepted here'));
    expect(unknown.map((mistake) => mistake.replace(/ \(line.*?\)/, ''))).toEqual([
      'merchants.0.events.uri: not accepted here; did you mean "url"?',
      'merchants.0.sdk.Integrity: not accepted here; did you mean "integrity"?',
      'merchants.0.returnURL: not accepted here; did you mean "returnUrl"?',
      'merchants.0.zzz: not accepted here; leave it out',
    ]);
  });

  it('says a mistake that is in every entry once, with how many there are', () => {
    const entries = Array.from({ length: 300 }, (_, at) =>
      merchantEntry({ id: `shop-${String(at)}`, currency: at === 7 ? 7 : 'pounds' }),
    );
    write(...entries);
    expect(mistakesOf()).toEqual([
      expect.stringMatching(
        /^merchants\.0\.currency \(line 1, column \d+\), and 298 other entries: /,
      ),
      expect.stringMatching(/^merchants\.7\.currency \(line 1, column \d+\): expected text$/),
    ]);
  });

  it('lists every mistake of every entry, and of production, and quotes no value', () => {
    const secret = 'a-secret-value';
    write(
      merchantEntry({ signingSecret: [secret], currency: 'pounds' }),
      merchantEntry({ id: 'other', orderTokenSecret: [secret], origins: ['shop.example'] }),
      merchantEntry({ id: 'third', events: { url: 'http://shop.example' } }),
    );
    const mistakes = mistakesOf('production');
    expect(mistakes.map((mistake) => mistake.split(' ')[0])).toEqual([
      'merchants.0.currency',
      'merchants.0.signingSecret.0',
      'merchants.1.origins.0',
      'merchants.1.orderTokenSecret.0',
      'merchants.2.events.url',
    ]);
    expect(mistakes.join()).not.toContain(secret);
  });

  it('says that a file is not there', () => {
    expect(mistakesOf()).toEqual(['there is no such file']);
  });

  it.each([
    ['{\n  "merchants": [secret', 'text outside double quotes at line 2, column 17'],
    ['{"merchants": [],\n}', 'no name in double quotes after a comma or brace at line 2, column 1'],
    ['{"a": 1\n "b": 2}', 'no comma at line 2, column 2'],
    ['{"merchants": [', 'no closing bracket at line 1, column 16'],
    ['{ // secret\n}', 'a comment at line 1, column 3'],
    ['{"a": "secret\n', 'a text without its closing quote at line 1, column 7'],
    ['', 'no value at line 1, column 1'],
  ])('says where it is not JSON, and quotes nothing of it: %j', (text, where) => {
    writeFileSync(path, text);
    expect(mistakesOf()).toEqual([`it is not JSON: ${where}`]);
  });

  it('says in which line and column each mistake is, in words of our own', () => {
    const { name: _, ...entry } = merchantEntry({ currency: 'pounds', decimals: '2', unknown: 1 });
    const sdk = { ...(entry['sdk'] as object), argument: 'number' };
    writeFileSync(path, JSON.stringify({ merchants: [{ ...entry, sdk, split: {} }] }, null, 2));
    const mistakes = mistakesOf();
    const lines = readFileSync(path, 'utf8').split('\n');
    const at = Object.fromEntries(
      mistakes.map((mistake) => {
        const [, field = '', line, column, words = ''] =
          /^(\S+) \(line (\d+), column (\d+)\): (.*)$/.exec(mistake) ?? [];
        return [field, [lines[Number(line) - 1]?.slice(Number(column) - 1), words]];
      }),
    );
    expect(at).toEqual({
      'merchants.0.name': ['{', 'is missing; expected text'],
      'merchants.0.currency': ['"pounds",', expect.stringContaining('three capital letters')],
      'merchants.0.decimals': ['"2",', 'expected a number'],
      'merchants.0.split': ['{}', 'expected a list'],
      'merchants.0.sdk.argument': ['"number",', 'expected "object" or "string"'],
      'merchants.0.unknown': ['1,', 'not accepted here; leave it out'],
    });
  });

  it('gives the accounts by their names, and keeps their keys to itself', () => {
    const north = { apiUrl: 'https://north.example/api', apiKey: 'canary-key' };
    const merchants = [merchantEntry(), merchantEntry({ id: 'other', account: 'north' })];
    writeFileSync(path, JSON.stringify({ accounts: { north }, merchants }));
    const file = readMerchantsFile(path, 'production');
    expect([...file.merchants.values()].map(({ account }) => account)).toEqual([
      'default',
      'north',
    ]);
    expect(file.accounts.get('north')?.apiKey?.reveal()).toBe('canary-key');
    expect(inspect(file, { depth: 9 }) + JSON.stringify([...file.accounts])).not.toContain(
      'canary',
    );
  });

  it('says of any account, also the default one, which list shows the transactions of its merchants', async () => {
    const north = {
      apiUrl: 'https://north.example',
      apiKey: 'canary',
      transactionList: 'merchant',
    };
    const accounts = { default: { transactionList: 'merchant' }, north, south: { ...north } };
    writeFileSync(path, JSON.stringify({ accounts, merchants: [merchantEntry()] }));
    const merchants = fixedMerchants(readMerchantsFile(path, 'production'));
    expect(await hasAccountList(merchants, 'default')).toBe(false);
    expect(await hasAccountList(merchants, 'north')).toBe(false);
    writeFileSync(path, JSON.stringify({ merchants: [merchantEntry()] }));
    const usual = fixedMerchants(readMerchantsFile(path, 'production'));
    expect(await hasAccountList(usual, 'default')).toBe(true);
    // Production refuses plain http of one account, whatever is said of another.
    const plain = { ...north, apiUrl: 'http://north.example' };
    const both = { default: { transactionList: 'account' }, plain };
    writeFileSync(path, JSON.stringify({ accounts: both, merchants: [merchantEntry()] }));
    expect(mistakesOf('production')).toEqual([
      expect.stringMatching(/^accounts\.plain\.apiUrl .*: production expects https$/),
    ]);
  });

  it('says where each mistake about accounts is, and quotes no key', () => {
    const apiUrl = 'https://north.example';
    const accounts = {
      default: { apiUrl, apiKey: 'canary-key' },
      '2nd': { apiUrl, apiKey: 'canary-key' },
      plain: { apiUrl: 'http://north.example', apiKey: 'canary-key' },
    };
    const webhookEndpoints = [
      { tokenHash: `sha256:${'0'.repeat(64)}`, paths: { orderId: 'id' }, account: 'south' },
    ];
    const merchants = [merchantEntry({ account: 'nrth', webhookEndpoints })];
    writeFileSync(path, JSON.stringify({ accounts, merchants }));
    const mistakes = mistakesOf('production').map((mistake) => mistake.replace(/ \(.*?\)/, ''));
    expect(mistakes).toEqual([
      'accounts.default.apiUrl: is set by PAY_PARTNER_API_URL; leave it out',
      'accounts.default.apiKey: is set by PAY_PARTNER_API_KEY; leave it out',
      'accounts.2nd: expected a name of up to 64 letters, digits, "-" and "_", starting with a letter',
      'merchants.0.account: expected "default", or a name of "accounts"',
      'merchants.0.webhookEndpoints.0.account: expected "default", or a name of "accounts"',
      'accounts.plain.apiUrl: production expects https',
    ]);
    const broken = { north: { apiUrl: 'canary', apiKey: 'canary key' }, south: { apiUrl } };
    const text = JSON.stringify({ accounts: broken, merchants: [merchantEntry()] }, null, 2);
    writeFileSync(path, text);
    expect(mistakesOf()).toEqual([
      'accounts.north.apiUrl (line 4, column 17): expected an absolute http or https address',
      'accounts.north.apiKey (line 5, column 17): expected the provider’s API key, without spaces or line breaks',
      'accounts.south.apiKey (line 7, column 14): expected the provider’s API key',
    ]);
  });

  it('lists what does not fit together next to an address that is none', () => {
    const accounts = { '2nd': { apiUrl: 'canary', apiKey: 'canary-key' } };
    const merchants = [merchantEntry({ account: 'nrth', signingSecret: [], returnUrl: 'canary' })];
    writeFileSync(path, JSON.stringify({ accounts, merchants: [...merchants, merchantEntry()] }));
    expect(mistakesOf().map((mistake) => mistake.replace(/ \(.*/, ''))).toEqual([
      'accounts.2nd.apiUrl',
      'merchants.0.returnUrl',
      'merchants.0.signingSecret',
      'accounts.2nd',
      'merchants.0.account',
      'merchants.1.id',
      'merchants.1.apiKeyHash.0',
    ]);
  });

  it('takes a file that begins with a byte order mark', () => {
    writeFileSync(path, `\uFEFF${JSON.stringify({ merchants: [merchantEntry()] })}`);
    expect(mistakesOf()).toEqual([]);
  });
});

describe('a merchants file that changes', () => {
  it('is read again; a bad one keeps the good one in force and says why', async () => {
    const { logger, lines } = recordingLogger();
    write(merchantEntry());
    const source = new FileMerchantSource({ path, environment: 'sandbox', logger });
    try {
      write(merchantEntry({ name: 'New Name' }), merchantEntry({ id: 'other' }));
      await expect.poll(async () => (await source.all()).length).toBe(2);
      expect((await source.find('teashop'))?.name).toBe('New Name');
      expect(await source.find('unknown')).toBeUndefined();

      write(merchantEntry({ currency: 'pounds' }));
      await expect.poll(() => lines.some(({ level }) => level === 'error')).toBe(true);
      const refusal = lines.find(({ level }) => level === 'error');
      expect(refusal?.fields['mistakes']).toEqual([
        expect.stringContaining('merchants.0.currency'),
      ]);
      expect(await source.all()).toHaveLength(2);

      unlinkSync(path);
      await expect.poll(() => lines.filter(({ level }) => level === 'error').length).toBe(2);
      expect(await source.all()).toHaveLength(2);
    } finally {
      await source.close();
    }
  });

  it('is warned of where it lacks a merchant that it had, whose payments may be in progress', async () => {
    const { logger, lines } = recordingLogger();
    write(merchantEntry(), merchantEntry({ id: 'closing' }));
    const source = new FileMerchantSource({ path, environment: 'sandbox', logger });
    try {
      write(merchantEntry({ name: 'New Name' }), merchantEntry({ id: 'fresh' }));
      await expect.poll(() => lines.length).toBe(2);
      expect(lines).toMatchObject([
        { level: 'info', message: 'merchants file reloaded' },
        {
          ...{ level: 'warn', fields: { merchants: ['closing'], count: 1 } },
          message: expect.stringContaining('merchants were removed') as string,
        },
      ]);
    } finally {
      await source.close();
    }
  });

  it('does not start with a bad file', () => {
    const { logger } = recordingLogger();
    write(merchantEntry({ currency: 'pounds' }));
    const start = () => new FileMerchantSource({ path, environment: 'sandbox', logger });
    expect(start).toThrow(ConfigError);
  });

  it('warns once of a hundred of which the same is said, and names ten', async () => {
    const { logger, lines } = recordingLogger();
    const ids = Array.from({ length: 100 }, (_, index) => `shop-${String(index)}`);
    write(...ids.map((id) => merchantEntry({ id, openBy: 'order' })));
    await new FileMerchantSource({ path, environment: 'sandbox', logger }).close();
    expect(lines).toMatchObject([{ fields: { merchants: ids.slice(0, 10), count: 100 } }]);
  });

  it('warns of a merchant whose orders open without a token', async () => {
    const { logger, lines } = recordingLogger();
    write(merchantEntry({ openBy: 'order' }), merchantEntry({ id: 'careful' }));
    await new FileMerchantSource({ path, environment: 'sandbox', logger }).close();
    expect(lines).toMatchObject([{ level: 'warn', fields: { merchants: ['teashop'], count: 1 } }]);
  });
});

function unsafe(changes: Readonly<Record<string, unknown>>): string[] {
  const entries = { merchants: [merchantEntry(), merchantEntry(changes)] };
  return findUnsafeForProduction(entries).map(({ field, message }) => `${field}: ${message}`);
}

describe('production', () => {
  const sdk = merchantEntry()['sdk'] as { origins: object };

  it('takes an entry that is https all over', () => {
    expect(unsafe({})).toEqual([]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['origins.1', { origins: ['https://shop.example', 'http://shop.example'] }],
    ['orderLookup.url', { orderLookup: { url: 'http://shop.example' } }],
    ['events.url', { events: { url: 'http://shop.example' } }],
    ['sdk.url', { sdk: { ...sdk, url: 'http://sdk.example/checkout.js' } }],
    [
      'sdk.origins.frame.0',
      { sdk: { ...sdk, origins: { ...sdk.origins, frame: ['http://sdk.example'] } } },
    ],
  ])('refuses plain http in %s', (field, changes) => {
    expect(unsafe(changes)).toEqual([`merchants.1.${field}: production expects https`]);
  });

  it('refuses a plain http page to come back to, next to its origin', () => {
    const plain = { origins: ['http://shop.example'], returnUrl: 'http://shop.example/{checkout}' };
    expect(unsafe(plain).map((mistake) => mistake.split(':')[0])).toEqual([
      'merchants.1.origins.0',
      'merchants.1.returnUrl',
    ]);
  });

  it.each(['PaySandbox', 'PaySandbox.Checkout'])('refuses the sandbox’s SDK: %s', (global) => {
    expect(unsafe({ sdk: { ...sdk, global } })).toEqual([
      'merchants.1.sdk: production cannot use the sandbox’s SDK',
    ]);
  });

  it('says nothing about a file that is no merchants file: its schema does', () => {
    expect(findUnsafeForProduction({ merchants: 'none' })).toEqual([]);
  });
});

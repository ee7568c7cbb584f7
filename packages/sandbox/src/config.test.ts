import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findUnknownVariables, parseConfig } from './config.js';

describe('parseConfig', () => {
  it('needs a key and has defaults for the rest', () => {
    expect(parseConfig({ SANDBOX_API_KEY: 'invented' })).toEqual({
      host: '127.0.0.1',
      port: 4300,
      apiKey: 'invented',
    });
  });

  it('reads every address and the merchants', () => {
    const merchants = [{ id: 7, name: 'Seven', currency: 'EUR' }];
    expect(
      parseConfig({
        SANDBOX_API_KEY: 'invented',
        SANDBOX_HOST: '::1',
        SANDBOX_PORT: '0',
        SANDBOX_PUBLIC_URL: 'http://sandbox.localhost:4300',
        SANDBOX_MERCHANTS: JSON.stringify(merchants),
      }),
    ).toEqual({
      host: '::1',
      port: 0,
      apiKey: 'invented',
      publicUrl: 'http://sandbox.localhost:4300',
      merchants,
    });
  });

  it('reads the history, the prefixes and the switches', () => {
    expect(
      parseConfig({
        SANDBOX_API_KEY: 'invented',
        SANDBOX_SEED: 'a',
        SANDBOX_TRANSACTIONS: '200000',
        SANDBOX_TRANSACTIONS_UNTIL: '2026-06-01T00:00:00.000Z',
        SANDBOX_TRANSACTIONS_DAYS: '30',
        SANDBOX_TRANSACTION_VARIANT: 'mixed',
        SANDBOX_DEFAULT_LIMIT: '50',
        SANDBOX_MAX_LIMIT: '500',
        SANDBOX_CURSOR_LIFETIME_SECONDS: '60',
        SANDBOX_MERCHANTS_PREFIX: '/m',
        SANDBOX_TRANSFERS_PREFIX: '',
        SANDBOX_TRANSFERS_KEY: 'required',
        SANDBOX_WEBHOOK_SIGNING: '{"header":"x-signature"}',
      }),
    ).toMatchObject({
      history: { seed: 'a', count: 200_000, until: '2026-06-01T00:00:00.000Z', days: 30 },
      transactionVariant: 'mixed',
      defaultLimit: 50,
      maxLimit: 500,
      cursorLifetimeSeconds: 60,
      merchantsPrefix: '/m',
      transfersPrefix: '',
      transfersKey: 'required',
      webhookSigning: { header: 'x-signature', algorithm: 'sha256' },
    });
    const standard = { SANDBOX_API_KEY: 'k', SANDBOX_WEBHOOK_SIGNING: 'standard-webhooks' };
    expect(parseConfig(standard).webhookSigning).toBe('standard-webhooks');
  });

  it('reads a file with the same names in camel case, below the environment', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'sandbox.json');
    await writeFile(path, '{"apiKey":"of-file","maxLimit":50,"hmacKeyFormat":"hex","seed":"a"}');
    const environment = { SANDBOX_CONFIG: path, SANDBOX_MAX_LIMIT: '60' };
    expect(parseConfig(environment)).toMatchObject({
      apiKey: 'of-file',
      maxLimit: 60,
      hmacKeyFormat: 'hex',
      history: { seed: 'a' },
    });
    expect(parseConfig({}, path)).toMatchObject({ maxLimit: 50 });
    await writeFile(path, '{"apiKey":"k","maxlimit":50,"defaultLimit":"ten"}');
    expect(() => parseConfig({}, path)).toThrow(
      /- maxlimit: is not a setting[^]*- SANDBOX_DEFAULT_LIMIT: expected a number/,
    );
    await writeFile(path, 'apiKey: k');
    expect(() => parseConfig({}, path)).toThrow('is not a JSON object');
  });

  it.each([
    ['SANDBOX_TRANSACTIONS', '-1'],
    ['SANDBOX_TRANSACTIONS', '2.5'],
    ['SANDBOX_TRANSACTIONS_UNTIL', 'today'],
    ['SANDBOX_TRANSACTION_VARIANT', 'half'],
    ['SANDBOX_MAX_LIMIT', '0'],
    ['SANDBOX_MERCHANTS_PREFIX', 'merchants/'],
    ['SANDBOX_TRANSFERS_KEY', 'yes'],
    ['SANDBOX_WEBHOOK_SIGNING', '{"algorithm":"sha256"}'],
  ])('refuses %s = %s by name, and says what was expected', (name, value) => {
    const environment = { SANDBOX_API_KEY: 'k', [name]: value };
    expect(() => parseConfig(environment)).toThrow(new RegExp(`- ${name}: .*expected`));
  });

  it('knows the variables that are no settings, of those with its prefix', () => {
    const environment = {
      ...{ SANDBOX_API_KEY: 'k', SANDBOX_MAX_LIMIT: '5', SANDBOX_CONFIG: 'f', SANDBOX_URL: 'u' },
      ...{ SANDBOX_MAXLIMIT: '5', SANDBOX_CHALLENGE_CODE: '99', PATH: '/bin' },
    };
    expect(findUnknownVariables(environment)).toEqual([
      'SANDBOX_MAXLIMIT',
      'SANDBOX_CHALLENGE_CODE',
    ]);
  });

  it('names every invalid value at once', () => {
    const environment = {
      SANDBOX_PORT: 'four',
      SANDBOX_PUBLIC_URL: 'sandbox',
      SANDBOX_MERCHANTS: '[{"id":1,"name":"","currency":"pounds"}]',
    };
    expect(() => parseConfig(environment)).toThrow(
      /SANDBOX_API_KEY[^]*SANDBOX_PORT[^]*SANDBOX_PUBLIC_URL[^]*SANDBOX_MERCHANTS\.0\.name[^]*0\.currency/,
    );
  });

  it('refuses a currency that does not exist', () => {
    const misspelt = '[{"id":1,"name":"One","currency":"GPB"}]';
    expect(() => parseConfig({ SANDBOX_API_KEY: 'k', SANDBOX_MERCHANTS: misspelt })).toThrow(
      'SANDBOX_MERCHANTS.0.currency: expected a currency of ISO 4217, such as GBP',
    );
  });

  it('shows what merchants look like', () => {
    const merchants = { SANDBOX_API_KEY: 'k', SANDBOX_MERCHANTS: 'x' };
    expect(() => parseConfig(merchants)).toThrow('SANDBOX_MERCHANTS: expected [{"id": 1001');
  });
});

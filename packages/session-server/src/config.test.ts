import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig, readValidSettings } from './config.js';
import { ConfigError } from './errors.js';

const ENV = {
  PAY_ENVIRONMENT: 'production',
  PAY_PUBLIC_URL: 'https://pay.example',
  PAY_DATABASE_FILE: '/data/pay.sqlite',
  PAY_MERCHANTS_FILE: '/etc/pay/merchants.json',
  PAY_WIDGET_SCRIPT: '/srv/pay-checkout.js',
  PAY_PARTNER_API_URL: 'https://provider.example/prefix',
  PAY_PARTNER_API_KEY: 'key-that-is-not-quoted',
  PAY_ENCRYPTION_KEY: `2026:${Buffer.alloc(32, 1).toString('base64')}`,
  PAY_TRUST_PROXY: '1',
};

function mistakesOf(changes: Readonly<Record<string, string | undefined>>): readonly string[] {
  try {
    parseConfig({ ...ENV, ...changes });
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

describe('the environment', () => {
  it('needs no more than what has no default', () => {
    expect(parseConfig(ENV)).toMatchObject({
      environment: 'production',
      host: '127.0.0.1',
      port: 4200,
      webhookBaseUrl: 'https://pay.example',
      partnerApiUrl: 'https://provider.example/prefix',
      expireAfterSeconds: 3600,
      settleWindowSeconds: 300,
      watchDays: 14,
      maxOrderId: 2_147_483_647,
    });
  });

  it('may be empty where it may be absent', () => {
    const empty = { PAY_PORT: '', PAY_WEBHOOK_BASE_URL: '', PAY_WATCH_DAYS: '' };
    expect(parseConfig({ ...ENV, ...empty })).toEqual(parseConfig(ENV));
  });

  it('may hold other variables, and says which of them resemble a setting', () => {
    const config = parseConfig({ ...ENV, PATH: '/bin', PAY_BROWSER: 'bundled', PAY_OTHER: 'x' });
    expect(config.unknownVariables).toEqual(['PAY_BROWSER', 'PAY_OTHER']);
    expect(parseConfig({ ...ENV, PAY_CRASH_AT: 'webhook:stored' }).unknownVariables).toEqual([]);
  });

  it.each([
    ['PAY_TRUSTED_PROXY', 'PAY_TRUST_PROXY'],
    ['PAY_OPERATOR_NAME', 'PAY_OPERATOR_NAMES'],
    ['PAY_ENCRYPTION_KEYS', 'PAY_ENCRYPTION_KEY'],
    ['PAY_LOGLEVEL', 'PAY_LOG_LEVEL'],
  ])('with %s is refused, and asks whether %s was meant', (name, meant) => {
    const mistakes = mistakesOf({ [name]: 'x', PAY_PORT: 'http' });
    expect(mistakes).toHaveLength(2);
    expect(mistakes[1]).toBe(`${name}: there is no such setting; did you mean ${meant}?`);
  });

  it('takes changes of the tuning from a program, one by one', () => {
    const tuned = parseConfig(ENV, { settleWindowSeconds: 1, rateLimits: { createPerOrder: 2 } });
    expect(tuned.settleWindowSeconds).toBe(1);
    expect(tuned.rateLimits).toEqual({ ...parseConfig(ENV).rateLimits, createPerOrder: 2 });
  });

  it.each([
    ['PAY_ENVIRONMENT', undefined, 'sandbox'],
    ['PAY_ENVIRONMENT', 'test', 'sandbox'],
    ['PAY_PUBLIC_URL', undefined, 'absolute http or https address'],
    ['PAY_PUBLIC_URL', 'pay.example', 'absolute http or https address'],
    ['PAY_PUBLIC_URL', 'https://pay.example/', 'an origin alone'],
    ['PAY_PUBLIC_URL', 'https://pay.example/pay', 'an origin alone'],
    ['PAY_PUBLIC_URL', 'https://*.pay.example', 'one exact host'],
    ['PAY_CSP_REPORT_TO', 'http://reports.example', 'an https address'],
    ['PAY_CSP_REPORT_TO', 'https://reports.example/;sandbox', 'without spaces'],
    ['PAY_PUBLIC_URL', 'http://pay.example', 'https'],
    ['PAY_WEBHOOK_BASE_URL', 'http://pay.example', 'https'],
    ['PAY_PARTNER_API_URL', 'http://provider.example', 'https'],
    ['PAY_PARTNER_API_URL', 'https://provider.example/?key=x', 'without query'],
    ['PAY_PARTNER_API_KEY', '', 'API key'],
    ['PAY_PARTNER_API_KEY', 'a-key\n', 'without spaces or line breaks'],
    ['PAY_ENCRYPTION_KEY', undefined, 'production needs a key'],
    ['PAY_ENCRYPTION_KEY', Buffer.alloc(32).toString('base64'), 'base64 of 32 bytes'],
    ['PAY_ENCRYPTION_KEY', `k:${Buffer.alloc(16).toString('base64')}`, 'base64 of 32 bytes'],
    ['PAY_TRUST_PROXY', undefined, 'production has no default; expected how many proxies'],
    ['PAY_TRUST_PROXY', '', 'production has no default; expected how many proxies'],
    ['PAY_TRUST_PROXY', 'true', 'or their addresses'],
    ['PAY_TRUST_PROXY', 'proxy.internal', 'or their addresses'],
    ['PAY_TRUST_PROXY', '-1', 'how many proxies'],
    ['PAY_TRUST_PROXY', '10', 'how many proxies'],
    ['PAY_TRUST_PROXY', '10.0.0.0/8,', 'or their addresses'],
    ['PAY_TRUST_PROXY', '10.0.0.0/8, 0.0.0.0/0', 'or their addresses'],
    ['PAY_TRUST_PROXY', '::/0', 'or their addresses'],
    ['PAY_DATABASE_FILE', undefined, 'path of the data file'],
    ['PAY_DATABASE_FILE', '/', 'it is a folder; expected the path of a file'],
    ['PAY_OPERATOR_PORT', '4200', 'PAY_PORT has the same address and port'],
    ['PAY_PORT', 'http', 'port number'],
    ['PAY_PORT', '65536', '65535'],
    ['PAY_LOG_LEVEL', 'verbose', 'info'],
    ['PAY_RETENTION_DAYS', '0', 'whole number above 0'],
    ['PAY_WATCH_DAYS', '1.5', 'whole number'],
    ['PAY_RETENTION_DAYS', '36501', 'at most 36500 days'],
    ['PAY_ORDER_RETENTION_DAYS', '1000000000', 'at most 36500 days'],
    ['PAY_ORDER_REMOVAL_DAYS', '90', 'expected more than 90 days'],
    ['PAY_WATCH_DAYS', '1000000000', 'at most 36500 days'],
    ['PAY_REFUND_WATCH_DAYS', '1000000000', 'at most 36500 days'],
    ['PAY_MAX_ORDER_ID', '1000000', 'no payment could be begun'],
    ['PAY_OPERATOR_PORT', 'http', 'port number'],
    ['PAY_METRICS_PORT', '4200', 'PAY_PORT has the same address and port'],
    ['PAY_OPERATOR_KEY', 'short', '32 characters'],
    ['PAY_OPERATOR_NAMES', 'pay.internal:9464', 'without ports'],
  ])('with %s = %j is refused by name', (name, value, expected) => {
    const mistakes = mistakesOf({ [name]: value });
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toMatch(new RegExp(`^${name}: `));
    expect(mistakes[0]).toContain(expected);
  });

  it.each([
    ['0', 0],
    ['2', 2],
    ['10.0.0.0/8, fd00::/8,192.0.2.1', ['10.0.0.0/8', 'fd00::/8', '192.0.2.1']],
  ])('takes %s for the proxies before the server', (given, read) => {
    expect(parseConfig({ ...ENV, PAY_TRUST_PROXY: given }).trustProxy).toEqual(read);
  });

  it('may leave out in a sandbox how many proxies there are: none', () => {
    const { PAY_TRUST_PROXY: _proxies, ...others } = ENV;
    expect(parseConfig({ ...others, PAY_ENVIRONMENT: 'sandbox' }).trustProxy).toBe(0);
  });

  it('has no operator’s listener unless a port is given', () => {
    expect(parseConfig(ENV).operator).toBeUndefined();
    expect(parseConfig({ ...ENV, PAY_OPERATOR_PORT: '9464' }).operator).toEqual({
      host: '127.0.0.1',
      port: 9464,
      keys: [],
      names: [],
    });
  });

  it('has a listener for metrics alone, which only this machine reaches', () => {
    expect(parseConfig(ENV).metrics).toBeUndefined();
    const env = { PAY_METRICS_PORT: '9464' };
    const { operator, metrics } = parseConfig({ ...ENV, ...env });
    expect([operator, metrics]).toEqual([undefined, { host: '127.0.0.1', port: 9464 }]);
    expect(mistakesOf({ ...env, PAY_OPERATOR_PORT: '9465' })).toEqual([
      'PAY_METRICS_PORT: PAY_OPERATOR_PORT has /metrics as well; set one of them',
    ]);
  });

  it('opens the operator’s listener to a network only with a key, in production', () => {
    const open = { PAY_OPERATOR_PORT: '9464', PAY_OPERATOR_HOST: '10.0.0.7' };
    const mistakes = mistakesOf({ ...open, PAY_LOG_LEVEL: 'verbose' });
    expect(mistakes.join()).toContain('PAY_OPERATOR_HOST: production expects a loopback address');
    expect(mistakesOf({ ...open, PAY_OPERATOR_KEY: 'k'.repeat(32) })).toEqual([]);
    expect(mistakesOf({ ...open, PAY_ENVIRONMENT: 'sandbox' })).toEqual([]);
    expect(mistakesOf({ ...open, PAY_OPERATOR_PORT: undefined })).toEqual([]);
    for (const host of ['localhost', '::1', '127.0.0.2']) {
      expect(mistakesOf({ ...open, PAY_OPERATOR_HOST: host })).toEqual([]);
    }
  });

  it.each([
    'postgres://pay:secret@one.example:5432,two.example:5432/pay',
    'postgres://pay:secret@one.example,two.example/pay',
    'postgres://pay:secret@one.example/pay?host=one.example,two.example',
  ])('has no database at several hosts: %s', (url) => {
    const [mistake, ...others] = mistakesOf({ DATABASE_URL: url });
    expect(mistake).toMatch(/^DATABASE_URL: it names several hosts/);
    expect(others).toEqual([]);
  });

  it.each([
    'postgres://pay:se,cret@db.example/pay?sslmode=verify-full&sslrootcert=/etc/pay/ca.pem',
    'postgresql://pay:secret@/pay?host=/run/postgresql',
    'postgres://pay:secret@%2Frun%2Fpostgresql/pay',
    'postgres:///pay?host=/run/postgresql&user=pay',
  ])('may have a database by TLS or at a socket: %s', (url) => {
    expect(mistakesOf({ DATABASE_URL: url })).toEqual([]);
  });

  it('has every mistake listed at once, those of production included', () => {
    const mistakes = mistakesOf({
      PAY_PUBLIC_URL: 'http://pay.example',
      PAY_PARTNER_API_KEY: undefined,
      PAY_PORT: 'http',
      PAY_TRUST_PROXY: undefined,
    });
    expect(mistakes.map((mistake) => mistake.split(':')[0]).sort()).toEqual([
      'PAY_PARTNER_API_KEY',
      'PAY_PORT',
      'PAY_PUBLIC_URL',
      'PAY_TRUST_PROXY',
    ]);
  });

  it('shows no secret when it is printed, sent as JSON, or put into a text', () => {
    const env = {
      ...ENV,
      PAY_OPERATOR_PORT: '9464',
      PAY_OPERATOR_KEY: 'operator-key-of-more-than-32-characters',
    };
    const config = parseConfig(env);
    const shown = [inspect(config, { depth: 9, showHidden: true }), JSON.stringify(config)].join();
    const bytes = Buffer.alloc(4, 1);
    for (const secret of [
      env.PAY_PARTNER_API_KEY,
      env.PAY_OPERATOR_KEY,
      env.PAY_ENCRYPTION_KEY.slice(5),
      bytes.toString('hex'),
      bytes.join(),
      '01 01 01 01',
      '1, 1, 1, 1',
    ]) {
      expect(shown).not.toContain(secret);
    }
    expect(config.partnerApiKey.reveal()).toBe(env.PAY_PARTNER_API_KEY);
    expect(config.operator?.keys[0]?.secret.reveal()).toBe(env.PAY_OPERATOR_KEY);
  });

  it('has no value quoted', () => {
    const mistakes = mistakesOf({ PAY_ENVIRONMENT: 'oops-a-key', PAY_PUBLIC_URL: 'oops-a-key' });
    expect(mistakes.join()).not.toContain('oops-a-key');
    expect(mistakes.join()).not.toContain(ENV.PAY_PARTNER_API_KEY);
  });
});

describe('a secret in a file', () => {
  const { PAY_PARTNER_API_KEY, PAY_ENCRYPTION_KEY, ...others } = ENV;
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'config-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  function write(name: string, text: string, mode = 0o400): string {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), mode);
    return join(folder, name);
  }

  it('is read without the line break at its end, and shown nowhere', () => {
    const env = {
      ...others,
      PAY_PARTNER_API_KEY: '',
      PAY_PARTNER_API_KEY_FILE: write('provider', `${PAY_PARTNER_API_KEY}\n`, 0o440),
      PAY_ENCRYPTION_KEY_FILE: write('encryption', `${PAY_ENCRYPTION_KEY}\r\n`),
    };
    const config = parseConfig(env);
    expect(config.partnerApiKey.reveal()).toBe(PAY_PARTNER_API_KEY);
    expect(config.encryptionKeys).toHaveLength(1);
    expect(config.settings['PAY_PARTNER_API_KEY_FILE']).toBe(join(folder, 'provider'));
    const shown = [inspect(config, { depth: 9, showHidden: true }), JSON.stringify(config)].join();
    expect(shown).not.toContain(PAY_PARTNER_API_KEY);
    expect(shown).not.toContain(PAY_ENCRYPTION_KEY.slice(5));
  });

  it.each([
    ['is not there', () => join(folder, 'none'), 'there is no such file'],
    ['is a folder', () => folder, 'it is a folder'],
    ['is empty', () => write('empty', '\n'), 'it is empty'],
    ['others may read', () => write('open', 'a-key', 0o444), 'give it mode 0400 or 0440'],
    ['the group may write', () => write('group', 'a-key', 0o460), 'give it mode 0400 or 0440'],
    ['holds no key', () => write('spaces', 'oops a key'), 'without spaces'],
  ])(
    'that %s is a mistake, along with all others, and nothing of it is quoted',
    (_how, make, why) => {
      const mistakes = mistakesOf({
        PAY_PARTNER_API_KEY: undefined,
        PAY_PARTNER_API_KEY_FILE: make(),
        PAY_PORT: 'http',
      });
      expect(mistakes).toHaveLength(2);
      expect(mistakes.join()).toContain('PAY_PORT: ');
      expect(
        mistakes.find((mistake) => mistake.startsWith('PAY_PARTNER_API_KEY_FILE: ')),
      ).toContain(why);
      expect(mistakes.join()).not.toContain('oops');
    },
  );

  it('next to the same secret in the environment is a mistake', () => {
    expect(
      mistakesOf({ PAY_ENCRYPTION_KEY_FILE: write('encryption', PAY_ENCRYPTION_KEY) }),
    ).toEqual(['PAY_ENCRYPTION_KEY_FILE: PAY_ENCRYPTION_KEY is set as well; remove one']);
  });

  it('may be the address of the database, which the checks of a start see as well', () => {
    const url = 'postgres://pay:canary-password@db.example/pay';
    const env = { ...ENV, PAY_DATABASE_FILE: '', DATABASE_URL_FILE: write('url', `${url}\n`) };
    const config = parseConfig(env);
    expect([config.databaseUrl?.reveal(), readValidSettings(env).DATABASE_URL]).toEqual([url, url]);
    expect(JSON.stringify([config, config.secretFiles])).not.toContain('canary');
  });

  it('is for secrets alone', () => {
    expect(parseConfig({ ...ENV, PAY_PUBLIC_URL_FILE: 'x' }).unknownVariables).toEqual([
      'PAY_PUBLIC_URL_FILE',
    ]);
  });
});

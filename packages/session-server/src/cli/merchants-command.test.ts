import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError, ConfigError } from '../errors.js';
import { editMerchantsFile } from '../merchants/edit-merchants-file.js';
import { readMerchantsFile } from '../merchants/merchant-source.js';
import { merchantEntry } from '../testing/test-merchant.js';
import { runMerchants } from './merchants-command.js';

const CANARIES = {
  token: 'canary-order-token-secret-of-32-characters',
  signing: `whsec_${Buffer.from('canary-signing-secret-24-bytes').toString('base64')}`,
  account: 'canary-key-of-the-provider',
  webhook: 'ca'.repeat(16),
  password: 'canary-password',
};

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'merchants-command-'));
  path = join(folder, 'merchants.json');
  const teashop = merchantEntry({
    apiKeyHash: [`sha256:${'c'.repeat(64)}`],
    orderTokenSecret: [CANARIES.token],
    signingSecret: [CANARIES.signing],
    events: { url: `https://user:${CANARIES.password}@shop.example/events` },
    split: [{ partnerMerchantId: 501, typeId: 1, percent: '2.5' }],
    webhooks: { signature: { scheme: 'bodyHex', keys: [{ key: CANARIES.webhook }] } },
  });
  const accounts = { north: { apiUrl: 'https://north.example', apiKey: CANARIES.account } };
  write(JSON.stringify({ accounts, merchants: [teashop] }, null, 2));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
}
const read = () => readFileSync(path, 'utf8');
const env = () => ({ PAY_ENVIRONMENT: 'production', PAY_MERCHANTS_FILE: path });
const run = (...words: string[]): string => runMerchants(env(), words).join('\n');
const find = (id: string) => {
  const merchant = readMerchantsFile(path, 'production').merchants.get(id);
  if (!merchant) throw new Error(`no ${id}`);
  return merchant;
};
const hashOf = (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`;
/** What `run` fails with, which changed nothing and left nothing behind. */
function refusalOf(...words: string[]): Error {
  const before = read();
  try {
    run(...words);
  } catch (error) {
    expect(read()).toBe(before);
    expect(readdirSync(folder)).toEqual(['merchants.json']);
    return error as Error;
  }
  throw new Error(`${words.join(' ')} was not refused`);
}

const NEW = [
  ...['add', 'bookshop', '--name', 'The Book Shop', '--provider-merchant-id', '1002'],
  ...['--origin', 'https://books.example', '--origin', 'https://www.books.example'],
  ...['--return-url', 'https://books.example/result?checkout={checkout}'],
];

describe('merchants add', () => {
  it('adds a merchant like another one, and shows its secrets once', () => {
    const output = run(...NEW, '--like', 'teashop', '--events-url', 'https://books.example/events');
    const [, key = ''] = /api-key +(\S+)/.exec(output) ?? [];
    const [, signing = ''] = /signing-secret +(\S+)/.exec(output) ?? [];
    expect(find('bookshop')).toMatchObject({
      name: 'The Book Shop',
      providerMerchantId: 1002,
      currency: 'GBP',
      origins: ['https://books.example', 'https://www.books.example'],
      events: { url: 'https://books.example/events' },
      split: [{ partnerMerchantId: 501 }],
      apiKeyHash: [hashOf(key)],
      orderTokenSecret: [],
    });
    expect(find('bookshop').signingSecret.map((secret) => secret.reveal())).toEqual([signing]);
    expect([Buffer.from(key, 'base64url').length, read().includes(key)]).toEqual([32, false]);
    const shown = [run('list'), run('list', '--json'), run('show', 'bookshop')].join();
    expect([key, signing, hashOf(key)].filter((secret) => shown.includes(secret))).toEqual([]);
  });

  it.each([
    'http://10.1.2.3/events',
    'https://[fd00::1]/',
    'https://shop.internal/',
    'https://shop/',
  ])('warns of %s, which leads into a private network', (url) => {
    const set = { ...env(), PAY_ENVIRONMENT: 'sandbox' };
    const words = [...NEW, '--like', 'teashop', '--events-url', url];
    const [, warning] = runMerchants(set, words);
    expect(warning).toMatch(/^warning: events\.url is a private address.+"allowPrivateAddress"/);
  });

  it('takes what it is given before what another merchant has, and an SDK from a file', () => {
    const sdk = { ...find('teashop').sdk, global: 'Other.Checkout' };
    writeFileSync(join(folder, 'sdk.json'), JSON.stringify(sdk));
    run(
      ...[...NEW, '--like', 'teashop', '--sdk', join(folder, 'sdk.json'), '--currency', 'EUR'],
      ...['--decimals', '2', '--account', 'north'],
      ...['--order-lookup-url', 'https://books.example/lookup'],
    );
    expect(find('bookshop')).toMatchObject({
      currency: 'EUR',
      account: 'north',
      sdk: { global: 'Other.Checkout' },
      orderLookup: { url: 'https://books.example/lookup' },
    });
    expect(find('bookshop').orderTokenSecret).toHaveLength(1);
  });

  const changeModel = (changes: object) => {
    const { merchants, ...rest } = JSON.parse(read()) as { merchants: object[] };
    write(JSON.stringify({ ...rest, merchants: [{ ...merchants[0], ...changes }] }));
  };

  it('takes over no decimals of another currency', () => {
    changeModel({ decimals: 2 });
    run(...NEW, '--like', 'teashop', '--currency', 'JPY');
    expect(find('bookshop')).toMatchObject({ currency: 'JPY', decimals: 0 });
  });

  it('takes over no split with amounts of another currency: it is refused', () => {
    changeModel({ split: [{ partnerMerchantId: 501, typeId: 1, percent: '2', cap: '5' }] });
    const { message } = refusalOf(...NEW, '--like', 'teashop', '--currency', 'JPY');
    expect(message).toMatch(/amounts in GBP .*which are not amounts in JPY/);
  });

  it('as JSON gives the secrets to a program', () => {
    const added = JSON.parse(run(...NEW, '--like', 'teashop', '--json')) as {
      secrets: Record<string, string>;
    };
    expect(added).toMatchObject({ merchant: 'bookshop' });
    expect(Object.keys(added.secrets)).toEqual(['api-key', 'signing-secret']);
  });

  it.each<[string, string[], string]>([
    ['what is missing', NEW, 'sdk: is missing; expected an object'],
    ['a currency', [...NEW, '--like', 'teashop', '--currency', 'pounds'], 'currency: expected'],
    ['an account', [...NEW, '--like', 'teashop', '--account', 'south'], 'account: expected'],
    [
      'what production refuses',
      [...NEW, '--like', 'teashop', '--origin', 'http://x.example'],
      'https',
    ],
    ['a merchant that is there', ['add', 'teashop', ...NEW.slice(2), '--like', 'teashop'], 'id: '],
    ['a model that is not', [...NEW, '--like', 'none'], 'there is no merchant "none"'],
    ['an SDK that is not', [...NEW, '--sdk', '/none.json'], 'there is no such file'],
  ])('names %s, and changes nothing', (_what, words, expected) => {
    const refusal = refusalOf(...words);
    expect(refusal).toBeInstanceOf(ConfigError);
    expect(refusal.message).toContain(expected);
    expect(refusal.message).not.toContain('canary');
  });
});

describe('merchants rotate', () => {
  it.each([
    ['api-key', (id: string) => find(id).apiKeyHash],
    ['order-token-secret', (id: string) => find(id).orderTokenSecret.map((s) => s.reveal())],
    ['signing-secret', (id: string) => find(id).signingSecret.map((s) => s.reveal())],
  ] as const)('adds a new %s in front, and --retire removes the old one', (kind, valuesOf) => {
    const [old] = valuesOf('teashop');
    const output = run('rotate', 'teashop', kind);
    const [, secret = ''] = output.split('\n').map((line) => line.trim());
    const stored = kind === 'api-key' ? hashOf(secret) : secret;
    expect(valuesOf('teashop')).toEqual([stored, old]);
    expect(JSON.parse(run('rotate', 'teashop', kind, '--retire', '--json'))).toEqual({
      merchant: 'teashop',
      kind,
      retired: 1,
    });
    expect(valuesOf('teashop')).toEqual([stored]);
    expect(refusalOf('rotate', 'teashop', kind, '--retire').message).toContain('rotate it first');
  });

  it('as JSON gives the new value to a program, and no old one', () => {
    const output = run('rotate', 'teashop', 'signing-secret', '--json');
    expect(JSON.parse(output)).toMatchObject({ merchant: 'teashop' });
    expect(output).not.toContain(CANARIES.signing);
  });

  it('leaves what is kept in files to those who keep it', () => {
    writeFileSync(join(folder, 'signing'), CANARIES.signing, { mode: 0o600 });
    const entry = merchantEntry({ signingSecret: [{ file: 'signing' }] });
    write(JSON.stringify({ merchants: [entry] }, null, 2));
    expect(() => run('rotate', 'teashop', 'signing-secret')).toThrow('is kept elsewhere');
  });
});

describe('merchants disable', () => {
  it('and enable lead back to the very same file', () => {
    const before = read();
    run('disable', 'teashop');
    expect([find('teashop').disabled, run('list')]).toEqual([
      true,
      expect.stringContaining('disabled'),
    ]);
    expect(JSON.parse(run('enable', 'teashop', '--json'))).toEqual({
      merchant: 'teashop',
      disabled: false,
    });
    expect(read()).toBe(before);
    expect(refusalOf('disable', 'none').message).toContain('there is no merchant "none"');
  });
});

describe('merchants list and show', () => {
  it('show no secret in any form', () => {
    const shown = [
      run('list'),
      run('list', '--json'),
      run('show', 'teashop'),
      run('show', 'teashop', '--json'),
    ].join('\n');
    expect(shown).toContain('[secret]');
    const forms = Object.values(CANARIES).flatMap((canary) => [
      canary,
      Buffer.from(canary).toString('base64').slice(0, -4),
    ]);
    expect(forms.filter((form) => shown.includes(form))).toEqual([]);
    expect(shown).not.toContain('c'.repeat(9));
  });

  it('show references as they are, and no control characters', () => {
    writeFileSync(join(folder, 'signing'), CANARIES.signing, { mode: 0o600 });
    const entry = merchantEntry({ name: 'Tea\u001b[31m', signingSecret: [{ file: 'signing' }] });
    write(JSON.stringify({ merchants: [entry] }));
    expect(JSON.parse(run('show', 'teashop'))).toMatchObject({
      signingSecret: [{ file: 'signing' }],
    });
    expect(run('list')).toMatch(/^id .*\nteashop +Tea\?\[31m +default +1001 +GBP +lookup +active$/);
  });
});

describe('the file', () => {
  it('keeps its order, spacing, line breaks, byte order mark, links and mode', () => {
    const spaced = read()
      .replace('{\n  "accounts"', '{\n  "$schema":   "./x.json",\n  "accounts"')
      .replace(
        '"origins": [\n        "https://shop.example"\n      ]',
        '"origins":["https://shop.example"]',
      );
    const own = `\uFEFF${spaced.replace(/^( {2})+/gm, (spaces) => '\t'.repeat(spaces.length / 2)).replaceAll('\n', '\r\n')}\r\n`;
    write(own);
    chmodSync(path, 0o640);
    symlinkSync('merchants.json', join(folder, 'link.json'));
    const linked = { ...env(), PAY_MERCHANTS_FILE: join(folder, 'link.json') };
    runMerchants(linked, ['disable', 'teashop']);
    const id = '\t\t\t"id": "teashop",\r\n';
    expect(own).toContain(id);
    expect(read()).toBe(own.replace(id, `${id}\t\t\t"disabled": true,\r\n`));
    expect((statSync(path).mode & 0o777).toString(8)).toBe('640');
    runMerchants(linked, [...NEW, '--like', 'teashop']);
    const [untouched = ''] = own.split('\r\n\t\t}\r\n\t]');
    expect(read().replace('\t\t\t"disabled": true,\r\n', '').startsWith(untouched)).toBe(true);
    expect(read()).not.toMatch(/[^\r]\n/);
  });

  it.each([
    ['is no JSON', '{'],
    ['has a mistake', '{"merchants": []}'],
  ])('that %s is not touched', (_how, text) => {
    write(text);
    expect(refusalOf('disable', 'teashop')).toBeInstanceOf(ConfigError);
  });

  it('that others change in the meantime is left to them', () => {
    const edit = () => {
      editMerchantsFile(path, 'production', () => {
        write(read().replace('The Tea Shop', 'Their Tea Shop'));
        return [{ path: ['merchants', 0, 'name'], value: 'Our Tea Shop' }];
      });
    };
    expect(edit).toThrow('it was changed in the meantime; nothing was written');
    expect([find('teashop').name, readdirSync(folder)]).toEqual([
      'Their Tea Shop',
      ['merchants.json'],
    ]);
  });

  it('is changed by one command at a time', () => {
    editMerchantsFile(path, 'production', () => {
      expect(() => run('disable', 'teashop')).toThrow('another command is changing it');
      return [];
    });
    run('disable', 'teashop');
    expect(find('teashop').disabled).toBe(true);
  });
});

describe('the words after merchants', () => {
  it.each([
    [[]],
    [['list', 'teashop']],
    [['show']],
    [['show', 'teashop', '--retire']],
    [['rotate', 'teashop']],
    [['rotate', 'teashop', 'password']],
    [['rotate', 'teashop', 'api-key', '--name', 'x']],
    [['disable']],
    [['add', 'bookshop', '--secret', 'canary']],
    [['remove', 'teashop']],
  ])('are refused when they are not understood: %j', (words) => {
    const refusal = refusalOf(...words);
    expect([refusal instanceof AppError, refusal.message]).toEqual([
      true,
      'expected the words of: pay-session-server merchants --help',
    ]);
  });

  it('come with the two settings that they need', () => {
    expect(() => runMerchants({}, ['list'])).toThrow(/PAY_ENVIRONMENT[^]*PAY_MERCHANTS_FILE/);
  });

  it('end the program with 0, 1 and 2', () => {
    const program = fileURLToPath(new URL('../../dist/bin.js', import.meta.url));
    const spawn = (...words: string[]) =>
      spawnSync(process.execPath, [program, 'merchants', ...words], {
        env: env(),
        encoding: 'utf8',
      });
    const listed = spawn('list', '--json');
    expect([listed.status, listed.stderr]).toEqual([0, '']);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id: 'teashop', state: 'active' }]);
    const refused = spawn('show', 'none');
    expect([refused.status, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toBe(
      'pay-session-server: merchants file: there is no merchant "none"\n',
    );
    expect(spawn('shwo').status).toBe(2);
  });
});

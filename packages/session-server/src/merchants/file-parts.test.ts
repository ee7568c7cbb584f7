import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../errors.js';
import { merchantEntry } from '../testing/test-merchant.js';
import { MerchantEntries } from './merchant-entries.js';
import { FileMerchantSource, readMerchantsFile } from './merchant-source.js';

const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'merchants-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const write = (name: string, file: unknown): void => {
  writeFileSync(join(folder, name), JSON.stringify(file, undefined, 1));
};
const read = (name = '') => readMerchantsFile(join(folder, name), 'sandbox').merchants;

function mistakesOf(name = ''): readonly string[] {
  try {
    read(name);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

const { currency, sdk, ...OWN } = merchantEntry();
const shop = (id: string, changes: object = {}) => ({
  ...{ ...OWN, ...changes, id },
  apiKeyHash: merchantEntry({ id })['apiKeyHash'],
});

describe('defaults of a merchants file', () => {
  it('count for entries without the field', () => {
    write('all.json', {
      defaults: { currency, sdk, avs: 'required', provider: 'psp' },
      merchants: [shop('one'), shop('two', { currency: 'EUR', avs: 'optional' })],
    });
    const [one, two] = [...read('all.json').values()];
    expect([one?.currency, one?.avs, one?.provider]).toEqual(['GBP', 'required', 'psp']);
    expect([two?.currency, two?.avs, two?.provider]).toEqual(['EUR', 'optional', 'psp']);
    expect(two?.sdk).toEqual(one?.sdk);
  });

  it('are named once where they are wrong, however many entries have them', () => {
    write('all.json', {
      defaults: { currency: 'pounds', sdk, id: 'x', curency: 'GBP' },
      merchants: [shop('one'), shop('two'), shop('three', { currency: 'EUR' })],
    });
    const mistakes = mistakesOf('all.json').map((one) => one.replace(/, column \d+/, ''));
    expect(mistakes).toEqual([
      'defaults.id (line 18): is each merchant’s own; leave it out',
      'defaults.currency (line 3): expected three capital letters, such as "GBP"',
      'defaults.curency (line 19): not accepted here; did you mean "currency"?',
    ]);
    write('none.json', { defaults: [], merchants: [] });
    expect(mistakesOf('none.json')[0]).toMatch(/^defaults \(line 2.*\): expected an object$/);
  });

  it('may have a secret that is a reference', () => {
    const key = Buffer.alloc(32, 7).toString('hex');
    writeFileSync(join(folder, 'key'), key, { mode: 0o600 });
    const scheme = { header: 'x-signature', algorithm: 'sha256', keyEncoding: 'hex' };
    const signature = {
      scheme: { ...scheme, signatureEncoding: 'hex', template: '{body}' },
      keys: [{ key: { file: 'key' } }],
    };
    const defaults = { currency, sdk, webhooks: { signature } };
    write('all.json', { defaults, merchants: [shop('one'), shop('two')] });
    const keys = [...read('all.json').values()].map(({ webhooks }) => webhooks.signature?.keys[0]);
    expect(keys.map((one) => one?.key.reveal())).toEqual([key, key]);
    rmSync(join(folder, 'key'));
    expect(mistakesOf('all.json')).toEqual([
      expect.stringMatching(/^defaults\.webhooks\.signature\.keys\.0\.key \(line \d+/),
    ]);
  });
});

describe('a folder of merchants files', () => {
  it('is read as one, with the defaults and accounts of any of them', () => {
    write('_shared.json', { defaults: { currency, sdk } });
    write('b.json', { merchants: [shop('two'), shop('three')] });
    write('a.json', { merchants: [shop('one')] });
    writeFileSync(join(folder, 'notes.txt'), 'no file of merchants');
    writeFileSync(join(folder, '.draft.json'), '{');
    expect([...read().keys()]).toEqual(['one', 'two', 'three']);
    expect(read().get('two')?.currency).toBe('GBP');
  });

  it('has the name of the file, and the place in it, with each mistake', () => {
    write('a.json', { defaults: { currency, sdk }, merchants: [shop('one')] });
    write('b.json', { merchants: [shop('two'), shop('one', { returnUrl: 'nowhere' })] });
    write('c.json', { defaults: { currency: 'EUR' }, merchants: [shop('three', { nam: 'x' })] });
    const places = mistakesOf().map((mistake) => mistake.replace(/ \(line (\d+).*?\)/, ' @$1'));
    expect(places).toEqual([
      'c.json: defaults.currency @3: expected in one file; another has it, too',
      expect.stringMatching(/^b\.json: merchants\.1\.returnUrl @\d+: expected/),
      expect.stringMatching(
        /^c\.json: merchants\.0\.nam @\d+: not accepted here; did you mean "name"/,
      ),
      'b.json: merchants.1.id @28: expected an id of its own; a merchant above has the same',
      expect.stringMatching(
        /^b\.json: merchants\.1\.apiKeyHash\.0 @\d+: expected a key of its own/,
      ),
    ]);
    writeFileSync(join(folder, 'b.json'), '{ "merchants": [ }');
    expect(mistakesOf()).toEqual([expect.stringMatching(/^b\.json is not JSON: /)]);
  });

  it('is refused without a file in it', () => {
    expect(mistakesOf()).toEqual(['it is a folder without a *.json file']);
  });

  it('is shown by command, and changed in its files only', () => {
    write('a.json', { defaults: { currency, sdk }, merchants: [shop('one')] });
    write('b.json', { merchants: [shop('two')] });
    const entries = new MerchantEntries({ file: folder, environment: 'sandbox' });
    expect(entries.find('two')).toMatchObject({ id: 'two', signingSecret: ['[secret]'] });
    expect(entries.canRotate('two', 'signing-secret')).toBe(false);
    expect(() => entries.rotate('two', 'signing-secret')).toThrow(/it is a folder: edit the file/);
  });

  it('is read again when a file is added, changed or removed, and as a ConfigMap is replaced', async () => {
    const mounted = join(folder, 'mounted');
    const version = (name: string, ...ids: string[]): void => {
      mkdirSync(join(mounted, name), { recursive: true });
      for (const id of ids) {
        const file = { merchants: [shop(id, { currency, sdk })] };
        writeFileSync(join(mounted, name, `${id}.json`), JSON.stringify(file));
      }
    };
    // Names that never change lead through a link that is replaced: so a ConfigMap is mounted.
    version('..1', 'one', 'two');
    symlinkSync('..1', join(mounted, '..data'));
    for (const id of ['one', 'two']) symlinkSync(`..data/${id}.json`, join(mounted, `${id}.json`));
    const source = new FileMerchantSource({
      path: mounted,
      environment: 'sandbox',
      logger: SILENT,
    });
    const ids = async () => (await source.all()).map(({ id, name }) => `${id} ${name}`);
    expect(await ids()).toEqual(['one The Tea Shop', 'two The Tea Shop']);
    mkdirSync(join(mounted, '..2'));
    for (const id of ['one', 'two']) {
      const file = { merchants: [shop(id, { currency, sdk, name: 'New' })] };
      writeFileSync(join(mounted, '..2', `${id}.json`), JSON.stringify(file));
    }
    symlinkSync('..2', join(mounted, '..data_tmp'));
    renameSync(join(mounted, '..data_tmp'), join(mounted, '..data'));
    await expect.poll(ids).toEqual(['one New', 'two New']);
    version('..2', 'three');
    symlinkSync('..data/three.json', join(mounted, 'three.json'));
    await expect.poll(ids).toEqual(['one New', 'three The Tea Shop', 'two New']);
    rmSync(join(mounted, 'one.json'));
    await expect.poll(ids).toEqual(['three The Tea Shop', 'two New']);
    await source.close();
  });
});

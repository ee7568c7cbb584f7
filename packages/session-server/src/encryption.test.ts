import { createSecretKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from './errors.js';
import { loadSandboxKeys, parseEncryptionKeys, DataEncryption } from './encryption.js';

const OLD = { id: 'old', key: createSecretKey(Buffer.alloc(32, 1)) };
const NEW = { id: 'new', key: createSecretKey(Buffer.alloc(32, 2)) };
const plain = Buffer.from('Canary Nightjar');

describe('the secrets of order tokens', () => {
  it('are others for each merchant, one for each key, newest first', () => {
    const secretsOf = (merchant: string, keys = [NEW, OLD]) =>
      new DataEncryption(keys).orderTokenSecrets(merchant).map((secret) => secret.reveal());
    const all = [...secretsOf('teashop'), ...secretsOf('bookshop')];
    expect(new Set(all).size).toBe(4);
    expect(all.every((secret) => /^[0-9a-f]{64}$/.test(secret))).toBe(true);
    expect([...secretsOf('teashop', [NEW]), ...secretsOf('teashop', [OLD])]).toEqual(
      secretsOf('teashop'),
    );
  });
});

describe('an encrypted body', () => {
  it('can be read with its key and context only', () => {
    const encryption = new DataEncryption([OLD]);
    const sealed = encryption.seal(plain, 'context');
    expect(sealed.includes('Canary')).toBe(false);
    expect(encryption.open(sealed, 'context')).toEqual(plain);
    expect(encryption.open(sealed, 'another')).toBeUndefined();
    expect(new DataEncryption([NEW]).open(sealed, 'context')).toBeUndefined();
    expect(new DataEncryption([{ ...OLD, key: NEW.key }]).open(sealed, 'context')).toBeUndefined();
  });

  it('is different each time', () => {
    const encryption = new DataEncryption([OLD]);
    expect(encryption.seal(plain, 'context')).not.toEqual(encryption.seal(plain, 'context'));
  });

  it('is opened by any key of the list, and closed by the first', () => {
    const both = new DataEncryption([NEW, OLD]);
    expect(both.open(new DataEncryption([OLD]).seal(plain, 'c'), 'c')).toEqual(plain);
    expect(new DataEncryption([NEW]).open(both.seal(plain, 'c'), 'c')).toEqual(plain);
  });

  it('that was changed or cut anywhere is not opened', () => {
    const encryption = new DataEncryption([OLD]);
    const sealed = encryption.seal(plain, 'c');
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(encryption.open(changed, 'c')).toBeUndefined();
      expect(encryption.open(sealed.subarray(0, at), 'c')).toBeUndefined();
    }
  });

  it('has a digest of an e-mail for each key, in any case and form of the address', () => {
    const [old, newer] = [OLD, NEW].map((key) =>
      new DataEncryption([key]).emailDigests('jo@x.test'),
    );
    expect(old).not.toEqual(newer);
    const both = new DataEncryption([NEW, OLD]);
    expect(both.emailDigests(' JO@x.Test ')).toEqual([newer, old].flat());
    expect(both.emailDigests('jos\u0065\u0301@x.test')).toEqual(
      both.emailDigests('jos\u00e9@x.test'),
    );
  });

  it('has a digest that needs the key, the token and the body', () => {
    const digest = new DataEncryption([OLD]).digest('token', plain);
    expect(new DataEncryption([OLD, NEW]).digest('token', plain)).toBe(digest);
    expect(new DataEncryption([NEW]).digest('token', plain)).not.toBe(digest);
    expect(new DataEncryption([OLD]).digest('other', plain)).not.toBe(digest);
    expect(new DataEncryption([OLD]).digest('token', Buffer.from('x'))).not.toBe(digest);
  });

  it('is found under every key of the list, in whichever order they stand', () => {
    const [old, newer] = [OLD, NEW].map((key) => new DataEncryption([key]).digest('token', plain));
    for (const keys of [
      [OLD, NEW],
      [NEW, OLD],
    ]) {
      const encryption = new DataEncryption(keys);
      expect(encryption.otherDigests(newer ?? '', 'token', plain)).toEqual([old]);
      expect(encryption.otherDigests(old ?? '', 'token', plain)).toEqual([newer]);
    }
    expect(new DataEncryption([OLD]).otherDigests(old ?? '', 'token', plain)).toEqual([]);
  });
});

describe('PAY_ENCRYPTION_KEY', () => {
  const base64 = Buffer.alloc(32, 3).toString('base64');

  it('holds keys with names, newest first', () => {
    expect(parseEncryptionKeys(`b:${base64}, a:${base64}`)?.map(({ id }) => id)).toEqual([
      'b',
      'a',
    ]);
  });

  it.each([
    base64,
    `a:${base64.slice(4)}`,
    `a:${base64}x`,
    `a b:${base64}`,
    `a:${base64},a:${base64}`,
    `a:${base64},`,
  ])('is refused when it is %j', (text) => {
    expect(parseEncryptionKeys(text)).toBeUndefined();
  });
});

describe('the key of a sandbox', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keys-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('is made once, and is for its owner only', () => {
    const file = join(folder, 'data.sqlite');
    const sealed = new DataEncryption(loadSandboxKeys(file)).seal(plain, 'context');
    expect(new DataEncryption(loadSandboxKeys(file)).open(sealed, 'context')).toEqual(plain);
    expect(statSync(`${file}.body-key`).mode & 0o777).toBe(0o600);
  });

  it('that is broken is named, and not quoted', () => {
    const file = join(folder, 'data.sqlite');
    writeFileSync(`${file}.body-key`, 'oops-a-key');
    const refused = (): unknown => loadSandboxKeys(file);
    expect(refused).toThrow(ConfigError);
    expect(refused).not.toThrow(/oops-a-key/);
    expect(readFileSync(`${file}.body-key`, 'utf8')).toBe('oops-a-key');
  });
});

import { readFile, stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { Secret } from '../../secret.js';
import { makeFolder, run, type SandboxProcess, startSandbox } from '../../testing/cli-runner.js';
import { answerJson, startServer } from '../../testing/test-server.js';
import { WEBHOOK_SCHEMES } from '../../webhooks/scheme.js';
import { signWebhook } from '../../webhooks/signature.js';
import { storeElsewhere } from '../files.js';

const KEY = 'whsec_c2l4dGVlbiBieXRlcyBvciBtb3JlIG9mIGtleQ==';
const OLD = new Date('2026-01-02T03:04:05Z');
let sandbox: SandboxProcess;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
});

describe('webhooks create', () => {
  it('stores the key in a private file, and shows it nowhere', async () => {
    await using folder = await makeFolder();
    const file = folder.at('hook.key');
    const args = ['webhooks', 'create', 'http://127.0.0.1:1/hooks', '--key-file', file];
    const { code, stdout, stderr } = await run([...args, '--verbose'], sandbox);
    const key = (await readFile(file, 'utf8')).trim();
    expect([code, key.length > 16]).toEqual([0, true]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(stdout + stderr).not.toContain(key);
    const again = await run(args, sandbox);
    expect([again.code, (await readFile(file, 'utf8')).trim()]).toEqual([2, key]);
  });

  it('asks for a place of the key before anything is sent', async () => {
    await using server = await startServer((response) => answerJson(response, {}));
    const env = { ...sandbox.env, PAY_PARTNER_BASE_URL: server.url };
    const noPlace = await run(['webhooks', 'create', 'http://127.0.0.1:1/'], { env });
    const wrong = ['webhooks', 'create', 'http://127.0.0.1:1/', '--key-file', '/nonexistent/k'];
    expect([noPlace.code, (await run(wrong, { env })).code]).toEqual([2, 6]);
    expect(server.requests).toEqual([]);
  });

  it('with a lost answer says what to do, and leaves no empty file', async () => {
    await using folder = await makeFolder();
    await sandbox.control('/faults', { operation: 'create-webhook', fault: 'drop-after-commit' });
    const args = ['webhooks', 'create', 'http://127.0.0.1:1/', '--key-file', folder.at('k')];
    const { code, stderr } = await run(args, sandbox);
    expect([code, stderr]).toEqual([3, expect.stringContaining('whose key was lost')]);
    await expect(stat(folder.at('k'))).rejects.toThrow('ENOENT');
  });

  it('puts a key whose file fails at the last moment next to the profiles', async () => {
    await using folder = await makeFolder();
    const key = new Secret('sixteen-bytes-or-more');
    const path = await storeElsewhere(key, 'wh/../1', folder.at('config.json'));
    expect(path).toBe(folder.at('webhook-wh____1.key'));
    expect([await readFile(path, 'utf8'), (await stat(path)).mode & 0o777]).toEqual([
      'sixteen-bytes-or-more\n',
      0o600,
    ]);
  });
});

describe('webhooks solve and verify', () => {
  async function capture(
    at: (name: string) => string,
    body: string,
    saved = body,
  ): Promise<{ delivery: string; key: string }> {
    const scheme = WEBHOOK_SCHEMES.standardWebhooks;
    const headers = await signWebhook(scheme, KEY, { body, id: 'msg_1', timestamp: OLD });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    await writeFile(at('d.http'), `POST /hooks HTTP/1.1\r\n${lines.join('')}\r\n${saved}`);
    await writeFile(at('k'), `${KEY}\n`);
    return { delivery: at('d.http'), key: at('k') };
  }

  it('find the scheme of a captured request offline, and verify with what was saved', async () => {
    await using folder = await makeFolder();
    const { delivery, key } = await capture(folder.at, '{ "event":\t"é" }');
    const files = ['--delivery', delivery, '--key-file', key];
    const solved = await run(['webhooks', 'solve', ...files, '--save', folder.at('s.json')]);
    expect([solved.code, solved.stdout]).toEqual([0, expect.stringContaining('{id}.{timestamp}')]);
    const verify = ['webhooks', 'verify', ...files, '--scheme', folder.at('s.json')];
    const old = await run(verify);
    expect([old.code, old.stdout]).toEqual([1, expect.stringContaining('too_old')]);
    const anyAge = await run([...verify, '--any-age']);
    expect([anyAge.code, anyAge.stdout]).toEqual([0, expect.stringMatching(/^valid/)]);
    const said = solved.stdout + solved.stderr + anyAge.stdout + anyAge.stderr;
    expect(said).not.toContain(KEY.slice(6));
  });

  it('forgive a line break that an editor added, and say so', async () => {
    await using folder = await makeFolder();
    const { delivery, key } = await capture(folder.at, '{}', '{}\r\n');
    const args = ['webhooks', 'solve', '--delivery', delivery, '--key-file', key];
    const { code, stderr } = await run(args);
    expect([code, stderr]).toEqual([0, expect.stringContaining('line break')]);
  });

  it('end with 1 when no scheme fits, and read JSON deliveries, too', async () => {
    await using folder = await makeFolder();
    const delivery = { headers: { 'x-signature': 'a'.repeat(64) }, body: '{}' };
    await writeFile(folder.at('d.json'), JSON.stringify(delivery));
    await writeFile(folder.at('k'), KEY);
    const args = ['--delivery', folder.at('d.json'), '--key-file', folder.at('k')];
    expect((await run(['webhooks', 'solve', ...args])).code).toBe(1);
    const result = await run(['webhooks', 'verify', ...args, '--scheme', 'bodyHex', '--json']);
    expect([result.code, JSON.parse(result.stdout)]).toEqual([
      1,
      { valid: false, reason: 'no_match' },
    ]);
  });
});

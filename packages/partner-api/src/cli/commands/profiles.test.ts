import { chmod, readFile, stat } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';

import { CANARY, makeFolder, run, startSandbox } from '../../testing/cli-runner.js';
import { askHidden } from '../keys.js';

describe('profiles', () => {
  it('keep a key in a private file, use it, and never show it', async () => {
    await using folder = await makeFolder();
    await using sandbox = await startSandbox();
    const env = { XDG_CONFIG_HOME: folder.at('config') };
    const path = folder.at('config/pay-partner/config.json');
    const address = ['--base-url', sandbox.url, '--environment', 'sandbox'];
    const set = ['profiles', 'set', 'mine', ...address, '--store-key', '--api-key-file', '-'];
    const stored = await run(set, { env, stdin: CANARY });
    expect([stored.code, (await stat(path)).mode & 0o777]).toEqual([0, 0o600]);
    expect(await readFile(path, 'utf8')).toContain(CANARY);
    expect((await run(['transactions', 'list', '--json'], { env })).code).toBe(0);
    const shown = [
      await run(['profiles', 'list'], { env }),
      await run(['profiles', 'show', 'mine', '--json'], { env }),
    ];
    expect(shown.map(({ code }) => code)).toEqual([0, 0]);
    expect(shown.map(({ stdout, stderr }) => stdout + stderr).join('')).not.toContain(CANARY);
  });

  it('are not read from a file with a key that others may read', async () => {
    await using folder = await makeFolder();
    const config = ['--config', folder.at('c.json')];
    const set = ['profiles', 'set', 'a', '--store-key', '--api-key-file', '-', ...config];
    await run(set, { stdin: CANARY });
    await chmod(folder.at('c.json'), 0o644);
    const { code, stderr } = await run(['profiles', 'list', ...config]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('chmod 600')]);
  });

  it('are not looked for elsewhere when the file that was named is missing', async () => {
    const env = { PAY_PARTNER_CONFIG: '/nonexistent/c.json' };
    for (const line of ['profiles list', 'transactions list --base-url https://h.example']) {
      const named = await run([...line.split(' '), '--config', '/nonexistent/b.json']);
      expect([named.code, named.stderr]).toEqual([
        2,
        expect.stringContaining('--config: there is'),
      ]);
      const inEnv = await run(line.split(' '), { env });
      expect([inEnv.code, inEnv.stderr]).toEqual([
        2,
        expect.stringContaining('PAY_PARTNER_CONFIG: '),
      ]);
    }
  });

  it('can be named, made the default and removed', async () => {
    await using folder = await makeFolder();
    const config = ['--config', folder.at('c.json')];
    for (const name of ['a', 'b']) {
      await run(['profiles', 'set', name, '--base-url', `https://${name}.example`, ...config]);
    }
    await run(['profiles', 'use', 'b', ...config]);
    const list = await run(['profiles', 'list', ...config]);
    expect(list.stdout).toMatch(/^\* {2}b/m);
    await run(['profiles', 'remove', 'b', ...config]);
    const gone = await run(['transactions', 'list', '--profile', 'b', ...config]);
    expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining('no profile b')]);
  });
});

describe('the hidden question', () => {
  const never = new AbortController().signal;

  function fakeTerminal(): {
    input: NodeJS.ReadStream;
    type: (text: string) => void;
    raw: boolean[];
  } {
    const raw: boolean[] = [];
    const stream = new PassThrough();
    const input = Object.assign(stream, { setRawMode: (mode: boolean) => raw.push(mode) });
    return {
      input: input as unknown as NodeJS.ReadStream,
      type: (text) => stream.write(text),
      raw,
    };
  }

  it('takes a key without showing a letter of it, and leaves the terminal as it was', async () => {
    const { input, type, raw } = fakeTerminal();
    const output = new PassThrough();
    const answer = askHidden('Key: ', input, output, never);
    type('secretx\u007f\r');
    expect(await answer).toBe('secret');
    expect(String(output.read())).toBe('Key: \n');
    expect(raw).toEqual([true, false]);
  });

  it('can be given up by Ctrl-D, and is interrupted by Ctrl-C', async () => {
    const first = fakeTerminal();
    const answer = askHidden('Key: ', first.input, new PassThrough(), never);
    first.type('sec\u0004');
    expect(await answer).toBeUndefined();
    const second = fakeTerminal();
    const interrupted = askHidden('Key: ', second.input, new PassThrough(), never);
    second.type('sec\u0003');
    await expect(interrupted).rejects.toThrow('interrupted');
    expect(second.raw).toEqual([true, false]);
  });

  it('ends when the process is asked to stop, once, and leaves the terminal as it was', async () => {
    const { input, type, raw } = fakeTerminal();
    const stopping = new AbortController();
    const answer = askHidden('Key: ', input, new PassThrough(), stopping.signal);
    type('sec');
    stopping.abort(new Error('stopped by SIGTERM'));
    await expect(answer).rejects.toThrow('interrupted');
    expect([raw, input.isPaused(), input.listenerCount('keypress')]).toEqual([
      [true, false],
      true,
      0,
    ]);
    const tooLate = askHidden('Key: ', input, new PassThrough(), stopping.signal);
    await expect(tooLate).rejects.toThrow('interrupted');
    expect(raw).toEqual([true, false]);
  });
});

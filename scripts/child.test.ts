import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';

const CHILD_MODULE = new URL('./child.mjs', import.meta.url).href;

/** A grandchild that says when it listens for signals, and which one ended it. */
const GRANDCHILD = `
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {
    console.log('ended by ' + signal);
    process.exit(7);
  });
  setInterval(() => {}, 1000);
  console.log('pid ' + process.pid);
`;

const PARENT = `
  const { spawnAndWait } = await import(${JSON.stringify(CHILD_MODULE)});
  process.exitCode = await spawnAndWait(process.execPath, ['-e', ${JSON.stringify(GRANDCHILD)}]);
`;

/** As npm does it: a shell between, which dies of a signal and passes nothing on. */
const SHELL = `
  const { spawn } = await import('node:child_process');
  spawn(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(PARENT)}], { stdio: 'inherit' });
`;

function start(code: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, ['--input-type=module', '-e', code], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function readUntil(child: ChildProcess, pattern: RegExp): Promise<string> {
  let text = '';
  for await (const part of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    text += String(part);
    const match = pattern.exec(text);
    if (match) return match[1] ?? '';
  }
  throw new Error(`It ended before it said ${pattern.source}: ${text}`);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe.skipIf(process.platform === 'win32')('a child process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends when only we are sent %s, and we end with its exit code',
    async (signal) => {
      const parent = start(PARENT);
      const pid = Number(await readUntil(parent, /pid (\d+)/));
      parent.kill(signal);
      const ended = readUntil(parent, /ended by (\w+)/);
      const [code] = (await once(parent, 'exit')) as [number];
      expect(await ended).toBe('SIGTERM');
      expect(code).toBe(7);
      expect(isAlive(pid)).toBe(false);
    },
  );

  it('ends when the shell that npm put between us is killed', async () => {
    const shell = start(SHELL, { npm_lifecycle_event: 'start' });
    const pid = Number(await readUntil(shell, /pid (\d+)/));
    shell.kill('SIGKILL');
    expect(await readUntil(shell, /ended by (\w+)/)).toBe('SIGTERM');
    await once(shell, 'close');
    expect(isAlive(pid)).toBe(false);
  });
});

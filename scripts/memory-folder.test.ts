import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { ROOT } from './child.mjs';
import { hasMemory } from './memory-folder.mjs';

const script = `
  import { tmpdir } from 'node:os';
  import { keepTemporaryFilesInMemory } from ${JSON.stringify(join(ROOT, 'scripts/memory-folder.mjs'))};
  keepTemporaryFilesInMemory();
  console.log(tmpdir());
  process.stdin.resume();
  process.stdin.on('end', () => process.exit(3));
`;

/** A process that has called it; answers the folder for its temporary files. */
async function start(env: NodeJS.ProcessEnv = {}) {
  const { TMPDIR: _ours, ...others } = process.env;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...others, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [folder] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, folder };
}

describe.runIf(hasMemory())('the folder for temporary files in memory', () => {
  it('is of the process alone, can be searched by other users, and goes with it', async () => {
    const { child, folder } = await start();
    expect(folder).toMatch(new RegExp(`^/dev/shm/pay-checkout-\\d+-${String(child.pid)}-`));
    expect(statSync(folder).mode & 0o777).toBe(0o711);
    writeFileSync(join(folder, 'data'), 'x');
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([3, null]);
    expect(existsSync(folder)).toBe(false);
  });

  it('of a process that was killed goes with the next', async () => {
    const killed = await start();
    killed.child.kill('SIGKILL');
    await once(killed.child, 'exit');
    expect(existsSync(killed.folder)).toBe(true);
    const running = await start();
    const next = await start();
    expect(existsSync(killed.folder)).toBe(false);
    expect(existsSync(running.folder)).toBe(true);
    for (const { child } of [running, next]) {
      child.stdin.end();
      await once(child, 'exit');
    }
  });

  it('is not made where TMPDIR names one', async () => {
    const ours = import.meta.dirname;
    const { child, folder } = await start({ TMPDIR: ours });
    expect(folder).toBe(ours);
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([3, null]);
    expect(existsSync(ours)).toBe(true);
  });
});

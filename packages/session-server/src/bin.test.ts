import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { TestStack } from './testing/test-stack.js';

const PROGRAM = fileURLToPath(new URL('../dist/bin.js', import.meta.url));

/** Runs `pay-session-server --version` as a Node that says it has this version. */
function run(version: string) {
  const claim = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(claim)}`, PROGRAM];
  return spawnSync(process.execPath, [...args, '--version'], { encoding: 'utf8' });
}

describe('pay-session-server', () => {
  it.each(['18.20.8', '20.20.2', '22.18.0'])(
    'says in one sentence that Node %s is too old',
    (old) => {
      const { status, stdout, stderr } = run(old);
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toBe(
        `pay-session-server: it needs Node 22.19 or newer; this is Node ${old}.\n`,
      );
    },
  );

  it.each(['22.19.0', '24.0.0'])('runs on Node %s', (version) => {
    expect(run(version)).toMatchObject({ status: 0, stdout: '0.0.0\n', stderr: '' });
  });

  it('starts as a process of its own, and answers shoppers and operators', async () => {
    const stack = await TestStack.start();
    const files = { PAY_DATABASE_FILE: `${stack.databaseFile}-other` };
    const env = { ...stack.env, ...files, PAY_OPERATOR_PORT: '0' };
    const program = fork(PROGRAM, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    try {
      const said = await Promise.race([once(program, 'message'), once(program, 'exit')]);
      const [ports] = said as [{ port: number; operatorPort: number }];
      const statusOf = async (port: number, path: string) =>
        (await fetch(`http://127.0.0.1:${String(port)}${path}`)).status;
      expect(await statusOf(ports.port, '/v1/checkout-config?merchant=teashop')).toBe(200);
      expect(await statusOf(ports.operatorPort, '/metrics')).toBe(200);
    } finally {
      program.kill('SIGKILL');
      await stack.close();
    }
  });
});

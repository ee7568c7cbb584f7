import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));

it.each([
  ['starts as a process of its own, and answers', [], 'every-field'],
  ['takes the seed of an unkind provider', ['--adversarial', '7'], 'mixed'],
])('the built program %s', async (_what, args, variant) => {
  const program = fork(PROGRAM, args, {
    env: { SANDBOX_PORT: '0', SANDBOX_API_KEY: 'a-key-of-a-test' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  try {
    const said = await Promise.race([once(program, 'message'), once(program, 'exit')]);
    const [{ port }] = said as [{ port: number }];
    const url = `http://127.0.0.1:${String(port)}`;
    expect((await fetch(url)).status).toBe(200);
    const { switches } = (await (await fetch(`${url}/_sandbox/switches`)).json()) as {
      switches: { name: string; value: unknown }[];
    };
    expect(switches.find(({ name }) => name === 'transactionVariant')?.value).toBe(variant);
  } finally {
    program.kill('SIGKILL');
  }
});

it.each([
  [['--adversarial'], "--adversarial <value>' argument missing"],
  [['--adversarial', ''], 'SANDBOX_ADVERSARIAL: expected a seed: any text.'],
])('the built program with %j does not start, and says why', (args, why) => {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    env: { SANDBOX_API_KEY: 'a-key-of-a-test' },
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([1, expect.stringContaining(why)]);
});

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));

it('the built program starts as a process of its own, and answers', async () => {
  const program = fork(PROGRAM, {
    env: { SANDBOX_PORT: '0', SANDBOX_API_KEY: 'a-key-of-a-test' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  try {
    const said = await Promise.race([once(program, 'message'), once(program, 'exit')]);
    const [{ port }] = said as [{ port: number }];
    expect((await fetch(`http://127.0.0.1:${String(port)}/`)).status).toBe(200);
  } finally {
    program.kill('SIGKILL');
  }
});

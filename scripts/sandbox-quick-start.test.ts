/** The commands of docs/sandbox.md, run as they stand there, but for the port and the names of the programs. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './committed-files.mjs';

const page = readFileSync(join(ROOT, 'docs/sandbox.md'), 'utf8');
const [start = '', pay = ''] = [...page.matchAll(/```sh\n([^]*?)```/g)].map(
  ([, code = '']) => code,
);
const { PATH } = process.env;

/** What npx would run. */
const withPrograms = (code: string): string =>
  code
    .replace(/^npm install .*$/m, '')
    .replaceAll('npx @pay-checkout/sandbox', 'exec_node packages/sandbox/dist/main.js')
    .replaceAll('npx @pay-checkout/partner-api', 'exec_node packages/partner-api/dist/cli/bin.js')
    .replaceAll('exec_node', `"${process.execPath}"`);

it('a developer who has nothing starts the sandbox, and pays by a command', async () => {
  const child = spawn('sh', ['-c', withPrograms(start)], {
    cwd: ROOT,
    env: { PATH, SANDBOX_PORT: '0' },
    detached: true,
  });
  try {
    const [text] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    const url = /Its page: +(http:\/\/127\.0\.0\.1:\d+)\//.exec(text)?.[1] ?? '';
    expect(text).toMatch(/Its key: +invented-key\n +pay-partner: +export PAY_PARTNER_/);
    const env = { PATH, SANDBOX_URL: url };
    const code = withPrograms(pay).replaceAll('http://127.0.0.1:4300', url);
    const { stdout, stderr } = spawnSync('sh', ['-ec', code], { cwd: ROOT, env, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/"outcome": "approved"[^]*txn_\S+ +12\.34 +GBP +SUCCESS/);
  } finally {
    process.kill(-(child.pid ?? 0));
    await once(child, 'exit');
  }
});

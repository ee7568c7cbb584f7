import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/bin.js', import.meta.url));

/** Runs `pay-partner --version` as a Node that says it has this version. */
function run(version: string) {
  const claim = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(claim)}`, PROGRAM];
  return spawnSync(process.execPath, [...args, '--version'], { encoding: 'utf8' });
}

describe('pay-partner', () => {
  it.each(['20.20.2', '22.18.0'])('says in one sentence that Node %s is too old', (old) => {
    const { status, stdout, stderr } = run(old);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toBe(`pay-partner needs Node 22.19 or newer; this is Node ${old}.\n`);
  });

  it.each(['22.19.0', '24.0.0'])('runs on Node %s', (version) => {
    expect(run(version)).toMatchObject({ status: 0, stdout: '0.0.0\n', stderr: '' });
  });
});

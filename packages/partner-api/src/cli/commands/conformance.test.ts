import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startServer } from '../../testing/test-server.js';
import { makeFolder, run, type SandboxProcess, startSandbox } from '../../testing/cli-runner.js';

const READS = ['conformance', '--partner-name', 'harbour-lane'];
let sandbox: SandboxProcess;

beforeAll(async () => {
  sandbox = await startSandbox({
    SANDBOX_TRANSACTIONS: '400',
    SANDBOX_TRANSACTION_VARIANT: 'mixed',
  });
});

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
});

async function writesSeen(): Promise<string[]> {
  const seen = await fetch(`${sandbox.url}/_sandbox/requests`).then((reply) => reply.text());
  const { requests } = JSON.parse(seen) as { requests: { operation: string }[] };
  const reads = ['transactions-list', 'scheduled-transfers', 'partner-analytics'];
  return requests.map(({ operation }) => operation).filter((name) => !reads.includes(name));
}

describe('conformance', () => {
  it('finds that the sandbox does what the document says, and only reads', async () => {
    const { code, stdout } = await run(READS, sandbox);
    expect([code, stdout]).toEqual([0, expect.not.stringMatching(/FAIL|ERR/)]);
    expect(stdout).toMatch(/Drift from the document\nnone\n$/);
    expect(await writesSeen()).toEqual([]);
  });

  it('tries what changes something only with --write', async () => {
    await using folder = await makeFolder();
    const ids = ['--merchant-id', '1001', '--schedule-id', 'sch_1001_daily'];
    const hook = ['--webhook-url', 'http://127.0.0.1:1/', '--key-file', folder.at('k')];
    const { code, stdout } = await run([...READS, '--write', ...ids, ...hook, '--json'], sandbox);
    const { results } = JSON.parse(stdout) as { results: { result: string }[] };
    expect([code, new Set(results.map(({ result }) => result))]).toEqual([
      0,
      new Set(['conforms']),
    ]);
    expect(new Set(await writesSeen()).size).toBe(5);
  });

  it('counts unlisted fields and other types without a value, and fails for the types', async () => {
    const order = { operation: 'transactions-list', times: 2 };
    await sandbox.control('/faults', { ...order, fault: 'unknown-field' });
    const fields = await run(READS, sandbox);
    expect([fields.code, fields.stdout]).toEqual([0, expect.stringMatching(/not listed: data\./)]);
    expect(fields.stderr).not.toContain('Drift');
    await sandbox.control('/faults', { ...order, fault: 'unknown-field' });
    expect((await run([...READS, '--strict'], sandbox)).code).toBe(5);
    await sandbox.control('/faults', { operation: 'partner-analytics', fault: 'wrong-type' });
    const types = await run(READS, sandbox);
    expect([types.code, types.stdout]).toEqual([5, expect.stringContaining('another type: ')]);
  });

  it.each([
    ['no JSON', '{"data":', /FAIL {2}4\.1 {2}gives a page.*not valid JSON/],
    ['no rows', '{"data":{}}', /FAIL {2}4\.1 {2}gives a page.*data\.transactions/],
    [
      'no pagination',
      '{"data":{"transactions":[]}}',
      /FAIL.*missing_pagination[^]*pagination: nothing/,
    ],
  ])('reports a first page with %s, and goes on', async (_title, body, words) => {
    await using server = await startServer((response) => response.end(body));
    const env = { ...sandbox.env, PAY_PARTNER_BASE_URL: server.url };
    const { code, stdout } = await run([...READS, '--retries', '0'], { env });
    expect([code, stdout]).toEqual([5, expect.stringMatching(words)]);
    expect(stdout.split('\n').length).toBeGreaterThan(15);
  });

  it('goes on after a check that deviates', async () => {
    await sandbox.control('/faults', { operation: 'partner-analytics', fault: 'html' });
    const { code, stdout } = await run([...READS, '--retries', '0'], sandbox);
    expect([code, stdout]).toEqual([5, expect.stringMatching(/ERR .*4\.5.*\n(.*\n)*ok .*4\.5/)]);
  });
});

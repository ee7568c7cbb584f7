import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

import { CANARY, makeFolder, run, spawnCli, startSandbox } from '../../testing/cli-runner.js';
import { startProxy } from '../../testing/proxy-server.js';
import {
  answerJson,
  findDeadUrl,
  type SeenRequest,
  startServer,
  type TestServer,
} from '../../testing/test-server.js';
import { WEBHOOK_SCHEMES } from '../../webhooks/scheme.js';
import { verifyWebhook } from '../../webhooks/signature.js';
import { checkClock } from '../doctor-checks.js';

const KEY = 'whsec_c2l4dGVlbiBieXRlcyBvciBtb3JlIG9mIGtleQ==';
const SCHEME = WEBHOOK_SCHEMES.standardWebhooks;

/** An endpoint that verifies what `read` makes of the body. */
function startEndpoint(read: (request: SeenRequest) => string | undefined): Promise<TestServer> {
  return startServer((response, request) => {
    const body = read(request);
    if (body === undefined) return answerJson(response, {});
    void verifyWebhook(SCHEME, [{ key: KEY }], { headers: request.headers, body }).then(
      ({ valid }) => answerJson(response, {}, valid ? 204 : 401),
    );
  });
}

async function examine(endpoint: TestServer): Promise<{ code: number | null; stdout: string }> {
  await using folder = await makeFolder();
  await writeFile(folder.at('k'), KEY);
  const env = { PAY_PARTNER_BASE_URL: await findDeadUrl(), PAY_PARTNER_API_KEY: CANARY };
  const { code, stdout, stderr } = await run(
    ['doctor', '--retries', '0', '--webhook-url', `${endpoint.url}/hooks`].concat([
      '--webhook-key-file',
      folder.at('k'),
      '--scheme',
      'standardWebhooks',
    ]),
    { env },
  );
  expect(stdout + stderr).not.toContain(KEY.slice(6));
  return { code, stdout };
}

describe('doctor', () => {
  it('finds nothing wrong with the sandbox, and sends it nothing but reads', async () => {
    await using sandbox = await startSandbox({ SANDBOX_TRANSACTIONS: '3' });
    const { code, stdout } = await run(['doctor', '--merchant-id', '1001'], sandbox);
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('FAIL')]);
    const seen = await fetch(`${sandbox.url}/_sandbox/requests`).then((reply) => reply.text());
    const { requests } = JSON.parse(seen) as { requests: { operation: string }[] };
    const operations = new Set(requests.map(({ operation }) => operation));
    expect(operations).toEqual(new Set(['transactions-list', 'scheduled-transfers']));
  });

  it('knows a host that does not answer, a doubled path and http in production', async () => {
    const dead = await findDeadUrl();
    const env = { PAY_PARTNER_BASE_URL: `${dead}/v1`, PAY_PARTNER_API_KEY: '<API_KEY>' };
    const { code, stdout } = await run(['doctor', '--retries', '0', '--json'], { env });
    const { findings } = JSON.parse(stdout) as { findings: { check: string; fix?: string }[] };
    const fixOf = (check: string): string | undefined =>
      findings.find((finding) => finding.check === check)?.fix;
    expect(code).toBe(5);
    expect(fixOf('API key')).toContain('placeholder');
    expect(fixOf('address of transactions.list')).toContain('Take /v1 out of --base-url');
    expect(fixOf(`host ${new URL(dead).host}`)).toContain('Nothing listens there');
    const http = { PAY_PARTNER_BASE_URL: dead, PAY_PARTNER_API_KEY: CANARY };
    const args = ['doctor', '--retries', '0', '--environment', 'production'];
    expect((await run(args, { env: http })).stdout).toContain('Use https in --base-url');
  });

  it('reports how far the clocks are apart', () => {
    const now = Date.parse('2026-03-01T12:00:00Z');
    const late = checkClock(new URL('https://api.example'), 'Sun, 01 Mar 2026 12:01:30 GMT', now);
    expect(late).toMatchObject({ result: 'fail', detail: 'ours is 90 s behind' });
    const fine = checkClock(new URL('https://api.example'), 'Sun, 01 Mar 2026 12:00:02 GMT', now);
    expect(fine.result).toBe('ok');
  });

  it('is content with an endpoint that verifies raw bytes', async () => {
    await using endpoint = await startEndpoint(({ body }) => body);
    const { stdout } = await examine(endpoint);
    expect(stdout).toContain('takes a signed delivery with odd spaces (204)');
    expect(stdout).toContain('forged delivery: is refused (401)');
  });

  it('reaches the endpoint as the client reaches the provider: through the proxy', async () => {
    await using endpoint = await startEndpoint(({ body }) => body);
    await using proxy = await startProxy();
    await using folder = await makeFolder();
    await writeFile(folder.at('k'), KEY);
    const hook = `${endpoint.url}/hooks`;
    const { stdout } = await spawnCli(
      ['doctor', '--webhook-url', hook, '--scheme', 'standardWebhooks'].concat([
        '--webhook-key-file',
        folder.at('k'),
      ]),
      {
        PAY_PARTNER_BASE_URL: endpoint.url,
        PAY_PARTNER_API_KEY: CANARY,
        NODE_USE_ENV_PROXY: '1',
        HTTP_PROXY: proxy.url,
      },
    );
    expect(stdout).toContain('takes a signed delivery with odd spaces (204)');
    expect(new Set(proxy.asked)).toEqual(new Set([new URL(endpoint.url).host]));
  });

  it('knows an endpoint that verifies a parsed body, and names the fix', async () => {
    await using endpoint = await startEndpoint(({ body }) =>
      JSON.stringify(JSON.parse(body) as unknown),
    );
    const { code, stdout } = await examine(endpoint);
    expect([code, stdout]).toEqual([5, expect.stringContaining('express.raw')]);
  });

  it('knows an endpoint that verifies nothing', async () => {
    await using endpoint = await startEndpoint(() => undefined);
    const { stdout } = await examine(endpoint);
    expect(stdout).toMatch(/FAIL {2}forged delivery: .* is taken too \(200\)/);
  });
});

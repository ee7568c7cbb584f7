import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

import { startProxy } from '../testing/proxy-server.js';
import { answerJson, pageOf, startServer } from '../testing/test-server.js';

const run = promisify(execFile);
const script = fileURLToPath(new URL('../testing/list-once.mjs', import.meta.url));

describe('proxies of the environment', () => {
  it.each([
    [{ NODE_USE_ENV_PROXY: '1' }, 1],
    [{ NODE_USE_ENV_PROXY: '1', NO_PROXY: '127.0.0.1' }, 0],
    [{}, 0],
  ])('are used when Node is set to use them (%j)', async (env, times) => {
    await using server = await startServer((response) => answerJson(response, pageOf()));
    await using proxy = await startProxy();
    const { stdout } = await run(process.execPath, [script, server.url], {
      env: { ...env, HTTP_PROXY: proxy.url },
    });
    expect(stdout).toBe('');
    expect(proxy.asked).toHaveLength(times);
    expect(server.requests).toHaveLength(1);
  });

  it('that refuse a tunnel never saw the request: nothing was sent, and no key', async () => {
    await using proxy = await startProxy();
    const { stdout } = await run(process.execPath, [script, 'https://provider.example'], {
      env: { NODE_USE_ENV_PROXY: '1', https_proxy: proxy.url },
    });
    expect(stdout.trim()).toBe('ConnectionError not_sent');
    expect(proxy.asked[0]).toBe('provider.example:443');
  });
});

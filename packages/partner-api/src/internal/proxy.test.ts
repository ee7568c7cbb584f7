import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

import { NodeTransport } from '../node.js';
import { startProxy } from '../testing/proxy-server.js';
import { answerJson, clientOf, failureOf, pageOf, startServer } from '../testing/test-server.js';
import { knowsProxies } from './proxy.js';

describe('proxies', () => {
  it('given as proxyEnv are used, but for the hosts of NO_PROXY', async () => {
    await using server = await startServer((response) => answerJson(response, pageOf()));
    await using proxy = await startProxy();
    const transport = new NodeTransport({ proxyEnv: { HTTP_PROXY: proxy.url } });
    await clientOf(server.url, { transport }).transactions.list();
    expect(proxy.asked).toEqual([`POST ${server.url}/v1/transactions/list`]);
    const direct = new NodeTransport({
      proxyEnv: { HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1' },
    });
    await clientOf(server.url, { transport: direct }).transactions.list();
    expect(proxy.asked).toHaveLength(1);
    expect(server.requests).toHaveLength(2);
  });

  it('that refuse a tunnel never saw the request: nothing was sent, and no key', async () => {
    await using proxy = await startProxy();
    const transport = new NodeTransport({ proxyEnv: { https_proxy: proxy.url } });
    const client = clientOf('https://provider.example', { transport, maxRetries: 0 });
    const session = client.checkoutSessions.create({ merchant_id: 1, order_id: 2 });
    expect(await failureOf(session)).toMatchObject({
      name: 'ConnectionError',
      outcome: 'not_sent',
    });
    expect(proxy.asked).toEqual(['CONNECT provider.example:443']);
  });

  it.each(['gate.example:8080', 'socks5://127.0.0.1:9', '::odd::'])(
    'that cannot be used (%s) are refused by name, and never passed by',
    (address) => {
      const make = () => new NodeTransport({ proxyEnv: { https_proxy: address } });
      expect(make).toThrow('proxyEnv.https_proxy must be an address such as http://');
      expect(make).not.toThrow(address);
      expect(
        () => new NodeTransport({ proxyEnv: { https_proxy: '', HTTP_PROXY: '' } }),
      ).not.toThrow();
    },
  );

  it.each([
    [{ NODE_USE_ENV_PROXY: '1' }, 1],
    [{}, 0],
  ])('of the environment are used when Node is told to (%j)', async (env, times) => {
    await using server = await startServer((response) => answerJson(response, pageOf()));
    await using proxy = await startProxy();
    const script = fileURLToPath(new URL('../testing/list-once.mjs', import.meta.url));
    await promisify(execFile)(process.execPath, [script, server.url], {
      env: { ...env, HTTP_PROXY: proxy.url },
    });
    expect(proxy.asked).toHaveLength(times);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['22.19.0', false],
    ['22.21.0', true],
    ['23.11.0', false],
    ['24.4.1', false],
    ['24.5.0', true],
    ['26.0.0', true],
  ])('are known to Node %s: %s', (version, known) => {
    expect(knowsProxies(version)).toBe(known);
  });
});

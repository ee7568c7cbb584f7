import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssetsReply, CreateCheckoutReply, PutOrderReply } from '../contract.js';
import { SHOP_ORIGIN, TestStack } from '../testing/test-stack.js';
import { writeWidgetScript } from '../testing/widget-script.js';

const BROWSER = 'gzip, deflate, br, zstd';
const OPERATOR_KEY = 'operator-key-for-tests-of-thirty-two-characters';
const SCRIPT = Array.from({ length: 2000 }, (_, line) => `const line${line} = ${line * 7};`).join(
  '\n',
);
const folder = mkdtempSync(join(tmpdir(), 'compress-'));

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start({
    merchant: { orderLookup: undefined },
    env: {
      PAY_WIDGET_SCRIPT: writeWidgetScript(folder, SCRIPT),
      PAY_OPERATOR_PORT: '0',
      PAY_OPERATOR_KEY: OPERATOR_KEY,
    },
  });
});
afterAll(async () => {
  await stack.close();
  rmSync(folder, { recursive: true });
});

interface Ask {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly port?: number | undefined;
}

/** As it comes over the wire: `fetch` hides what is compressed. */
async function ask({ path, method = 'GET', headers = {}, body, port = stack.server.port }: Ask) {
  const request = send({
    ...{ host: '127.0.0.1', port, path, method },
    headers: { 'accept-encoding': BROWSER, 'content-type': 'application/json', ...headers },
  });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
  const bytes = await buffer(response);
  const encoding = response.headers['content-encoding'];
  const plain =
    encoding === 'br'
      ? brotliDecompressSync(bytes)
      : encoding === 'gzip'
        ? gunzipSync(bytes)
        : bytes;
  return { headers: response.headers, bytes, encoding, text: plain.toString('utf8') };
}

describe('the element’s script', () => {
  it.each([
    [BROWSER, 'br'],
    ['gzip', 'gzip'],
    ['', undefined],
    ['deflate', undefined],
    ['br;q=0, gzip;q=0', undefined],
  ])(
    'for a browser that accepts "%s" is sent as %s, with its length',
    async (accepts, expected) => {
      const answer = await ask({ path: '/v1/pay-checkout.json' });
      const { script, integrity } = JSON.parse(answer.text) as AssetsReply;
      for (const path of ['/v1/pay-checkout.js', script]) {
        const { headers, bytes, encoding, text } = await ask({
          path,
          headers: { 'accept-encoding': accepts },
        });
        expect(encoding).toBe(expected);
        expect(Number(headers['content-length'])).toBe(bytes.length);
        expect(headers.vary?.toLowerCase()).toContain('accept-encoding');
        expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
        expect(text).toBe(SCRIPT);
        expect(`sha384-${createHash('sha384').update(text).digest('base64')}`).toBe(integrity);
        if (expected !== undefined) expect(bytes.length).toBeLessThan(SCRIPT.length / 3);
      }
    },
  );
});

describe('what everyone may read', () => {
  const merchant = () => ({ authorization: `Bearer ${stack.merchantKey}` });
  const operator = { authorization: `Bearer ${OPERATOR_KEY}` };

  it('is compressed from 1 kB on, and says that it depends on what is accepted', async () => {
    for (let order = 0; order < 10; order += 1) {
      const path = `/v1/merchant/orders/C${order}`;
      const body = { amount: '9.99', currency: 'GBP' };
      await ask({ path, method: 'PUT', headers: merchant(), body });
    }
    const port = stack.server.operatorPort;
    const asked: Ask[] = [
      { path: '/v1/pay-checkout.json' },
      { path: '/v1/languages/de' },
      { path: '/v1/assets/page.css' },
      { path: '/v1/assets/hosted.js' },
      { path: '/openapi.json' },
      { path: '/v1/merchant/orders', headers: merchant() },
      { path: '/metrics', headers: operator, port },
      { path: '/operator/health', headers: operator, port },
    ];
    for (const one of asked) {
      const { headers, bytes, encoding, text } = await ask(one);
      expect(encoding, one.path).toBe(text.length >= 1024 ? 'br' : undefined);
      expect(bytes.length, one.path).toBeLessThanOrEqual(text.length);
      expect(headers.vary?.toLowerCase(), one.path).toContain('accept-encoding');
      const plain = await ask({
        ...one,
        headers: { ...one.headers, 'accept-encoding': 'identity' },
      });
      expect(plain.encoding, one.path).toBeUndefined();
    }
  });

  it('holds no session and no token, as no answer does that is compressed', async () => {
    const long = 'L'.repeat(60);
    const headers = { ...merchant(), origin: SHOP_ORIGIN };
    const body = { amount: '9.99', currency: 'GBP' };
    const put = await ask({ path: `/v1/merchant/orders/${long}`, method: 'PUT', headers, body });
    const { orderToken } = JSON.parse(put.text) as PutOrderReply;
    const wanted = { merchant: 'teashop', order: long, orderToken };
    const opened = await ask({ path: '/v1/checkouts', method: 'POST', headers, body: wanted });
    const { checkout, sessionId = '' } = JSON.parse(opened.text) as CreateCheckoutReply;
    const returned = stack.returnPath(sessionId, 'RedirectUrl');
    const secret = [put, opened, await ask({ path: `/v1/pay/teashop/${orderToken}` })];
    for (const { text, encoding } of secret) {
      expect(text.includes(orderToken) || text.includes(sessionId)).toBe(true);
      expect(encoding).toBeUndefined();
    }
    const port = stack.server.operatorPort;
    const others = [
      await ask({ path: returned }),
      await ask({ path: `/v1/checkouts?id=${checkout}:0` }),
      await ask({ path: '/v1/checkout-config?merchant=teashop' }),
      await ask({ path: `/v1/merchant/orders/${long}`, headers }),
      await ask({ path: '/v1/merchant/orders', headers }),
      await ask({ path: '/v1/merchant/events', headers }),
      await ask({ path: `/operator/orders/teashop/${long}`, headers: operator, port }),
    ];
    const secrets = [orderToken, sessionId, returned.split('/').at(-1) ?? '', stack.merchantKey];
    for (const { text } of others) {
      for (const one of secrets) expect(text).not.toContain(one);
    }
  });
});

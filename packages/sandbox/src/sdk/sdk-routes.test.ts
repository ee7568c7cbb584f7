import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { startSandbox } from '../testing/test-sandbox.js';
import { SDK_INTEGRITY } from './sdk-routes.js';

it('serves the SDK to every origin, so that integrity can be checked', async () => {
  const test = await startSandbox();
  const { status, headers, text } = await test.send('GET', '/sdk/checkout.js');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toContain('text/javascript');
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  expect(`sha384-${createHash('sha384').update(text).digest('base64')}`).toBe(SDK_INTEGRITY);
});

it('is a classic script that defines PaySandbox.configure', async () => {
  const test = await startSandbox();
  const { text } = await test.send('GET', '/sdk/checkout.js');
  class HTMLScriptElement {
    readonly src = 'http://sandbox.localhost:4300/sdk/checkout.js';
  }
  const window: { PaySandbox?: { configure(argument: unknown): Promise<unknown> } } = {};
  const visited: string[] = [];
  runInNewContext(text, {
    window,
    HTMLScriptElement,
    URL,
    document: { currentScript: new HTMLScriptElement() },
    location: { assign: (url: string) => visited.push(url) },
  });
  await expect(window.PaySandbox?.configure({})).rejects.toThrow('session_id');
  await window.PaySandbox?.configure({ session_id: 'abc' });
  expect(visited).toEqual(['http://sandbox.localhost:4300/pages/pay/abc']);
});

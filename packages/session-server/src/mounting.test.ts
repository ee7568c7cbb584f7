import express from 'express';
import { afterEach, expect, it } from 'vitest';
import { createSessionServer } from './server.js';
import { LocalServer } from './testing/local-server.js';
import { TestStack } from './testing/test-stack.js';

let stack: TestStack;
afterEach(() => stack.close());

/** Puts the router into an app of the platform, in the place of the server that listens. */
async function mount(): Promise<void> {
  stack = await TestStack.start();
  await stack.server.close();
  const payments = await createSessionServer(stack.config, { clock: stack.clock });
  const app = express();
  app.get('/cart', (_request, response) => void response.send('the platform’s own page'));
  app.use(payments.router);
  app.use(express.json());
  app.post('/stock', (request, response) => {
    response.json({ received: request.body as unknown });
  });
  const local = await LocalServer.start(app);
  stack.server = {
    port: local.port,
    operatorPort: undefined,
    closeBehindProxies: () => Promise.reject(new Error('the platform ends its own server')),
    async close() {
      await local.close();
      await payments.close();
    },
  };
}

it('an order is paid through a router in the app of a platform', async () => {
  await mount();
  const { body } = await stack.open('A1', { amount: '9.99' });
  await stack.payAtProvider(body.sessionId ?? '');
  const returnPath = stack.returnPath(body.sessionId ?? '', 'RedirectUrl');
  expect((await stack.fetch(returnPath)).status).toBe(200);
  expect((await stack.post(stack.webhookPath(body.sessionId ?? ''), { any: 'body' })).status).toBe(
    204,
  );
  await stack.until(body.checkout, 'paid');
});

it('a platform keeps its own addresses, headers and 404 beside the router', async () => {
  await mount();
  const cart = await stack.fetch('/cart');
  expect(cart.text).toBe('the platform’s own page');
  expect((await stack.post<object>('/stock', { tea: 3 })).body).toEqual({ received: { tea: 3 } });
  const missing = await stack.fetch('/elsewhere');
  expect([missing.status, missing.headers.get('content-type')]).toEqual([
    404,
    'text/html; charset=utf-8',
  ]);
  expect(missing.headers.get('x-request-id')).toBeNull();
  const ours = await stack.fetch<{ code: string }>('/v1/elsewhere');
  expect([ours.status, ours.body.code]).toEqual([404, 'not_found']);
});

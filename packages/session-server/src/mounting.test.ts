import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import express, { type Express, type Router } from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import type { Problem } from './contract.js';
import { createSessionServer } from './server.js';
import { LocalServer } from './testing/local-server.js';
import { TestStack } from './testing/test-stack.js';

let stack: TestStack;

/**
 * Puts the router into an app of the platform, in the place of the server that listens.
 *
 * @param use mounts it; default: at the root
 */
async function mount(
  use: (app: Express, router: Router) => void = (app, router) => void app.use(router),
): Promise<void> {
  stack = await TestStack.start();
  await stack.server.close();
  const payments = await createSessionServer(stack.config, { clock: stack.clock });
  const app = express();
  app.get('/cart', (_request, response) => void response.send('the platform’s own page'));
  use(app, payments.router);
  app.use(express.json());
  app.post('/stock', (request, response) => {
    response.json({ received: request.body as unknown });
  });
  const local = await LocalServer.start(app);
  stack.server = {
    port: local.port,
    operatorPort: undefined,
    dashboardPort: undefined,
    closeBehindProxies: () => Promise.reject(new Error('the platform ends its own server')),
    async close() {
      await local.close();
      await payments.close();
    },
  };
}

describe('a platform that mounts the router', () => {
  afterEach(() => stack.close());

  it('an order is paid through a router in the app of a platform', async () => {
    await mount();
    const { body } = await stack.open('A1', { amount: '9.99' });
    await stack.payAtProvider(body.sessionId ?? '');
    const returnPath = stack.returnPath(body.sessionId ?? '', 'RedirectUrl');
    expect((await stack.fetch(returnPath)).status).toBe(200);
    expect(
      (await stack.post(stack.webhookPath(body.sessionId ?? ''), { any: 'body' })).status,
    ).toBe(204);
    await stack.until(body.checkout, 'paid');
  });

  it('a platform keeps its own addresses, headers and 404 next to the router', async () => {
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

  it('is told at the first request that the router is mounted below a path', async () => {
    await mount((app, router) => void app.use('/pay', router));
    const { status, body } = await stack.fetch<Problem>('/pay/v1/checkout-config?merchant=teashop');
    expect([status, body.code]).toEqual([500, 'internal_error']);
    expect(body.detail).toBe(
      'The router is mounted at "/pay". Mount it at the root: app.use(router).',
    );
  });

  it('is told at the first body that a parser was there before the router', async () => {
    await mount((app, router) => void app.use(express.json(), router));
    const { body } = await stack.post<Problem>('/v1/webhooks/any', { event: 'test' });
    expect(body.detail).toContain('Mount the router before body parsers.');
    const { status } = await stack.fetch('/v1/checkout-config?merchant=teashop');
    expect(status).toBe(200);
  });

  it('has requests to our addresses refused that name two hosts', async () => {
    await mount();
    const statusOf = async (path: string) => {
      const asked = `GET ${path} HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n`;
      const socket = connect(stack.server.port, '127.0.0.1', () => socket.write(asked));
      return Number((await text(socket)).split(' ')[1]);
    };
    expect(await statusOf('/v1/checkout-config?merchant=teashop')).toBe(400);
    expect(await statusOf('/healthz')).toBe(400);
    expect(await statusOf('/cart')).toBe(200);
  });
});

describe('a process that imports the built package', () => {
  /** The files of ours that are loaded with an entry of the package. */
  const filesOf = (entry: string): string[] => {
    const program = `
      import { registerHooks } from 'node:module';
      const files = [];
      registerHooks({
        load(url, context, next) {
          files.push(url);
          return next(url, context);
        },
      });
      await import('${entry}');
      console.log(JSON.stringify(files));`;
    const cwd = join(import.meta.dirname, '..');
    const args = ['--input-type=module', '--eval', program];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
    expect(stderr).toBe('');
    return JSON.parse(stdout) as string[];
  };

  it('loads the operator’s package, and what it uses of the server, only when it is asked for', () => {
    const files = filesOf('@pay-checkout/session-server');
    expect(files.join('\n')).toContain('/session-server/dist/server.js');
    expect(files.filter((file) => /\/operator\/|\/internals\.js$/.test(file))).toEqual([]);
    expect(filesOf('@pay-checkout/operator').join('\n')).toContain('/operator/dist/page-routes.js');
  });
});

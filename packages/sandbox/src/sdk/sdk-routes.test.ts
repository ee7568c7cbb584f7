import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../testing/test-sandbox.js';
import { SDK_INTEGRITY } from './sdk-routes.js';
import type { SdkShape } from './sdk-shapes.js';
import { SdkPage } from '../testing/sdk-page.js';

const SESSION = { session_id: 'abc' };

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
  const page = await SdkPage.load(await startSandbox(), '/sdk/checkout.js');
  await expect(page.call('PaySandbox', {})).rejects.toThrow('session_id');
  await page.call('PaySandbox', SESSION);
  expect(page.visited).toEqual(['http://sandbox.localhost:4300/pages/pay/abc']);
});

describe('the shapes of the SDK', () => {
  it('are listed with their descriptions, at the requested host', async () => {
    const test = await startSandbox();
    const { body, headers } = await test.send('GET', '/sdk/shapes');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    const [plain, ...others] = body['shapes'] as SdkShape[];
    expect(new Set(others.map(({ name }) => name)).size).toBe(21);
    expect(plain?.sdk).toEqual({
      url: `${test.url}/sdk/checkout.js`,
      global: 'PaySandbox',
      argument: 'object',
      container: 'selector',
      callbacks: {
        onReady: 'shown',
        onSubmit: 'submitted',
        onDecline: 'declined',
        onExpire: 'expired',
        onError: 'error',
      },
      origins: { script: [test.url], frame: [test.url], connect: [] },
    });
    // A platform in production refuses every name with this start.
    for (const { sdk } of others) expect(sdk.global).toMatch(/^PaySandbox\.[a-z]+$/);
  });

  it('each have a script, except the missing one and the failing one', async () => {
    const test = await startSandbox();
    const { body } = await test.send('GET', '/sdk/shapes');
    const statuses = await Promise.all(
      (body['shapes'] as SdkShape[]).map(async ({ name, sdk }) => {
        const { status } = await test.send('GET', new URL(sdk.url).pathname);
        return [name, status] as const;
      }),
    );
    const others = statuses.filter(([, status]) => status !== 200);
    expect(others).toEqual([
      ['missing', 404],
      ['failing', 503],
    ]);
    expect((await test.send('GET', '/sdk/shapes/toString.js')).status).toBe(404);
  });

  async function load(name: string): Promise<SdkPage> {
    return SdkPage.load(await startSandbox(), `/sdk/shapes/${name}.js`);
  }

  it('do not interfere: one page can have several, and the default one too', async () => {
    const test = await startSandbox();
    const page = await SdkPage.load(test, '/sdk/shapes/string.js');
    await page.run(test, '/sdk/shapes/throws.js');
    await page.run(test, '/sdk/checkout.js');
    expect(page.names('PaySandbox')).toEqual(['configure', 'string', 'throws']);
  });

  it.each(['handle', 'nothing', 'navigates', 'late', 'popup'])(
    '%s: takes an object',
    async (name) => {
      const page = await load(name);
      page.passTime();
      await page.call(`PaySandbox.${name}`, SESSION);
      expect(page.visited).toEqual(['http://sandbox.localhost:4300/pages/pay/abc']);
    },
  );

  it('string: takes the session id', async () => {
    const page = await load('string');
    await page.call('PaySandbox.string', 'abc', {});
    expect(page.visited).toEqual(['http://sandbox.localhost:4300/pages/pay/abc']);
    await expect(page.call('PaySandbox.string', SESSION)).rejects.toThrow('session_id');
  });

  it('constructed: needs new first', async () => {
    const page = await load('constructed');
    await page.callNew('PaySandbox.constructed', SESSION);
    expect(page.visited).toHaveLength(1);
  });

  it('handle: returns one; nothing: returns none', async () => {
    const handle = await load('handle');
    expect(handle.call('PaySandbox.handle', SESSION)).toHaveProperty('destroy');
    const nothing = await load('nothing');
    expect(nothing.call('PaySandbox.nothing', SESSION)).toBe(undefined);
  });

  it('opened: goes nowhere before open()', async () => {
    const page = await load('opened');
    const handle = page.call('PaySandbox.opened', SESSION) as { open(): Promise<unknown> };
    expect(page.visited).toEqual([]);
    await handle.open();
    expect(page.visited).toEqual(['http://sandbox.localhost:4300/pages/pay/abc']);
  });

  it('element: refuses a selector', async () => {
    const page = await load('element');
    const given = { ...SESSION, container: '#card' };
    expect(() => page.call('PaySandbox.element', given)).toThrow('element');
  });

  it('throws and rejects do, and bare leaves nothing', async () => {
    const throws = await load('throws');
    expect(() => throws.call('PaySandbox.throws', SESSION)).toThrow('throws');
    const rejects = await load('rejects');
    await expect(rejects.call('PaySandbox.rejects', SESSION)).rejects.toThrow('rejects');
    expect((await load('bare')).names('PaySandbox')).toEqual(['configure']);
  });

  it('late: has no configure() right after its script has run', async () => {
    const page = await load('late');
    expect(page.names('PaySandbox.late')).toEqual([]);
    page.passTime();
    expect(page.names('PaySandbox.late')).toEqual(['configure']);
  });
});

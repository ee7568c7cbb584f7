import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startShop, type RunningShop } from '../testing/running-shop.js';

let directory: string;
let shop: RunningShop;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'site-'));
  mkdirSync(join(directory, 'assets'));
  writeFileSync(join(directory, 'assets', 'a-1234.js'), 'export {};');
  writeFileSync(join(directory, 'index.html'), '<h1>Shop</h1>');
  writeFileSync(join(directory, 'pay.html'), '<script src="{{payPublicUrl}}/x.js"></script>');
  writeFileSync(join(directory, '404.html'), '<h1>Not here</h1>');
  shop = await startShop({ siteDirectory: directory });
});

afterAll(async () => {
  await shop.close();
  rmSync(directory, { recursive: true });
});

describe('the pages', () => {
  it('are filled in with our settings', async () => {
    const html = await (await fetch(`${shop.address}/pay?order=A1001`)).text();
    expect(html).toBe('<script src="http://pay.localhost:4200/x.js"></script>');
  });

  it('are always asked for again, while assets are kept for a year', async () => {
    const page = await shop.get('/');
    const asset = await shop.get('/assets/a-1234.js');
    expect(page.headers.get('cache-control')).toBe('no-cache');
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  it('allow our files, the payment script and the SDK, and nothing inline', async () => {
    const { headers } = await shop.get('/pay');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain(`default-src 'none'`);
    expect(policy).toContain(
      `script-src 'self' http://pay.localhost:4200 http://sandbox.localhost:4300;`,
    );
    expect(policy).toContain(
      `connect-src 'self' http://pay.localhost:4200 http://sandbox.localhost:4300;`,
    );
    expect(policy).toContain('frame-src http://pay.localhost:4200 http://sandbox.localhost:4300;');
    expect(policy).not.toContain('unsafe');
  });

  it('may not be framed; those of the playground by each other', async () => {
    const policyOf = async (path: string): Promise<string> =>
      (await shop.get(path)).headers.get('content-security-policy') ?? '';
    for (const path of ['/', '/pay', '/result', '/playgrounds', '/api/playground']) {
      expect(await policyOf(path)).toContain(`frame-ancestors 'none'`);
      expect(await policyOf(path)).not.toContain(`frame-src 'self'`);
    }
    for (const path of ['/playground', '/playground-frame']) {
      expect(await policyOf(path)).toContain(`frame-ancestors 'self'`);
      expect(await policyOf(path)).toContain(`frame-src 'self' http://pay.localhost:4200`);
    }
  });

  it('have one for what is not there; the interface answers as problem JSON', async () => {
    expect((await shop.get('/nothing')).status).toBe(404);
    expect((await shop.get('/api/nothing')).body).toMatchObject({ code: 'not_found' });
    expect((await shop.get('/assets/nothing.js')).status).toBe(404);
    expect((await shop.get('/..%2fpackage.json')).status).toBe(404);
    expect((await shop.get('/%E0%A4%A')).status).toBe(400);
  });
});

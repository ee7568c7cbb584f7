import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGLISH } from '../languages.js';
import { PRICE, PuttingShop } from '../testing/putting-shop.js';
import { testMerchant } from '../testing/test-merchant.js';
import { SHOP_ORIGIN, TestStack } from '../testing/test-stack.js';
import { makeHostedPage } from './routes.js';
import { renderPage } from '../http/page.js';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.close());

describe('the hosted page', () => {
  it('holds the element of the order, and opens nothing automatically', async () => {
    const token = stack.token('H1');
    const { status, text, headers } = await stack.fetch(`/v1/pay/teashop/${token}`);
    expect(status).toBe(200);
    expect(text).toContain(`order-token="${token}"`);
    expect(text).toContain('<noscript>');
    expect(text).toContain('Order H1');
    // The shop would have to be asked for the price.
    expect(text).not.toContain('og:description');
    expect(stack.createSessionCalls()).toBe(0);
    expect(stack.shop.lookups).toEqual([]);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBeNull();
  });

  it('allows its own files and the SDK, and frames of the merchant only', async () => {
    const { headers } = await stack.fetch(`/v1/pay/teashop/${stack.token('H2')}`);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self' http://sandbox.localhost:4300;");
    expect(policy).toContain(`frame-ancestors 'self' ${SHOP_ORIGIN}`);
    expect(policy).not.toContain('unsafe');
  });

  it('has violations of its policy reported to the address in the settings, if there is one', async () => {
    const { headers: plain } = await stack.fetch(`/v1/pay/teashop/${stack.token('H5')}`);
    expect(plain.get('content-security-policy')).not.toContain('report');
    const address = 'https://reports.example/csp';
    const reporting = await TestStack.start({ env: { PAY_CSP_REPORT_TO: address } });
    const { headers } = await reporting.fetch(`/v1/pay/teashop/${reporting.token('H5')}`);
    await reporting.close();
    expect(headers.get('reporting-endpoints')).toBe(`pay-checkout="${address}"`);
    const policy = headers.get('content-security-policy');
    expect(policy).toContain(`; report-to pay-checkout; report-uri ${address}`);
  });

  it.each([
    ['an unknown merchant', (token: string) => `/v1/pay/unknown/${token}`],
    ['a token that was changed', (token: string) => `/v1/pay/teashop/X${token}`],
    ['no token', () => '/v1/pay/teashop/%3Cscript%3E'],
  ])('for %s is a 404 in words', async (_what, path) => {
    const { status, text } = await stack.fetch(path(stack.token('H3')));
    expect(status).toBe(404);
    expect(text).toContain('This payment link is not valid');
    expect(text).not.toContain('pay-checkout.js');
  });

  it.each([
    ['an unknown merchant', () => '/v1/pay/unknown/x', false],
    ['a token that was changed', () => `/v1/pay/teashop/X${stack.token('H6')}`, true],
    ['an expired link', () => `/v1/pay/teashop/${stack.token('H6', -1)}`, true],
    ['an order', () => `/v1/pay/teashop/${stack.token('H6')}`, true],
  ])('for %s has a plain link to the shop, if it knows the shop', async (_what, path, knows) => {
    const { text } = await stack.fetch(path());
    expect(text.includes(`<a id="back" href="${SHOP_ORIGIN}/">Back to the shop</a>`)).toBe(knows);
  });

  it('names all that the element asks for first, so that nothing waits for the script', async () => {
    const path = `/v1/pay/teashop/${stack.token('H7')}`;
    const config = '/v1/checkout-config?merchant=teashop';
    const sdk = 'http://sandbox.localhost:4300/sdk/checkout.js';
    expect(preloads((await stack.fetch(path)).text)).toEqual([config, sdk]);
    const german = (await stack.fetch(`${path}?locale=de-AT`)).text;
    expect(preloads(german)).toEqual([config, '/v1/languages/de-AT', sdk]);
  });

  it('has the file next to it that registers its domain for Apple Pay, if there is one', async () => {
    const path = '/.well-known/apple-developer-merchantid-domain-association';
    expect((await stack.fetch(path)).status).toBe(404);
    const folder = mkdtempSync(join(tmpdir(), 'domain-'));
    const file = join(folder, `${path.split('/').at(-1) ?? ''}.txt`);
    writeFileSync(file, '7B22707370...');
    const registered = await TestStack.start({ env: { PAY_APPLE_PAY_FILE: file } });
    const { status, text, headers } = await registered.fetch(path);
    await registered.close();
    rmSync(folder, { recursive: true });
    expect([status, text]).toEqual([200, '7B22707370...']);
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  it('says when its link has expired', async () => {
    const { status, text } = await stack.fetch(`/v1/pay/teashop/${stack.token('H4', -1)}`);
    expect(status).toBe(410);
    expect(text).toContain('has expired');
  });
});

function preloads(text: string): (string | undefined)[] {
  return [...text.matchAll(/<link\s+rel="preload"[^>]*?href="([^"]*)"/g)].map(([, href]) => href);
}

describe('the preview of a payment link', () => {
  let shop: PuttingShop;
  beforeAll(async () => {
    shop = await PuttingShop.start();
  });
  afterAll(() => shop.stack.close());

  async function preview({ payUrl }: { readonly payUrl: string }): Promise<string> {
    return (await shop.stack.fetch(new URL(payUrl).pathname)).text;
  }

  it('has the title and the price, and changes nothing', async () => {
    const { body } = await shop.put('P1');
    const before = await shop.get('P1');
    shop.stack.clock.advance(1);
    const text = await preview(body);
    expect(text).toMatch(/<meta property="og:title" content="Pay [^"]+ – order P1" \/>/);
    expect(text).toContain('<meta property="og:description" content="£9.99" />');
    expect(await shop.get('P1')).toEqual(before);
    expect(before.checkouts).toEqual([]);
    expect(shop.stack.createSessionCalls()).toBe(0);
  });

  it('shows the price of now, and none once the order was voided', async () => {
    const { body } = await shop.put('P2');
    await shop.put('P2', { ...PRICE, amount: '1250.00' });
    expect(await preview(body)).toContain('content="£1,250.00"');
    await shop.makeVoid('P2');
    expect(await preview(body)).not.toContain('og:description');
  });
});

describe('the text of the hosted page', () => {
  it.each([undefined, false, true])(
    'says whether the SDK leaves (%s) to a script that runs before the element does',
    (navigates) => {
      const plain = testMerchant();
      const merchant = {
        ...plain,
        sdk: { ...plain.sdk, ...(navigates !== undefined && { navigates }) },
      };
      const page = {
        language: ENGLISH,
        locale: 'en-GB',
        merchant,
        order: 'A1001',
        orderToken: 'x',
      };
      const { text } = renderPage(makeHostedPage(page));
      expect(text).toContain(`data-navigates="${navigates === true}"`);
      expect(text.indexOf('hosted.js')).toBeGreaterThan(0);
      expect(text.indexOf('hosted.js')).toBeLessThan(text.indexOf('pay-checkout.js'));
    },
  );
});

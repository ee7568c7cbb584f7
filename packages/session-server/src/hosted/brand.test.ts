import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pngOf } from '../testing/test-logo.js';
import { TestStack, type TestStackOptions } from '../testing/test-stack.js';

const LOGO = pngOf(80, 40);
const BRAND = {
  name: 'Tea</style><script>alert(1)</script>',
  logo: 'tea.png',
  accent: '#7a2e5d',
  radius: 4,
  font: 'serif',
};
const ESCAPED_NAME = 'Tea&lt;/style&gt;&lt;script&gt;alert(1)&lt;/script&gt;';
const NONCE = / 'nonce-([A-Za-z0-9+/]{22}==)'/;

/** A server, and where shoppers get to each page of its merchant. */
interface Pages {
  readonly stack: TestStack;
  readonly paths: Readonly<Record<string, string>>;
}

let plain: Pages;
let branded: Pages;
beforeAll(async () => {
  plain = await startPages();
  branded = await startPages({ merchant: { brand: BRAND }, files: { 'tea.png': LOGO } });
});
afterAll(() => Promise.all([plain.stack.close(), branded.stack.close()]));

async function startPages(options?: TestStackOptions): Promise<Pages> {
  const stack = await TestStack.start(options);
  const { body } = await stack.open('B1', { amount: '9.99' });
  const paths = {
    hosted: `/v1/pay/teashop/${stack.token('B1')}`,
    expired: `/v1/pay/teashop/${stack.token('B1', -1)}`,
    invalid: '/v1/pay/teashop/none',
    return: stack.returnPath(body.sessionId ?? '', 'RedirectUrl'),
  };
  return { stack, paths };
}

function readPages({ stack, paths }: Pages) {
  return Promise.all(
    Object.entries(paths).map(async ([name, path]) => {
      const { text, headers } = await stack.fetch(path);
      const policy = headers.get('content-security-policy') ?? '';
      return { name, text, policy, nonce: NONCE.exec(policy)?.[1] };
    }),
  );
}

describe('the pages of a merchant with a brand', () => {
  it('have its tokens in one style with the nonce of their policy, new for each answer', async () => {
    const pages = [...(await readPages(branded)), ...(await readPages(branded))];
    for (const { name, text, nonce } of pages) {
      const [style, ...others] = text.match(/<style[^]*?<\/style>/g) ?? [];
      expect(others, name).toEqual([]);
      expect(style, name).toContain(`<style nonce="${nonce ?? 'none'}">`);
      expect(style?.replace(/\s+/g, ' '), name).toContain(
        ':root { --pay-checkout-accent: light-dark(#7a2e5d, #7a2e5d); ' +
          '--pay-checkout-on-accent: light-dark(#ffffff, #ffffff); --pay-checkout-radius: 4px; ' +
          "--pay-checkout-font: Charter, 'Bitstream Charter', 'Sitka Text', Cambria, serif; }",
      );
    }
    expect(new Set(pages.map(({ nonce }) => nonce)).size).toBe(pages.length);
  });

  it('have the policy of those without a brand, but for the nonce', async () => {
    const withoutPorts = ({ stack }: Pages, policy: string) =>
      policy.replaceAll(stack.sandboxUrl, 'http://sandbox');
    const expected = await readPages(plain);
    for (const [at, { name, policy, nonce }] of (await readPages(branded)).entries()) {
      expect(nonce, name).toBeDefined();
      expect(policy, name).not.toContain('unsafe');
      const same = withoutPorts(branded, policy.replace(NONCE, ''));
      expect(same, name).toBe(withoutPorts(plain, expected[at]?.policy ?? ''));
    }
  });

  it('show its name as text and its logo next to it, and so does the tab', async () => {
    for (const { name, text } of await readPages(branded)) {
      expect(text, name).toContain(`<bdi>${ESCAPED_NAME}</bdi>`);
      expect(text, name).not.toContain('<script>alert');
      const [, path = ''] =
        /<img[^>]* src="([^"]+)"[^>]*width="80"[^>]*height="40"/.exec(text) ?? [];
      expect(path, name).toMatch(/^\/v1\/logos\/teashop\/[0-9a-f]{16}$/);
      expect(text, name).toContain(`<link rel="icon" href="${path}" />`);
    }
  });

  it('without one have no style of their own, no nonce and no picture', async () => {
    for (const { name, text, nonce } of await readPages(plain)) {
      expect(text, name).not.toMatch(/<style|<img/);
      expect(text, name).toContain('<bdi>Test Tea</bdi>');
      expect(nonce, name).toBeUndefined();
    }
  });
});

describe('the logo of a merchant', () => {
  const addressOfLogo = async () => {
    const { text } = await branded.stack.fetch(`/v1/pay/teashop/${branded.stack.token('B2')}`);
    return / src="(\/v1\/logos\/[^"]+)"/.exec(text)?.[1] ?? '';
  };

  it('is served as the type that it is, to be kept: its address changes with it', async () => {
    const response = await fetch(branded.stack.url + (await addressOfLogo()));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(LOGO);
  });

  it('is at no other address', async () => {
    const address = await addressOfLogo();
    const others = [
      address.replace('teashop', 'unknown'),
      address.slice(0, -1),
      '/v1/logos/teashop/tea.png',
      '/v1/logos/teashop/..%2Fmerchants.json',
      '/v1/logos/teashop/undefined',
    ];
    for (const other of others) {
      const { status, headers } = await branded.stack.fetch(other);
      expect([other, status, headers.get('cache-control')]).toEqual([other, 404, 'no-store']);
    }
    const { status } = await plain.stack.fetch('/v1/logos/teashop/undefined');
    expect(status).toBe(404);
  });
});

describe('the name of a brand', () => {
  it('is the shop of a preview too', async () => {
    branded.stack.shop.orders.set('B3', { amount: '9.99' });
    const { body } = await branded.stack.reopen('B3', { preview: true });
    expect(body).toMatchObject({ shop: BRAND.name });
  });
});

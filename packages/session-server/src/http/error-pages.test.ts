import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckoutStatusReply, Problem } from '../contract.js';
import { FileMerchantSource } from '../merchants/merchant-source.js';
import { createSessionServer } from '../server.js';
import { LocalServer } from '../testing/local-server.js';
import { TestStack } from '../testing/test-stack.js';

/** What Chrome sends when it opens a page. */
const BROWSER = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
};
const CHECKING = 'We are checking your payment. Please do not pay again.';

let stack: TestStack;
let database: DatabaseSync;
beforeAll(async () => {
  stack = await TestStack.start();
  database = new DatabaseSync(stack.databaseFile);
});
afterAll(async () => {
  database.close();
  await stack.close();
});

/** Runs something while the database answers no question about checkouts. */
async function withoutCheckouts<T>(work: () => Promise<T>): Promise<T> {
  database.exec('ALTER TABLE checkouts RENAME TO checkouts_away');
  try {
    return await work();
  } finally {
    database.exec('ALTER TABLE checkouts_away RENAME TO checkouts');
  }
}

describe('a shopper who comes back while the database cannot answer', () => {
  it.each([
    ['RedirectUrl', 'GET', 'returned'],
    ['RedirectUrl', 'POST', 'returned'],
    ['CancelUrl', 'GET', 'cancelled'],
    ['backurl', 'GET', 'left'],
  ] as const)(
    'reads at %s (%s) not to pay again, on a page that tries again until it knows',
    async (field, method, state) => {
      const { body } = await stack.open(`E-${field}-${method}`, { amount: '9.99' });
      const path = stack.returnPath(body.sessionId ?? '', field);
      const failed = await withoutCheckouts(() => stack.fetch(path, { method, headers: BROWSER }));
      expect([failed.status, failed.headers.get('content-type')]).toEqual([
        500,
        'text/html; charset=utf-8',
      ]);
      expect(failed.text).toContain(`<h1>${CHECKING}</h1>`);
      expect(failed.text).toContain('tries again automatically');
      expect(failed.headers.get('refresh')).toBe('5');
      // Also where the provider's form is a frame of the shop's page.
      expect(failed.headers.get('content-security-policy')).toContain("frame-ancestors 'self' *");
      const again = await stack.fetch(path, { headers: BROWSER });
      expect([again.status, again.headers.get('refresh')]).toEqual([200, null]);
      const { body: known } = await stack.fetch<CheckoutStatusReply>(
        `/v1/checkouts?id=${body.checkout}:0`,
      );
      expect(known.checkouts[0]?.state).toBe(state);
    },
  );

  it('reads the same on the way from the hosted page to the shop', async () => {
    const { body } = await stack.open('E-leave', { amount: '9.99' });
    const path = `/v1/checkouts/${body.checkout}/leave?kind=return`;
    const failed = await withoutCheckouts(() => stack.fetch(path, { headers: BROWSER }));
    expect(failed.status).toBe(500);
    expect(failed.text).toContain(`<h1>${CHECKING}</h1>`);
    expect(failed.headers.get('refresh')).toBe('5');
    expect((await stack.fetch(path, { headers: BROWSER })).status).toBe(303);
  });
});

describe('a shopper who opens the hosted page while its merchant cannot be looked up', () => {
  it('reads that the page tries again, and nothing about money', async () => {
    const config = { ...stack.config, databaseFile: join(stack.folder, 'beside.sqlite') };
    const { merchantsFile: path, environment } = config;
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const file = new FileMerchantSource({ path, environment, logger });
    const find = () => Promise.reject(new Error('the platform’s own source is away'));
    const merchants = { find, all: () => file.all(), close: () => file.close() };
    const payments = await createSessionServer(config, { merchants, logger });
    const local = await LocalServer.start(payments.handler);
    try {
      const url = `http://127.0.0.1:${String(local.port)}/v1/pay/teashop/${stack.token('E1')}`;
      const response = await fetch(url, { headers: BROWSER });
      const text = await response.text();
      expect([response.status, response.headers.get('refresh')]).toEqual([500, '5']);
      expect(text).toContain('<h1>This page cannot be shown at the moment</h1>');
      expect(text).not.toMatch(/paid|payment|money/i);
    } finally {
      await local.close();
      await payments.close();
    }
  });
});

describe('an address for people that is wrong', () => {
  it.each([
    ['/v1/return/%zz', 400, 'Page not found'],
    ['/v1/checkouts/%ff/leave?kind=return', 400, 'Page not found'],
    ['/v1/checkouts/unknown/leave?kind=return', 404, 'Page not found'],
    ['/v1/pay/teashop/%ff', 400, 'This payment link is not valid'],
    ['/v1/return', 404, 'Page not found'],
    ['/v1/pay/teashop/', 404, 'This payment link is not valid'],
  ])(
    'is answered to a browser in words, and does not try again: %s',
    async (path, status, title) => {
      const page = await stack.fetch(path, { headers: BROWSER });
      expect([page.status, page.headers.get('refresh')]).toEqual([status, null]);
      expect(page.text).toContain(`<h1>${title}</h1>`);
      const { body } = await stack.fetch<Problem>(path);
      expect(body.status).toBe(status);
    },
  );

  it('is a page in the language of the browser', async () => {
    const headers = { ...BROWSER, 'accept-language': 'de' };
    const { text } = await stack.fetch('/v1/checkouts/unknown/leave?kind=back', { headers });
    expect(text).toContain('<html lang="de"');
  });
});

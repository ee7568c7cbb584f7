import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  askAsPage as ask,
  OPERATOR_KEY as KEY,
  signIn,
} from '../../session-server/src/testing/page-browser.js';
import { TestStack } from '../../session-server/src/testing/test-stack.js';
import { SESSION_MS } from './page-session.js';

const OTHER_KEY = 'another-key-another-key-another-key-1';
const ACTOR = `key-${createHash('sha256').update(KEY).digest('hex').slice(0, 8)}`;

describe('the sign-in of the operator’s page', () => {
  let stack: TestStack;
  beforeAll(async () => {
    const env = { PAY_OPERATOR_PORT: '0', PAY_OPERATOR_KEY: `${KEY},${OTHER_KEY}` };
    stack = await TestStack.start({ env });
  });
  afterAll(() => stack.close());

  it('exchanges a key for a cookie that scripts cannot read and other sites do not send', async () => {
    const { body, headers } = await ask(stack, '/page/session', {
      method: 'POST',
      body: { key: KEY },
    });
    expect(body).toMatchObject({ actor: ACTOR, environment: 'sandbox' });
    const [cookie = ''] = headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^pay-operator=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(KEY);
  });

  it('behind TLS sets a cookie of this host alone, for TLS alone', async () => {
    const { headers } = await ask(stack, '/page/session', {
      ...{ method: 'POST', body: { key: KEY } },
      headers: { origin: `https://localhost:${String(stack.server.operatorPort)}` },
    });
    expect(headers['set-cookie']?.[0]).toMatch(
      /^__Host-pay-operator=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
  });

  it('shows nothing without a session, or with one that was changed or is of no key', async () => {
    const cookie = await signIn(stack);
    const [expires = '', nonce = '', signature = ''] = cookie.split('.');
    const later = `pay-operator=${String(Number(expires.split('=')[1]) + 1)}.${nonce}.${signature}`;
    for (const wrong of [undefined, 'pay-operator=', `${cookie}x`, later, `other=${KEY}`]) {
      const { status, body } = await ask(stack, '/page/health', { headers: { cookie: wrong } });
      expect([wrong, status, body?.code]).toEqual([wrong, 401, 'operator_signed_out']);
    }
    expect((await ask(stack, '/page/health', { headers: { cookie } })).status).toBe(200);
  });

  it('does not take a cookie for the key of a program, nor the key for a session', async () => {
    const cookie = await signIn(stack);
    const asProgram = { origin: undefined, 'sec-fetch-site': undefined };
    const { status } = await ask(stack, '/operator/health', { headers: { ...asProgram, cookie } });
    expect(status).toBe(401);
    const authorization = `Bearer ${KEY}`;
    expect((await ask(stack, '/page/health', { headers: { authorization } })).status).toBe(401);
  });

  it('signs out', async () => {
    const { status, headers } = await ask(stack, '/page/session', { method: 'DELETE' });
    expect(status).toBe(204);
    expect(headers['set-cookie']?.[0]).toMatch(/^pay-operator=; .*Max-Age=0$/);
  });

  it('ends after a working day', async () => {
    const cookie = await signIn(stack);
    stack.clock.advance(SESSION_MS / 1000 - 60);
    expect((await ask(stack, '/page/health', { headers: { cookie } })).status).toBe(200);
    stack.clock.advance(60);
    expect((await ask(stack, '/page/health', { headers: { cookie } })).status).toBe(401);
  });
});

describe('guesses of an operator’s key', () => {
  it('are limited, and a right one is not compared any more', async () => {
    const stack = await TestStack.start({
      env: { PAY_OPERATOR_PORT: '0', PAY_OPERATOR_KEY: KEY },
    });
    const guess = async (key: string) => {
      const { status } = await ask(stack, '/page/session', { method: 'POST', body: { key } });
      return status;
    };
    const guesses: (number | undefined)[] = [];
    for (let index = 0; index < 11; index += 1) guesses.push(await guess(`${KEY}${String(index)}`));
    expect(guesses).toEqual([...Array<number>(10).fill(401), 429]);
    expect(await guess(KEY)).toBe(429);
    await stack.close();
  });

  it('lock out no one else behind the same proxy', async () => {
    const stack = await TestStack.start({
      env: { PAY_OPERATOR_PORT: '0', PAY_OPERATOR_KEY: KEY, PAY_TRUST_PROXY: '1' },
    });
    const guess = async (key: string, address: string) => {
      const { status } = await ask(stack, '/page/session', {
        ...{ method: 'POST', body: { key } },
        headers: { 'x-forwarded-for': address },
      });
      return status;
    };
    for (let index = 0; index < 11; index += 1) await guess(`${KEY}${index}`, '192.0.2.1');
    expect(await guess(KEY, '192.0.2.1')).toBe(429);
    expect(await guess(KEY, '192.0.2.2')).toBe(200);
    await stack.close();
  });
});

describe('the operator’s page', () => {
  let stack: TestStack;
  let cookie: string;
  beforeAll(async () => {
    stack = await TestStack.start({ env: { PAY_OPERATOR_PORT: '0', PAY_OPERATOR_KEY: KEY } });
    cookie = await signIn(stack);
  });
  afterAll(() => stack.close());

  it('is opened by its address and by a link, and runs its own files only', async () => {
    for (const site of ['none', 'cross-site', undefined]) {
      const { status, headers, text } = await ask(stack, '/', {
        headers: { 'sec-fetch-site': site, 'x-pay-page': undefined },
      });
      expect(status).toBe(200);
      expect(headers['content-security-policy']).toMatch(
        /^default-src 'none'; script-src 'self'; /,
      );
      expect(headers['content-security-policy']).not.toMatch(/unsafe|\*|data:/);
      expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style| style=| on\w+=/);
    }
  });

  it.each([
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of another port of this host', { 'sec-fetch-site': 'same-site' }],
    ['without the header of the page', { 'x-pay-page': undefined }],
  ])('answers no request %s, with the cookie and all', async (_what, headers) => {
    const { status, body } = await ask(stack, '/page/health', { headers: { cookie, ...headers } });
    expect([status, body?.code]).toEqual([403, 'operator_page_refused']);
  });

  it.each([
    ['names another origin', { origin: 'https://page.example' }],
    ['names none', { origin: undefined }],
    ['names the null origin', { origin: 'null' }],
    ['comes from another port', { 'sec-fetch-site': 'same-site' }],
    ['has no header of the page', { 'x-pay-page': undefined }],
    ['is a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['is a form as text', { 'content-type': 'text/plain' }],
  ])('changes nothing for a request that %s', async (_what, headers) => {
    for (const path of ['/page/session', '/page/events/msg_1/redeliver']) {
      const { status, body } = await ask(stack, path, {
        ...{ method: 'POST', body: { key: KEY } },
        headers: { cookie, ...headers },
      });
      expect([path, status, body?.code]).toEqual([path, 403, 'operator_page_refused']);
    }
  });

  it('answers to no name that a page could have made lead here', async () => {
    const port = String(stack.server.operatorPort);
    for (const path of ['/', '/page/session', '/page/health']) {
      const { status } = await ask(stack, path, {
        headers: { cookie, host: `attacker.example:${port}` },
      });
      expect([path, status]).toEqual([path, 421]);
    }
  });
});

describe('the operator’s page without a key', () => {
  it('is not there', async () => {
    const stack = await TestStack.start({ env: { PAY_OPERATOR_PORT: '0' } });
    const headers = { 'sec-fetch-site': 'none' };
    expect((await ask(stack, '/', { headers })).status).toBe(404);
    const signedIn = await ask(stack, '/page/session', { method: 'POST', body: { key: '' } });
    expect(signedIn.status).toBe(403);
    await stack.close();
  });
});

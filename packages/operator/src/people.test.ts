import { afterEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../../session-server/src/config.js';
import {
  readOperatorKeys,
  readOperatorUsers,
} from '../../session-server/src/metrics/operator-people.js';
import { askAsPage, signIn } from '../../session-server/src/testing/page-browser.js';
import { PuttingShop } from '../../session-server/src/testing/putting-shop.js';
import type { AuditView, PageOf, SessionView } from './page-view.js';

const KEYS = {
  read: 'read-read-read-read-read-read-read-read',
  act: 'act-act-act-act-act-act-act-act-act-act',
  admin: 'admin-admin-admin-admin-admin-admin-admin',
};
const PAY_OPERATOR_KEY = `ada:read:${KEYS.read},bo:act:${KEYS.act},${KEYS.admin}`;
const HEADER = 'x-forwarded-user';

let shop: PuttingShop;
afterEach(() => shop.stack.close());

async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
  shop = await PuttingShop.start({ env: { PAY_OPERATOR_PORT: '0', PAY_OPERATOR_KEY, ...env } });
}

const ask = (path: string, headers: Readonly<Record<string, string>>, body?: object) =>
  askAsPage<{ code?: string }>(shop.stack, `/page/${path}`, {
    headers,
    ...(body && { method: 'POST', body }),
  });

/** What each action answers to someone. */
async function answersTo(headers: Readonly<Record<string, string>>) {
  await shop.put('A1');
  const of = async (path: string, body?: object) => (await ask(path, headers, body)).status;
  return {
    read: [await of('orders/teashop/A1'), await of('audit'), await of('search', { q: 'A1' })],
    act: [
      await of('orders/teashop/A1/note', { note: 'looked' }),
      await of('orders/teashop/A1/explain', {}),
      await of('events/msg_none/redeliver', {}),
      await of('checkouts/none/resolve', { note: 'looked', attention: [] }),
    ],
    admin: [await of('audit.csv'), await of('orders/teashop/A1/void', { note: 'looked' })],
  };
}

describe('people with a key', () => {
  it('may do what the role of their key says, and are named by it', async () => {
    await start();
    const of = async (key: string) => answersTo({ cookie: await signIn(shop.stack, key) });
    const read = [200, 200, 200];
    expect(await of(KEYS.read)).toEqual({ read, act: [403, 403, 403, 403], admin: [403, 403] });
    expect(await of(KEYS.act)).toEqual({ read, act: [200, 200, 404, 404], admin: [403, 403] });
    expect(await of(KEYS.admin)).toEqual({ read, act: [200, 200, 404, 404], admin: [200, 200] });
    const cookie = await signIn(shop.stack, KEYS.act);
    expect((await ask('session', { cookie })).body).toMatchObject({ actor: 'bo', role: 'act' });
    const { items } = (await ask('audit', { cookie })).body as unknown as PageOf<AuditView>;
    expect(items.map(({ actor, action }) => `${actor.slice(0, 4)} ${action}`)).toEqual([
      'key- void',
      'key- note',
      'bo note',
    ]);
    expect((await ask('audit.csv', { cookie })).body).toMatchObject({
      code: 'operator_role_refused',
      detail: 'This needs the role "admin"; bo has "act".',
    });
  });

  it('give programs the role of the key as well', async () => {
    await start();
    const redeliver = async (key: string) =>
      (
        await shop.stack.askOperator('/operator/events/redeliver', {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: '{"merchant":"teashop"}',
        })
      ).status;
    expect([await redeliver(KEYS.read), await redeliver(KEYS.act)]).toEqual([403, 200]);
  });
});

describe('people whom a proxy names', () => {
  const PROXY = {
    PAY_TRUST_PROXY: '127.0.0.1',
    PAY_OPERATOR_USER_HEADER: 'X-Forwarded-User',
    PAY_OPERATOR_USERS: 'Ada@shop.example:admin, bo@shop.example:act, *:read',
  };

  it('need no key, may do what their role says, and are named in the audit trail', async () => {
    await start(PROXY);
    const read = [200, 200, 200];
    const ada = { [HEADER]: 'ada@shop.example' };
    expect(await answersTo({ [HEADER]: 'someone@shop.example' })).toEqual({
      ...{ read, act: [403, 403, 403, 403], admin: [403, 403] },
    });
    expect((await answersTo({ [HEADER]: 'bo@shop.example' })).act).toEqual([200, 200, 404, 404]);
    expect((await answersTo(ada)).admin).toEqual([200, 200]);
    expect((await ask('session', ada)).body as unknown as SessionView).toMatchObject({
      ...{ actor: 'ada@shop.example', role: 'admin', isNamedByProxy: true },
    });
    const { items } = (await ask('audit', ada)).body as unknown as PageOf<AuditView>;
    expect(items.map(({ actor }) => actor)).toEqual([
      'ada@shop.example',
      'ada@shop.example',
      'bo@shop.example',
    ]);
  });

  it('are no programs without a key', async () => {
    await start({ ...PROXY, PAY_OPERATOR_KEY: '' });
    const ada = { [HEADER]: 'ada@shop.example' };
    expect((await ask('audit', ada)).status).toBe(200);
    for (const path of ['/operator/health', '/metrics', '/report?day=2026-01-01']) {
      const { status } = await shop.stack.askOperator(path, { headers: ada });
      expect([path, status]).toEqual([path, 401]);
    }
  });

  it('are refused where they are not listed', async () => {
    await start({ ...PROXY, PAY_OPERATOR_USERS: 'ada@shop.example:admin' });
    expect((await ask('audit', { [HEADER]: 'bo@shop.example' })).body.code).toBe(
      'operator_user_refused',
    );
    expect((await ask('audit', {})).status).toBe(401);
  });

  it('are no one where the header comes from elsewhere, or no header is set', async () => {
    await start({ ...PROXY, PAY_TRUST_PROXY: '10.0.0.0/8' });
    expect((await ask('audit', { [HEADER]: 'ada@shop.example' })).status).toBe(401);
    await shop.stack.close();
    await start({ PAY_TRUST_PROXY: '127.0.0.1' });
    expect((await ask('audit', { [HEADER]: 'ada@shop.example' })).status).toBe(401);
  });

  it('need proxies by their addresses, and a list with roles', async () => {
    await start();
    const mistakesOf = (env: Readonly<Record<string, string>>): string => {
      try {
        parseConfig({ ...shop.stack.env, ...PROXY, ...env });
        return '';
      } catch (error) {
        return String(error);
      }
    };
    expect(mistakesOf({})).toBe('');
    expect(mistakesOf({ PAY_TRUST_PROXY: '1' })).toContain('PAY_OPERATOR_USER_HEADER: it needs');
    expect(mistakesOf({ PAY_OPERATOR_USERS: '' })).toContain('go together');
    expect(mistakesOf({ PAY_OPERATOR_USERS: 'ada' })).toContain('expected names with their roles');
    const { settings } = parseConfig({ ...shop.stack.env, ...PROXY });
    expect(JSON.stringify(settings)).not.toContain('shop.example');
  });
});

describe('keys and names', () => {
  it('are read with their roles; a key alone is an admin’s', async () => {
    await start();
    const keys = readOperatorKeys(PAY_OPERATOR_KEY)?.map(({ secret, ...key }) => {
      return { ...key, key: secret.reveal() };
    });
    expect(keys).toEqual([
      { name: 'ada', role: 'read', key: KEYS.read },
      { name: 'bo', role: 'act', key: KEYS.act },
      { role: 'admin', key: KEYS.admin },
    ]);
    for (const text of ['short', 'ada:read:short', `a:act:${KEYS.act},a:read:${KEYS.read}`]) {
      expect([text, readOperatorKeys(text)]).toEqual([text, undefined]);
    }
    for (const text of ['ada', 'ada:root', 'a b:read', 'ada:read,ADA:act']) {
      expect([text, readOperatorUsers(text)]).toEqual([text, undefined]);
    }
  });
});

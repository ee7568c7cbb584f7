import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MerchantOrder, PutOrderReply } from './contract.js';
import type { LogFields } from './logger.js';
import { TestStack } from './testing/test-stack.js';

const EVERY = { interval: 200 };
const makeKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const KEYS = { old: makeKey('old'), new: makeKey('new') };
const OPERATORS = {
  old: `canary-operator-old-${randomBytes(16).toString('hex')}`,
  new: `canary-operator-new-${randomBytes(16).toString('hex')}`,
};

const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
const pathOf = (name: string) => join(folder, name);
const logged: string[] = [];
const keep = (fields: LogFields, message: string) =>
  void logged.push(JSON.stringify({ ...fields, message }));

/** Replaces a secret in one step, as those who rotate do. */
function write(name: string, text: string): void {
  writeFileSync(pathOf(`${name}.new`), text, { mode: 0o600 });
  renameSync(pathOf(`${name}.new`), pathOf(name));
}

let stack: TestStack;
beforeAll(async () => {
  write('provider', 'canary-key-that-the-provider-refuses\n');
  write('encryption', `${KEYS.old}\n`);
  write('operator', OPERATORS.old);
  // As Kubernetes mounts them: links, through a folder that is replaced as a whole.
  symlinkSync('operator', pathOf('operator-link'));
  stack = await TestStack.start({
    logger: { debug: keep, info: keep, warn: keep, error: keep },
    merchant: { orderLookup: undefined, orderTokenSecret: undefined },
    env: {
      PAY_PARTNER_API_KEY: '',
      PAY_PARTNER_API_KEY_FILE: pathOf('provider'),
      PAY_ENCRYPTION_KEY_FILE: pathOf('encryption'),
      PAY_OPERATOR_PORT: '0',
      PAY_OPERATOR_KEY_FILE: pathOf('operator-link'),
    },
  });
});
afterAll(async () => {
  await stack.close();
  rmSync(folder, { recursive: true });
});

async function putOrder(order: string): Promise<string> {
  const { body } = await stack.fetch<PutOrderReply>(`/v1/merchant/orders/${order}`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${stack.merchantKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ amount: '9.99', currency: 'GBP', description: `Tea of ${order}` }),
  });
  return body.orderToken;
}
const open = async (order: string) =>
  (await stack.reopen(order, { orderToken: await putOrder(order) })).status;
const operatorStatus = async (key: string) =>
  (await stack.askOperator('/operator/health', { headers: { authorization: `Bearer ${key}` } }))
    .status;
const descriptionOf = async (order: string) => {
  const headers = { authorization: `Bearer ${stack.merchantKey}` };
  const { body } = await stack.fetch<MerchantOrder>(`/v1/merchant/orders/${order}`, { headers });
  return body.description;
};
const pageStatus = async (token: string) => (await stack.fetch(`/v1/pay/teashop/${token}`)).status;

describe('secrets in files', () => {
  it('are rotated without a restart, with several valid at the same time', async () => {
    expect([await open('A1'), await operatorStatus(OPERATORS.old)]).toEqual([502, 200]);
    const oldToken = await putOrder('A1');

    write('provider', 'sandbox-key-for-tests');
    write('operator', `${OPERATORS.new},${OPERATORS.old}`);
    write('encryption', `${KEYS.new},${KEYS.old}`);
    await expect.poll(() => open('A2'), EVERY).toBe(200);
    await expect.poll(() => operatorStatus(OPERATORS.new), EVERY).toBe(200);
    expect(await operatorStatus(OPERATORS.old)).toBe(200);
    const newToken = await putOrder('A3');
    expect([await pageStatus(oldToken), await pageStatus(newToken)]).toEqual([200, 200]);
    expect(await descriptionOf('A1')).toBe('Tea of A1');

    write('operator', OPERATORS.new);
    write('encryption', KEYS.new);
    await expect.poll(() => operatorStatus(OPERATORS.old), EVERY).toBe(401);
    await expect.poll(() => pageStatus(oldToken), EVERY).toBe(404);
    expect([await operatorStatus(OPERATORS.new), await pageStatus(newToken)]).toEqual([200, 200]);
    expect([await descriptionOf('A1'), await descriptionOf('A3')]).toEqual([
      undefined,
      'Tea of A3',
    ]);
  });

  it('are checked for their rights while the server runs, too', async () => {
    chmodSync(pathOf('provider'), 0o644);
    const refused = /PAY_PARTNER_API_KEY.*other users can read or change it.*a secret was refused/;
    await expect.poll(() => logged.at(-1), EVERY).toMatch(refused);
    chmodSync(pathOf('provider'), 0o600);
    await expect.poll(() => logged.at(-1), EVERY).toContain('a secret was read again');
  });

  it('keep the value from before when a file turns bad, and the log says why', async () => {
    write('operator', 'canary-too-short');
    write('encryption', 'canary-no-key');
    rmSync(pathOf('provider'));
    const before = logged.length;
    const refusals = () =>
      logged.slice(before).filter((line) => line.includes('a secret was refused'));
    await expect.poll(() => refusals().length, EVERY).toBe(3);
    expect(refusals().join()).toMatch(/PAY_OPERATOR_KEY.*expected at least 32 characters/);
    expect(refusals().join()).toMatch(/PAY_ENCRYPTION_KEY.*base64 of 32 bytes/);
    expect(refusals().join()).toMatch(/PAY_PARTNER_API_KEY.*there is no such file/);
    expect([await operatorStatus(OPERATORS.new), await open('A4')]).toEqual([200, 200]);
  });

  it('keep the encryption key from before when its name stands for another one', async () => {
    const token = await putOrder('A5');
    write('encryption', makeKey('new'));
    await expect
      .poll(() => logged.at(-1), EVERY)
      .toMatch(/PAY_ENCRYPTION_KEY.*the key \\"new\\" is not the one.*a secret was refused/);
    expect([await pageStatus(token), await descriptionOf('A5')]).toEqual([200, 'Tea of A5']);
  });

  it('turn up in no line of the log', () => {
    const secrets = [...Object.values(KEYS).map((key) => key.slice(4)), 'canary', 'sandbox-key'];
    expect(logged.join()).toContain('a secret was read again');
    expect(secrets.filter((secret) => logged.join().includes(secret))).toEqual([]);
  });
});

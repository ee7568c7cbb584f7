import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../cli.js';
import type { RecordedDelivery } from './delivery-log.js';
import { MAX_BODY_BYTES } from '../inspector/recorded-call.js';
import { startReceiver, startSandbox, type TestSandbox } from '../testing/test-sandbox.js';

const KEY = 'invented-webhook-url-key';
const SIGNED = { webhookSigning: 'standard-webhooks', webhookUrlKey: KEY } as const;

/** Pays a session whose webhook is answered with this text, and waits for the tries. */
async function deliver(test: TestSandbox, answer = '', statuses: number[] = []) {
  const receiver = await startReceiver(statuses, answer);
  const session = await test.openSession({ WebhookUrl: receiver.url });
  const before = test.sandbox.control.deliveries().length;
  await test.pay(session, '9000000000000001');
  await expect
    .poll(() => test.sandbox.control.deliveries())
    .toHaveLength(before + statuses.length + 1);
  return { receiver, tries: test.sandbox.control.deliveries().slice(before) };
}

async function inspect(test: TestSandbox, number: unknown) {
  const { status, body, text } = await test.send('GET', `/_sandbox/deliveries/${String(number)}`);
  return { status, text, delivery: body as unknown as RecordedDelivery };
}

describe('the record of a try', () => {
  it('has what was sent, with its signature, and what the endpoint answered', async () => {
    const test = await startSandbox({ ...SIGNED, webhookPausesSeconds: [0] });
    const { receiver, tries } = await deliver(test, 'kept by the shop', [503]);
    const [first, second] = await Promise.all(tries.map(({ number }) => inspect(test, number)));
    const [sent] = receiver.received;
    expect(first?.delivery).toMatchObject({
      attempt: 1,
      request: {
        headers: {
          'content-type': 'application/json',
          'webhook-id': sent?.headers['webhook-id'],
          'webhook-signature': sent?.headers['webhook-signature'],
        },
        body: sent?.text,
      },
      response: { headers: { date: expect.any(String) as string }, body: 'kept by the shop' },
    });
    expect([first?.delivery.status, second?.delivery.status]).toEqual([503, 200]);
    expect((await inspect(test, 3)).status).toBe(404);
  });

  it('shows no key, also where the endpoint sends one back, and the start of a long answer', async () => {
    const test = await startSandbox(SIGNED);
    const { tries } = await deliver(test, `${KEY} "api_key":"guessed" ${'x'.repeat(30_000)}`);
    const { text, delivery } = await inspect(test, tries[0]?.number);
    expect(text).not.toMatch(/invented-webhook|guessed/);
    expect(delivery.response).toMatchObject({ isCut: true });
    expect(delivery.response?.body).toHaveLength(MAX_BODY_BYTES);
  });

  it('has no answer where none came', async () => {
    const test = await startSandbox({ webhookPausesSeconds: [] });
    const session = await test.openSession({ WebhookUrl: 'http://127.0.0.1:1/' });
    await test.pay(session, '9000000000000001');
    await expect.poll(() => test.sandbox.control.deliveries()).toHaveLength(1);
    const { delivery } = await inspect(test, 1);
    expect(delivery.request.body).toContain('"status":"SUCCESS"');
    expect(delivery).not.toHaveProperty('response');
  });

  it('is shown by a command', async () => {
    const test = await startSandbox(SIGNED);
    const { tries } = await deliver(test, 'kept by the shop');
    const lines: string[] = [];
    const terminal = {
      env: { SANDBOX_URL: test.url },
      write: (line: string) => lines.push(line),
      writeError: (line: string) => lines.push(line),
    };
    expect(await runCommand(['webhooks', 'show', String(tries[0]?.number)], terminal)).toBe(0);
    expect(lines.join()).toMatch(/"webhook-signature": "v1,[\s\S]*kept by the shop/);
  });

  it('is there after a restart, where a file is given, and gone after a reset', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pay-sandbox-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const requestLog = join(folder, 'requests.jsonl');
    const first = await startSandbox({ ...SIGNED, requestLog });
    await deliver(first, 'kept by the shop');
    await first.sandbox.close();
    expect(statSync(`${requestLog}.webhooks`).mode & 0o777).toBe(0o600);
    const second = await startSandbox({ ...SIGNED, requestLog });
    const { tries } = await deliver(second);
    expect(tries).toMatchObject([{ number: 2 }]);
    const { delivery } = await inspect(second, 1);
    expect(delivery.response?.body).toBe('kept by the shop');
    expect(readFileSync(`${requestLog}.webhooks`, 'utf8')).not.toContain(KEY);
    await second.post('/_sandbox/reset', undefined);
    expect((await inspect(second, 1)).status).toBe(404);
    expect(readFileSync(`${requestLog}.webhooks`, 'utf8')).toBe('');
  });
});

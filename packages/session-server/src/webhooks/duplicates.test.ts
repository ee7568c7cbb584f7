import { signWebhook, WEBHOOK_SCHEMES } from '@pay-checkout/partner-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebhookHarness } from '../testing/webhook-harness.js';
import { StoreHarness, AT_PROVIDER } from '../testing/store-harness.js';
import { testMerchant } from '../testing/test-merchant.js';

const MINUTE_MS = 60_000;
const KEY = 'new-key-of-the-provider-2027';

let harness: WebhookHarness;
let store: WebhookHarness['store'];
let token: string;
let checkout: string;
let body: string;
beforeEach(async () => {
  harness = await WebhookHarness.start();
  store = harness.store;
  const opened = await new StoreHarness(store).activate();
  token = opened.tokens.webhook;
  checkout = opened.checkout.id;
  body = JSON.stringify({ status: 'FAILED', order: opened.attempt.orderId });
});
afterEach(() => harness.close());

/** The merchant takes what is signed with this key as proof of a failure. */
function trust(key: string): void {
  const signature = { scheme: 'bodyHex', keys: [{ key }] };
  const evidence = { failedStatuses: ['FAILED'] };
  harness.merchants = [
    testMerchant({
      webhooks: { paths: { status: 'status', orderId: 'order' }, signature, evidence },
    }),
  ];
}

async function sendSigned(): Promise<void> {
  const headers = await signWebhook(WEBHOOK_SCHEMES.bodyHex, KEY, { body });
  await harness.send(token, body, headers);
}

const counts = () => store.countWebhooks();
/** The checkout, after the provider's list was read. */
const found = async () => {
  await store.settleUnpaid({ ...AT_PROVIDER, startedAt: harness.now, sinceMs: 0 });
  return store.find(checkout);
};

describe('the real webhook', () => {
  it('counts although the same body came first with a signature that was refused', async () => {
    trust('key-that-was-set-by-mistake');
    harness.startWorker();
    await sendSigned();
    await expect.poll(counts).toMatchObject({ flagged: { signature_refused: 1 } });
    trust(KEY);
    await sendSigned();
    await expect.poll(found).toMatchObject({ state: 'failed', sequence: 1 });
    expect(await counts()).toMatchObject({
      processed: 1,
      flagged: { verified: 1, signature_refused: 0 },
    });
  });

  it.each([
    ['before', ['forged', 'real']],
    ['after', ['real', 'forged']],
  ] as const)('counts when a stranger posts its body just %s it', async (_when, order) => {
    trust(KEY);
    for (const kind of order) {
      if (kind === 'real') await sendSigned();
      else await harness.send(token, body);
    }
    harness.startWorker();
    await expect.poll(counts).toMatchObject({ waiting: 0 });
    expect(await counts()).toMatchObject({ processed: 1, flagged: { verified: 1 } });
    expect(await found()).toMatchObject({ state: 'failed', sequence: 1 });
  });

  it('counts once, however often it comes, also after the shopper went on', async () => {
    trust(KEY);
    for (let copy = 0; copy < 3; copy += 1) await sendSigned();
    harness.startWorker();
    await expect.poll(found).toMatchObject({ state: 'failed', sequence: 1 });
    await expect.poll(counts).toMatchObject({ waiting: 0, processed: 1 });
    const { after } = await store.apply(checkout, { type: 'reopened' });
    await sendSigned();
    await expect.poll(counts).toMatchObject({ waiting: 0, processed: 1 });
    expect(await found()).toEqual(after);
  });
});

describe('a notification that is the same each time', () => {
  it('triggers a poll each time, unless a poll is already in progress', async () => {
    harness.startWorker();
    const notify = async (): Promise<number> => {
      await harness.send(token, '{"id":7}');
      await expect.poll(counts).toMatchObject({ waiting: 0, processed: 1 });
      return (await harness.hints()).length;
    };
    expect([await notify(), await notify()]).toEqual([1, 1]);
    harness.now += 5 * MINUTE_MS;
    await store.pollDue();
    expect(await notify()).toBe(2);
    expect(await store.pollDue()).toMatchObject([{ checkout, polls: 1 }]);
  });

  it('triggers fewer and fewer polls, as any other flood does', async () => {
    harness.startWorker();
    for (let minute = 0; minute < 30; minute += 1) {
      await harness.send(token, '{"id":7}');
      await expect.poll(counts).toMatchObject({ waiting: 0, processed: 1 });
      harness.now += MINUTE_MS;
    }
    expect(await harness.hints()).toHaveLength(7);
  });
});

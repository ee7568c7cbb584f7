import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startReceiver, startSandbox } from '../testing/test-sandbox.js';
import { STANDARD_WEBHOOKS, signWebhook, webhookSigningSchema } from './webhook-signing.js';

describe('signWebhook', () => {
  it('signs the published example of Standard Webhooks', () => {
    const scheme = webhookSigningSchema.parse(STANDARD_WEBHOOKS);
    const headers = signWebhook(scheme, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      url: 'https://platform.example/',
      body: '{"test": 2432232314}',
      time: 1_614_265_330_000,
    });
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('follows every part of the scheme', () => {
    const scheme = webhookSigningSchema.parse({
      header: 'x-signature',
      prefix: 'sha512=',
      algorithm: 'sha512',
      keyEncoding: 'hex',
      template: '{url}|{timestamp}|{body}',
      timestampUnit: 'milliseconds',
    });
    const delivery = { id: 'a', url: 'https://b.example/$&', body: '{"c":"{id}$&é"}', time: 1234 };
    const expected = createHmac('sha512', Buffer.from('00ff', 'hex'))
      .update('https://b.example/$&|1234|{"c":"{id}$&é"}')
      .digest('hex');
    expect(signWebhook(scheme, '00ff', delivery)).toEqual({ 'x-signature': `sha512=${expected}` });
  });

  it('needs a template with the body in it', () => {
    const scheme = { header: 'x-signature', template: '{timestamp}' };
    expect(webhookSigningSchema.safeParse(scheme).success).toBe(false);
  });
});

describe('a signed webhook', () => {
  it('has the signature of its exact bytes, made with the key of its endpoint', async () => {
    const test = await startSandbox({ webhookSigning: { header: 'x-signature' } });
    const receiver = await startReceiver();
    const created = await test.post('/developer-service/webhooks/create', { url: receiver.url });
    const { hmac_key: key, webhook_id: webhookId } = created.body['data'] as {
      hmac_key: string;
      webhook_id: string;
    };
    await test.post('/developer-service/webhooks/test', { webhookId });
    const [first] = receiver.received;
    expect(first?.headers['x-signature']).toBe(
      createHmac('sha256', key)
        .update(first?.text ?? '')
        .digest('hex'),
    );
    await test.setSwitches({ webhookSigning: 'none' });
    await test.post('/developer-service/webhooks/test', { webhookId });
    expect(receiver.received[1]?.headers).not.toHaveProperty('x-signature');
    await test.setSwitches({ webhookSigning: 'standard-webhooks' });
    await test.post('/developer-service/webhooks/test', { webhookId });
    expect(receiver.received[2]?.headers['webhook-signature']).toMatch(/^v1,/);
  });

  it('refuses an invalid scheme', async () => {
    const test = await startSandbox();
    const answer = await test.setSwitches({ webhookSigning: { algorithm: 'sha256' } });
    expect(answer.status).toBe(400);
  });
});

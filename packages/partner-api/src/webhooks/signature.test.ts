import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';

import { Secret } from '../secret.js';
import { showEverything } from '../testing/show-everything.js';
import { WEBHOOK_SCHEMES, type WebhookScheme } from './scheme.js';
import {
  equalInConstantTime,
  signWebhook,
  verifyWebhook,
  type WebhookDelivery,
} from './signature.js';

const KEY = 'a-key-of-more-than-16-bytes';
const HEX_KEY = Buffer.from(KEY).toString('hex');
const BASE64_KEY = Buffer.from(KEY).toString('base64');
const NOW = new Date('2026-03-01T12:00:00Z');
const BODY = '{"event":"test","name":"Käse 🧀"}';
const { standardWebhooks, bodyHex, timestampInHeader } = WEBHOOK_SCHEMES;
const toSign = { body: BODY, id: 'msg_1', timestamp: NOW, url: 'https://shop.example/hook' };

const minutes = (count: number): Date => new Date(NOW.getTime() + count * 60_000);

describe('verifyWebhook', () => {
  it('agrees with the example of the Standard Webhooks specification', async () => {
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const key = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const delivery = { headers, body: '{"test": 2432232314}' };
    const then = new Date(1_614_265_330_000);
    expect(await verifyWebhook(standardWebhooks, [{ key }], delivery, then)).toEqual({
      valid: true,
    });
  });

  it('agrees with an HMAC made by hand, over bytes that are no text', async () => {
    const body = Uint8Array.from([0xff, 0x00, 0x7b, 0xfe]);
    const signature = createHmac('sha256', KEY).update(body).digest('hex');
    const delivery = { headers: { 'X-Signature': signature }, body };
    expect(await verifyWebhook(bodyHex, [{ key: KEY }], delivery)).toMatchObject({ valid: true });
  });

  it.each(Object.entries<WebhookScheme>(WEBHOOK_SCHEMES))(
    'takes what signWebhook made with the preset %s, and no other body',
    async (_, scheme) => {
      const key = scheme.keyEncoding === 'whsec' ? `whsec_${BASE64_KEY}` : KEY;
      const headers = await signWebhook(scheme, key, toSign);
      const verify = (body: string) => verifyWebhook(scheme, [{ key }], { headers, body }, NOW);
      expect(await verify(BODY)).toMatchObject({ valid: true });
      expect(await verify(`${BODY} `)).toEqual({ valid: false, reason: 'no_match' });
    },
  );

  it.each([
    ['utf8', KEY],
    ['hex', HEX_KEY],
    ['base64', BASE64_KEY],
    ['base64url', Buffer.from(KEY).toString('base64url')],
    ['whsec', `whsec_${BASE64_KEY}`],
    ['whsec', BASE64_KEY],
  ] as const)('reads a key written as %s', async (keyEncoding, key) => {
    const signature = createHmac('sha256', KEY).update(BODY).digest('hex');
    const delivery = { headers: { 'x-signature': signature }, body: BODY };
    const scheme = { ...bodyHex, keyEncoding };
    expect(await verifyWebhook(scheme, [{ key }], delivery)).toMatchObject({ valid: true });
  });

  it.each(['sha1', 'sha256', 'sha384', 'sha512'] as const)('knows %s', async (algorithm) => {
    for (const signatureEncoding of ['hex', 'base64', 'base64url'] as const) {
      const signature = createHmac(algorithm, KEY).update(BODY).digest(signatureEncoding);
      const delivery = { headers: { 'x-signature': signature }, body: BODY };
      const scheme = { ...bodyHex, algorithm, signatureEncoding };
      expect(await verifyWebhook(scheme, [{ key: KEY }], delivery)).toMatchObject({ valid: true });
    }
  });

  it('signs id, timestamp, body and address where the template has them', async () => {
    const template = 'v0:{id}/{timestamp}/{url}/{body}';
    const scheme: WebhookScheme = { ...standardWebhooks, template, timestampUnit: 'iso' };
    const headers = await signWebhook(scheme, BASE64_KEY, toSign);
    const text = `v0:msg_1/${NOW.toISOString()}/${toSign.url}/${BODY}`;
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', KEY).update(text).digest('base64')}`,
    );
    const delivery = { headers, body: BODY, url: toSign.url };
    expect(await verifyWebhook(scheme, [{ key: BASE64_KEY }], delivery, NOW)).toMatchObject({
      valid: true,
    });
  });

  it('takes any of several signatures in one header, and hex in either case', async () => {
    const headers = await signWebhook(standardWebhooks, BASE64_KEY, toSign);
    headers['webhook-signature'] = `v1,AAAA v2,xyz ${headers['webhook-signature'] ?? ''}`;
    const keys = [{ key: BASE64_KEY }];
    expect(await verifyWebhook(standardWebhooks, keys, { headers, body: BODY }, NOW)).toMatchObject(
      {
        valid: true,
      },
    );
    const upper = await signWebhook(bodyHex, KEY, toSign);
    const signature = upper['x-signature']?.toUpperCase();
    const delivery = { headers: { 'x-signature': signature }, body: BODY };
    expect(await verifyWebhook(bodyHex, [{ key: KEY }], delivery)).toMatchObject({ valid: true });
  });

  it('names which of several keys it was, and uses none outside its time', async () => {
    const headers = await signWebhook(standardWebhooks, BASE64_KEY, toSign);
    const delivery = { headers, body: BODY };
    const other = Buffer.from('another-key-of-enough-bytes').toString('base64');
    const verify = (notBefore: Date, notAfter: Date) =>
      verifyWebhook(
        standardWebhooks,
        [
          { key: other, id: 'new' },
          { key: new Secret(BASE64_KEY), id: 'old', notBefore, notAfter },
        ],
        delivery,
        NOW,
      );
    expect(await verify(minutes(-1), minutes(1))).toEqual({ valid: true, keyId: 'old' });
    expect(await verify(minutes(-2), minutes(-1))).toEqual({ valid: false, reason: 'no_match' });
    expect(await verify(minutes(1), minutes(2))).toEqual({ valid: false, reason: 'no_match' });
  });

  it.each<[string, Partial<WebhookDelivery>]>([
    ['missing_signature', { headers: {} }],
    ['missing_signature', { headers: { 'webhook-signature': 'v1,' } }],
    ['missing_signature', { headers: { 'webhook-signature': 'v9,abc' } }],
    ['missing_id', { headers: { 'webhook-signature': 'v1,a', 'webhook-timestamp': '1' } }],
    ['missing_timestamp', { headers: { 'webhook-signature': 'v1,a', 'webhook-id': 'm' } }],
    [
      'bad_timestamp',
      { headers: { 'webhook-signature': 'v1,a', 'webhook-id': 'm', 'webhook-timestamp': '1e9' } },
    ],
    ['body_not_raw', { body: { event: 'test' } as unknown as string }],
  ])('says %s instead of throwing', async (reason, change) => {
    const headers = await signWebhook(standardWebhooks, BASE64_KEY, toSign);
    const delivery = { headers, body: BODY, ...change };
    expect(await verifyWebhook(standardWebhooks, [{ key: BASE64_KEY }], delivery, NOW)).toEqual({
      valid: false,
      reason,
    });
  });

  it('refuses what is too old or comes from the future, by a tolerance that can be set', async () => {
    const headers = await signWebhook(timestampInHeader, KEY, toSign);
    const verify = (now: Date, toleranceSeconds?: number | 'off') =>
      verifyWebhook(
        { ...timestampInHeader, toleranceSeconds },
        [{ key: KEY }],
        { headers, body: BODY },
        now,
      );
    expect(await verify(minutes(5))).toMatchObject({ valid: true });
    expect(await verify(minutes(6))).toEqual({ valid: false, reason: 'too_old' });
    expect(await verify(minutes(-6))).toEqual({ valid: false, reason: 'too_new' });
    expect(await verify(minutes(6), 600)).toMatchObject({ valid: true });
    expect(await verify(minutes(600), 'off')).toMatchObject({ valid: true });
  });

  it.each([
    ['key_too_short', 'utf8', 'fifteen bytes !'],
    ['key_too_short', 'base64', 'AAAA'],
    ['key_too_short', 'whsec', 'whsec_'],
    ['key_too_short', 'base64', ''],
    ['bad_key', 'hex', 'not hex at all, but long enough'],
    ['bad_key', 'base64', 'a-key-of-more-than-16-bytes'],
    ['bad_key', 'base64', `${BASE64_KEY}=`],
  ] as const)('refuses a key as %s when it is read as %s', async (reason, keyEncoding, key) => {
    const scheme = { ...bodyHex, keyEncoding };
    const delivery = { headers: { 'x-signature': '00' }, body: BODY };
    const result = await verifyWebhook(scheme, [{ key }], delivery);
    expect(result).toEqual({ valid: false, reason });
    await expect(signWebhook(scheme, key, toSign)).rejects.toThrow(reason);
  });

  it('refuses everything without a key', async () => {
    const delivery = { headers: { 'x-signature': '00' }, body: BODY };
    expect(await verifyWebhook(bodyHex, [], delivery)).toEqual({ valid: false, reason: 'no_key' });
  });

  it('shows no key when it refuses to sign', async () => {
    const error = await signWebhook(bodyHex, 'canary', toSign).catch((caught: unknown) => caught);
    expect(showEverything(error)).not.toContain('canary');
  });
});

describe('equalInConstantTime', () => {
  it.each([
    ['', '', true],
    ['abc', 'abc', true],
    ['abc', 'abd', false],
    ['abc', 'ab', false],
    ['abc', 'abcabc', false],
    ['abc', '', false],
    ['', 'a', false],
  ])('compares %j with %j', (a, b, equal) => {
    expect(equalInConstantTime(a, b)).toBe(equal);
  });
});

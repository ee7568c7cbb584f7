import { describe, expect, it, vi } from 'vitest';

import { WEBHOOK_SCHEMES, type WebhookScheme } from './scheme.js';
import { signWebhook, verifyWebhook } from './signature.js';
import { solveWebhookScheme } from './solve-scheme.js';

const KEY = 'a-key-of-more-than-16-bytes';
const BODY = '{"event":"test"}';
const NOW = new Date('2026-03-01T12:00:00Z');
const URL = 'https://shop.example/hook';
const OTHER_HEADERS = {
  host: 'shop.example',
  'content-type': 'application/json',
  'content-length': '16',
  'user-agent': 'sender/1.0 (hooks, retry)',
  'x-request-id': '0f9ad2b4c3e84d1f8a7b6c5d4e3f2a1b',
  date: 'Sun, 01 Mar 2026 12:00:00 GMT',
};

const encoded = (scheme: WebhookScheme): string => {
  if (scheme.keyEncoding === 'utf8') return KEY;
  if (scheme.keyEncoding === 'whsec') return `whsec_${Buffer.from(KEY).toString('base64')}`;
  return Buffer.from(KEY).toString(scheme.keyEncoding);
};

/** Shapes that a provider may have chosen besides the presets. */
const SHAPES: [string, WebhookScheme][] = [
  ...Object.entries<WebhookScheme>(WEBHOOK_SCHEMES),
  [
    'hex key, milliseconds',
    {
      header: 'x-pay-signature',
      algorithm: 'sha512',
      keyEncoding: 'hex',
      signatureEncoding: 'base64',
      template: '{timestamp}{body}',
      timestampHeader: 'x-pay-time',
      timestampUnit: 'milliseconds',
    },
  ],
  [
    'address and ISO time',
    {
      header: 'authorization',
      prefix: 'hmac:',
      algorithm: 'sha1',
      keyEncoding: 'base64',
      signatureEncoding: 'base64url',
      template: '{timestamp}.{url}.{body}',
      timestampHeader: 'x-sent-at',
      timestampUnit: 'iso',
    },
  ],
  [
    'own id header',
    {
      header: 'x-sig',
      algorithm: 'sha384',
      keyEncoding: 'base64url',
      signatureEncoding: 'hex',
      template: '{id}.{body}',
      idHeader: 'x-event-id',
      toleranceSeconds: 'off',
    },
  ],
];

describe('solveWebhookScheme', () => {
  it.each(SHAPES)('finds the scheme from one delivery and the key: %s', async (_, scheme) => {
    const key = encoded(scheme);
    const sign = (body: string) =>
      signWebhook(scheme, key, { body, id: 'evt_1', timestamp: NOW, url: URL });
    const headers = { ...OTHER_HEADERS, ...(await sign(BODY)) };
    const { schemes, tried } = await solveWebhookScheme({ headers, body: BODY, url: URL }, key);
    expect(schemes.length).toBeGreaterThan(0);
    expect(schemes.length).toBeLessThanOrEqual(3);
    expect(tried).toBeLessThan(20_000);
    for (const found of schemes) {
      expect(found).toMatchObject({ algorithm: scheme.algorithm, template: scheme.template });
      const next = {
        headers: await sign('{"event":"other"}'),
        body: '{"event":"other"}',
        url: URL,
      };
      expect(await verifyWebhook(found, [{ key }], next, NOW)).toMatchObject({ valid: true });
    }
  });

  it('finds nothing for another key, and none for a key that is too short', async () => {
    const headers = await signWebhook(WEBHOOK_SCHEMES.bodyHex, KEY, { body: BODY });
    const solve = (key: string) => solveWebhookScheme({ headers, body: BODY }, key);
    expect((await solve('another-key-of-enough-bytes')).schemes).toEqual([]);
    expect((await solve('short')).schemes).toEqual([]);
  });

  it('prints nothing', async () => {
    const write = vi.spyOn(process.stdout, 'write');
    await solveWebhookScheme({ headers: OTHER_HEADERS, body: BODY }, KEY);
    expect(write).not.toHaveBeenCalled();
    write.mockRestore();
  });
});

import { WEBHOOK_SCHEMES } from '@pay-checkout/partner-api';
import { describe, expect, it } from 'vitest';
import { merchantEntry } from '../testing/test-merchant.js';
import { merchantSchema } from './merchant.js';

const TOKEN_HASH = `sha256:${'a'.repeat(64)}`;
const KEY = 'a-key-of-the-provider-2026';
const signature = (changes: Readonly<Record<string, unknown>> = {}, key = KEY) => ({
  scheme: { ...WEBHOOK_SCHEMES.bodyHex, ...changes },
  keys: [{ key }],
});
const evidence = { failedStatuses: ['FAILED'] };

/** Paths and messages of what is wrong with an entry. */
function mistakesOf(changes: Readonly<Record<string, unknown>>): string[] {
  const parsed = merchantSchema.safeParse(merchantEntry(changes));
  return parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('how webhooks are read', () => {
  it('has nothing set by default', () => {
    const { webhooks, webhookEndpoints } = merchantSchema.parse(merchantEntry());
    expect(webhooks).toEqual({ paths: {}, evidence: { failedStatuses: [], paidStatuses: [] } });
    expect(webhookEndpoints).toEqual([]);
  });

  it('may name a ready scheme, several keys, and when each of them counts', () => {
    const { webhooks } = merchantSchema.parse(
      merchantEntry({
        webhooks: {
          signature: {
            scheme: 'standardWebhooks',
            keys: [
              { key: `whsec_${Buffer.alloc(24).toString('base64')}`, id: '2026' },
              { key: Buffer.alloc(16).toString('base64'), notBefore: '2027-01-01T00:00:00Z' },
            ],
          },
        },
      }),
    );
    expect(webhooks.signature?.scheme).toEqual(WEBHOOK_SCHEMES.standardWebhooks);
    expect(webhooks.signature?.keys[1]?.notBefore).toEqual(new Date('2027-01-01T00:00:00Z'));
    expect(JSON.stringify(webhooks)).not.toContain(
      Buffer.alloc(16).toString('base64').slice(0, 16),
    );
  });

  it.each([
    ['utf8', 'fifteen-letters'],
    ['hex', 'ab'.repeat(15)],
    ['hex', 'this is not hexadecimal at all!!'],
    ['base64', Buffer.alloc(15).toString('base64')],
    ['base64', 'not base64 for certain, not at all'],
    ['base64url', Buffer.alloc(15).toString('base64url')],
    ['whsec', `whsec_${Buffer.alloc(15).toString('base64')}`],
  ])('refuses a %s key under 16 bytes: %j', (keyEncoding, key) => {
    expect(mistakesOf({ webhooks: { signature: signature({ keyEncoding }, key) } })).toEqual([
      `webhooks.signature.keys.0.key: expected ${keyEncoding} text of at least 16 bytes`,
    ]);
  });

  it.each([
    [
      'a scheme that signs no body',
      { signature: signature({ template: '{timestamp}' }) },
      '{body}',
    ],
    ['a scheme without keys', { signature: { scheme: 'bodyHex', keys: [] } }, 'keys'],
    ['a path with an empty step', { paths: { orderId: 'data..id' } }, 'dotted path'],
    ['evidence without a signature', { paths: { status: 's' }, evidence }, 'only a verified'],
    [
      'evidence that names no attempt',
      { signature: signature(), paths: { status: 's' }, evidence },
      'paths: expected orderId or merchantReference',
    ],
    ['evidence without a status', { signature: signature(), evidence }, 'paths.status'],
    [
      'payment without an id, an amount and a currency',
      { signature: signature(), paths: { status: 's' }, evidence: { paidStatuses: ['PAID'] } },
      'paths.transaction',
    ],
  ])('refuses %s, by name', (_what, webhooks, expected) => {
    expect(mistakesOf({ webhooks }).join('\n')).toContain(expected);
  });

  it('of an endpoint needs its token hash, and a way to find the attempt', () => {
    const endpoint = { tokenHash: TOKEN_HASH, paths: { orderId: 'data.order_id' } };
    expect(mistakesOf({ webhookEndpoints: [endpoint] })).toEqual([]);
    expect(mistakesOf({ webhookEndpoints: [{ ...endpoint, tokenHash: 'token' }] })).toHaveLength(1);
    expect(mistakesOf({ webhookEndpoints: [{ ...endpoint, paths: {} }] }).join()).toContain(
      'webhookEndpoints.0.paths: expected orderId or merchantReference',
    );
  });
});

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { isTestWebhook, readPayload } from './payload.js';

const webhook = (body: string, headers: Record<string, string> = {}) => ({
  url: 'https://pay.example/v1/webhooks/token',
  headers,
  body: Buffer.from(body),
});
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('the test webhook of spec 4.8', () => {
  it.each([
    ['as JSON', webhook('{"event":"test"}')],
    ['with its letters spelt another way', webhook('{"event":"\\u0074est"}')],
    ['after a byte order mark', webhook('\ufeff{"event":"test"}')],
    ['as a form', webhook('event=test', FORM)],
    ['as a form that spells it another way', webhook('event=%74est', FORM)],
  ])('is known %s', (_how, test) => {
    expect(isTestWebhook(test)).toBe(true);
  });

  it.each([
    ['what has more to say', webhook('{"event":"test","order_id":700}')],
    ['another event', webhook('{"event":"paid"}')],
    ['what only mentions it', webhook('{"note":"test"}')],
    ['what is longer than any test', webhook(`{"event":"test"}${' '.repeat(1024)}`)],
    ['what cannot be read', webhook('test')],
  ])('is not %s', (_what, other) => {
    expect(isTestWebhook(other)).toBe(false);
  });
});

describe('what a webhook says', () => {
  it('is nothing when it would grow beyond the limit, and is read up to it', () => {
    const read = (text: string): unknown =>
      readPayload(
        { ...webhook(''), headers: { 'content-encoding': 'gzip' }, body: gzipSync(text) },
        1000,
      );
    expect(read(`"${'x'.repeat(998)}"`)).toBe('x'.repeat(998));
    expect(read(`"${'x'.repeat(999)}"`)).toBeUndefined();
    expect(read(`"${'x'.repeat(50_000_000)}"`)).toBeUndefined();
  });

  it('is nothing when it is nested too deeply to be read', () => {
    const deep = `${'['.repeat(120_000)}${']'.repeat(120_000)}`;
    expect(readPayload(webhook(deep), 256 * 1024)).toBeUndefined();
  });
});

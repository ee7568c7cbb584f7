import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { isTestWebhook, readContent } from './content.js';

const delivery = (body: string, headers: Record<string, string> = {}) => ({
  url: 'https://pay.example/v1/webhooks/token',
  headers,
  body: Buffer.from(body),
});
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('the test delivery of spec 4.8', () => {
  it.each([
    ['as JSON', delivery('{"event":"test"}')],
    ['with its letters spelt another way', delivery('{"event":"\\u0074est"}')],
    ['after a byte order mark', delivery('\ufeff{"event":"test"}')],
    ['as a form', delivery('event=test', FORM)],
    ['as a form that spells it another way', delivery('event=%74est', FORM)],
  ])('is known %s', (_how, test) => {
    expect(isTestWebhook(test)).toBe(true);
  });

  it.each([
    ['what has more to say', delivery('{"event":"test","order_id":700}')],
    ['another event', delivery('{"event":"paid"}')],
    ['what only mentions it', delivery('{"note":"test"}')],
    ['what is longer than any test', delivery(`{"event":"test"}${' '.repeat(1024)}`)],
    ['what cannot be read', delivery('test')],
  ])('is not %s', (_what, other) => {
    expect(isTestWebhook(other)).toBe(false);
  });
});

describe('what a delivery says', () => {
  it('is nothing when it would grow beyond the limit, and is read up to it', () => {
    const read = (text: string): unknown =>
      readContent(
        { ...delivery(''), headers: { 'content-encoding': 'gzip' }, body: gzipSync(text) },
        1000,
      );
    expect(read(`"${'x'.repeat(998)}"`)).toBe('x'.repeat(998));
    expect(read(`"${'x'.repeat(999)}"`)).toBeUndefined();
    expect(read(`"${'x'.repeat(50_000_000)}"`)).toBeUndefined();
  });

  it('is nothing when it is nested too deeply to be read', () => {
    const deep = `${'['.repeat(120_000)}${']'.repeat(120_000)}`;
    expect(readContent(delivery(deep), 256 * 1024)).toBeUndefined();
  });
});

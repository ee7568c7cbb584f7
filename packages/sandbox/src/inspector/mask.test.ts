import { describe, expect, it } from 'vitest';
import { maskHeaders, maskText } from './mask.js';

describe('a text of the record', () => {
  it.each([
    ['{"hmac_key":"0123456789abcdef"}', '{"hmac_key":"********cdef"}'],
    ['{ "hmac_key" : "short" }', '{ "hmac_key" : "********" }'],
    ['{"HmacKey":"with \\"quotes\\" inside"}', '{"HmacKey":"********ide"}'.replace('ide', 'side')],
    ['{"number":"9000 0000 0000 0001"}', '{"number":"********0001"}'],
    ['{"number":9000000000000001}', '{"number":"********"}'],
    ['{"note":"card 9000-0000-0000-0019."}', '{"note":"card ********0019."}'],
    [
      '{"securityCode":"123","api_key":"guessed"}',
      '{"securityCode":"********","api_key":"********"}',
    ],
    [
      '{"url":"https://a:b@shop.example/x?token=t0ken&y=1"}',
      '{"url":"https://********@shop.example/x?token=********&y=1"}',
    ],
    ['{"hmac_key":"cut in the mid', '{"hmac_key":"********'],
    ['my own-key-of-the-sandbox here', 'my ********dbox here'],
  ])('%s becomes %s', (text, masked) => {
    expect(maskText(text, ['own-key-of-the-sandbox'])).toBe(masked);
  });

  it.each([
    '{"order_id":1732399200000,"Amount":"12.30","transactionTime":"2026-01-01T00:00:00.000Z"}',
    '{"amount":12345678901234.12,"pspReference":"psp_90000000"}',
    '{"session_id":"b5bf6d3f0c7ce49c5e6a4a0a96f1b5a4"}',
  ])('%s stays as it is', (text) => {
    expect(maskText(text, ['key'])).toBe(text);
  });

  it('shows no key, cookie or signature of a header', () => {
    const secret = 'abcdefghijklmnop';
    const names = [
      'api_key',
      'authorization',
      'cookie',
      'webhook-signature',
      'x-signature',
      'x-api-key',
    ];
    const headers = { ...Object.fromEntries(names.map((name) => [name, secret])), accept: '*/*' };
    expect(maskHeaders(headers, [])).toEqual({
      ...Object.fromEntries(names.map((name) => [name, '********mnop'])),
      accept: '*/*',
    });
  });
});

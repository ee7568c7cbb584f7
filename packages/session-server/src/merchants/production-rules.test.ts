import { describe, expect, it } from 'vitest';
import { merchantEntry } from '../testing/test-merchant.js';
import { findUnsafeForProduction } from './production-rules.js';

function unsafe(changes: Readonly<Record<string, unknown>>): string[] {
  return findUnsafeForProduction({ merchants: [merchantEntry(), merchantEntry(changes)] });
}

describe('production', () => {
  const sdk = merchantEntry()['sdk'] as { origins: object };

  it('takes an entry that is https all over', () => {
    expect(unsafe({})).toEqual([]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['origins.1', { origins: ['https://shop.example', 'http://shop.example'] }],
    ['returnUrl', { returnUrl: 'http://shop.example/?c={checkout}' }],
    ['orderLookup.url', { orderLookup: { url: 'http://shop.example' } }],
    ['events.url', { events: { url: 'http://shop.example' } }],
    ['sdk.url', { sdk: { ...sdk, url: 'http://sdk.example/checkout.js' } }],
    [
      'sdk.origins.frame.0',
      { sdk: { ...sdk, origins: { ...sdk.origins, frame: ['http://sdk.example'] } } },
    ],
  ])('refuses plain http in %s', (field, changes) => {
    expect(unsafe(changes)).toEqual([`merchants.1.${field}: production expects https`]);
  });

  it.each(['PaySandbox', 'PaySandbox.Checkout'])('refuses the sandbox’s SDK: %s', (global) => {
    expect(unsafe({ sdk: { ...sdk, global } })).toEqual([
      'merchants.1.sdk: production cannot use the sandbox’s SDK',
    ]);
  });

  it('says nothing of a file that is no merchants file: its schema does', () => {
    expect(findUnsafeForProduction({ merchants: 'none' })).toEqual([]);
  });
});

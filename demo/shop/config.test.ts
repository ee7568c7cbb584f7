import { describe, expect, it } from 'vitest';
import { GOOD_ENV } from '../testing/running-shop.js';
import { ConfigError } from '../shared/config.js';
import { readShopConfig } from './config.js';

function mistakesOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    readShopConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

describe('the settings of the shop', () => {
  it('takes good ones', () => {
    expect(readShopConfig(GOOD_ENV)).toMatchObject({
      brand: { id: 'hollin-and-slip' },
      port: 0,
      host: '127.0.0.1',
      publicUrl: 'http://shop.localhost:4100',
      sdkOrigins: { script: ['http://sandbox.localhost:4300'], connect: [] },
    });
  });

  it('names everything that is missing at once', () => {
    const names = mistakesOf({}).map((mistake) => mistake.split(' ')[0]);
    expect(names).toEqual([
      'SHOP_BRAND',
      'SHOP_PUBLIC_URL',
      'SHOP_DATA_FILE',
      'SHOP_PAY_PUBLIC_URL',
      'SHOP_PAY_API_URL',
      'SHOP_SIGNING_SECRET',
      'SHOP_PAY_API_KEY',
    ]);
  });

  it.each([
    ['SHOP_BRAND', 'no-such-shop'],
    ['SHOP_PORT', '70000'],
    ['SHOP_PORT', '41x'],
    ['SHOP_PUBLIC_URL', 'shop.localhost'],
    ['SHOP_PAY_PUBLIC_URL', 'ftp://pay.localhost'],
    ['SHOP_ORDER_TOKEN_SECRET', 'short'],
    ['SHOP_SIGNING_SECRET', 'whsec_c2hvcnQ='],
    ['SHOP_SIGNING_SECRET', 'a-secret-without-its-prefix'],
    ['SHOP_SDK_ORIGINS', '{'],
    ['SHOP_PLAYGROUND_MERCHANTS', '['],
    [
      'SHOP_PLAYGROUND_MERCHANTS',
      '[{"id":"a","apiKey":"short","shape":"b","what":"c","works":true}]',
    ],
    ['SHOP_SDK_ORIGINS', '{"script":["http://sandbox.localhost/sdk"],"frame":[],"connect":[]}'],
  ])('refuses %s=%s by name and never repeats a secret', (name, value) => {
    const mistakes = mistakesOf({ ...GOOD_ENV, [name]: value });
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toContain(name);
    if (name.endsWith('SECRET')) expect(mistakes[0]).not.toContain(value);
  });
});

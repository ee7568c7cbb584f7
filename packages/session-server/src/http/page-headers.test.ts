import { expect, it } from 'vitest';
import type { Merchant } from '../merchants/merchant.js';
import { testMerchant } from '../testing/test-merchant.js';
import { pageHeaders } from './security.js';

it('a page may read an answer as soon as its origin is in a merchant entry, and no longer', async () => {
  const sells = (origin: string): Merchant => ({ ...testMerchant(), origins: [origin] });
  let merchants = [sells('https://old.example')];
  const headersFor = pageHeaders(
    {
      find: () => Promise.resolve(undefined),
      all: () => Promise.resolve(merchants),
      close: () => Promise.resolve(),
    },
    'https://pay.example',
  );
  const mayRead = async (origin?: string): Promise<boolean> =>
    new Map(await headersFor(origin)).get('access-control-allow-origin') === origin &&
    origin !== undefined;
  const asked = ['https://old.example', 'https://new.example', 'https://pay.example', undefined];
  expect(await Promise.all(asked.map(mayRead))).toEqual([true, false, true, false]);
  merchants = [sells('https://new.example')];
  expect(await Promise.all(asked.map(mayRead))).toEqual([false, true, true, false]);
});

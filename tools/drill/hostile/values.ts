import fc from 'fast-check';
import { QUEUES } from '../../../packages/operator/dist/page-view.js';
import { SHOP_ORIGIN } from '../drill-shop.ts';

/** Values that a field of this name would have in a request that is right. */
export const RIGHT: Readonly<Record<string, readonly string[]>> = {
  id: ['«checkout»'],
  token: ['«returnToken»', '«cancelToken»', '«webhookToken»', '«endpointToken»'],
  merchant: ['«merchant»'],
  order: ['«order»'],
  orderToken: ['«orderToken»'],
  sessionId: ['«sessionId»'],
  renew: ['«sessionId»'],
  kind: ['shown', 'submitted', 'declined', 'cancelled', 'return', 'cancel', 'back'],
  wait: ['0', '0.01', '0.05'],
  locale: ['en', 'de', 'pt-br', 'ar'],
  state: ['open', 'paid', 'cancelled', 'void'],
  updatedAfter: ['2026-03-01T10:15:00Z'],
  updatedBefore: ['2036-03-01T10:15:00+02:00'],
  limit: ['1', '50', '200'],
  days: ['1', '30'],
  day: [new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)],
  q: ['«order»', '«knownOrder»', '«checkout»'],
  amount: ['9.99', '10.00', '0.01'],
  currency: ['GBP'],
  returnUrl: [`${SHOP_ORIGIN}/thanks?c={checkout}`],
  houseNumber: ['7', '12a'],
  postcode: ['ZZ1 1ZZ'],
  email: ['shopper@example.test'],
  percent: ['2.5'],
  fixed: ['0.10'],
};

/** Where a path names what is there. */
export const RIGHT_IN_PATH: typeof RIGHT = {
  order: ['«order»', '«knownOrder»'],
  queue: [...QUEUES],
};

/** Texts that break what takes them for something else. */
const HOSTILE_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffy',
  '\ufeff',
  '\u202e',
  '\u2028',
  '💥',
  'ﷺ'.repeat(50),
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  '..',
  '../../etc/passwd',
  '/',
  '//',
  '\\',
  '.',
  '%',
  '%00',
  '%zz',
  '%c0%ae',
  '%ED%A0%80',
  'null',
  'undefined',
  'NaN',
  'true',
  '-0',
  '-1',
  '0x1',
  '1e1000',
  '1e-400',
  '9007199254740993',
  '99999999999999999999999',
  "' OR '1'='1",
  "'; DROP TABLE checkouts; --",
  '${7*7}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '"><img src=x>',
  '\r\nX-Injected: 1\r\n\r\n',
  '$&$1',
  'A'.repeat(65),
  'A'.repeat(201),
  'A'.repeat(5000),
  'W1tdLCIiXQ',
  Buffer.from('[1,"\\u0000"]').toString('base64url'),
  Buffer.from('[9007199254740991,"A"]').toString('base64url'),
  Buffer.from('["\\u0000",1]').toString('base64url'),
];

export const hostileText = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('\0', 'a\0', '\ud800', '__proto__', '1e1000') },
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 70 }) },
);

/** Mostly right: a request with one mistake gets further than one with ten. */
export const mostly = <T>(right: fc.Arbitrary<T>, wrong: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 7, arbitrary: right }, { weight: 1, arbitrary: wrong });

/** JSON that a parser, a schema or a loop may not expect, as text. */
export const hostileJson = fc.oneof(
  fc.constantFrom(
    ...['null', 'true', '0', '-0', '1e400', '-1e400', '1e-400', '1E+2', '[]', '{}', '""', '.5'],
    ...['NaN', '01', '"\\ud800"', '"\\u0000"', '"\\x"', '99999999999999999999999999', '[1,]'],
    '{"__proto__":{"polluted":1}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '{"a":1,"a":2}',
    '{"toString":1,"valueOf":1,"toJSON":1,"then":1,"length":-1}',
    '[{"partnerMerchantId":501,"typeId":1,"fixed":"1e3"}]',
    '[{"partnerMerchantId":-1,"typeId":1e99,"percent":"100.01","min":"-0"}]',
  ),
  hostileText.map((text) => JSON.stringify(text)),
  fc.json({ maxDepth: 3 }),
  fc.double().map(String),
  fc.nat(2500).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.nat(2500).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
  fc.nat(20_000).map((length) => `[${'0,'.repeat(length)}0]`),
);

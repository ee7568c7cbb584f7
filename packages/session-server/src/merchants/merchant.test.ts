import { describe, expect, it } from 'vitest';
import { merchantEntry } from '../testing/test-merchant.js';
import { merchantSchema, merchantsFileSchema } from './merchant.js';

/** A value that must never come back in a message. */
const SECRET = 'do-not-quote-me';

function mistakesOf(changes: Readonly<Record<string, unknown>>): string[] {
  const parsed = merchantSchema.safeParse(merchantEntry(changes));
  return (parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('a merchant entry', () => {
  it('needs no more than what has no default', () => {
    expect(merchantSchema.parse(merchantEntry())).toMatchObject({
      decimals: 2,
      split: [],
      openBy: 'token',
      avs: 'optional',
      avsFields: ['houseNumber', 'postcode'],
      extraFields: {},
      evidence: {
        matchFields: ['orderRef', 'resellerOrderId', 'internalReference'],
        paidStatuses: ['SUCCESS'],
        refundedStatuses: ['REFUNDED'],
        skewSeconds: 300,
        serviceFee: 'excluded',
      },
    });
  });

  const sdk = merchantEntry()['sdk'] as object;
  const rule = { partnerMerchantId: 501, typeId: 1 };
  it.each<[field: string, value: unknown, expected: RegExp]>([
    ['id', `${SECRET} with spaces`, /letters, digits/],
    ['name', '', /./],
    ['providerMerchantId', SECRET, /number/],
    ['providerMerchantId', 0, /./],
    ['currency', 'pounds', /three capital letters/],
    ['decimals', 5, /./],
    ['origins', [], /at least one origin/],
    ['origins', [SECRET], /absolute http or https address/],
    ['origins', ['ftp://shop.example'], /absolute http or https address/],
    ['origins', ['https://shop.example/'], /an origin alone/],
    ['origins', ['https://*'], /one exact host/],
    ['origins', ['https://*.shop.example'], /one exact host/],
    ['origins', ['https://a;sandbox'], /one exact host/],
    ['origins', ["https://a'unsafe-inline'"], /one exact host/],
    ['sdk', { ...sdk, url: 'https://*/sdk.js' }, /one exact host/],
    [
      'sdk',
      { ...sdk, origins: { script: ['https://*'], frame: [], connect: [] } },
      /one exact host/,
    ],
    ['origins', ['https://shop.example', 'HTTPS://SHOP.example'], /an origin alone/],
    ['returnUrl', '/result', /absolute http or https address/],
    ['returnUrl', 'https://other.example/?c={checkout}', /one of this merchant’s origins/],
    ['returnUrl', 'https://shop.example.evil.example/{checkout}', /one of this merchant’s origins/],
    ['returnUrl', 'https://shop.example@evil.example/{checkout}', /one of this merchant’s origins/],
    [
      'returnUrl',
      'https://evil.example\\@shop.example/{checkout}',
      /one of this merchant’s origins/,
    ],
    ['returnUrl', 'https://shop.example:8443/{checkout}', /one of this merchant’s origins/],
    ['returnUrl', 'http://shop.example/{checkout}', /one of this merchant’s origins/],
    ['returnUrl', '//shop.example/{checkout}', /absolute http or https address/],
    ['returnUrl', 'https://shop.example/result', /\{checkout\}/],
    ['orderLookup', { url: SECRET }, /absolute http or https address/],
    ['orderLookup', { url: 'https://shop.example', timeout: 3 }, /timeout/],
    ['events', 'https://shop.example', /object/],
    ['split', [{ ...rule, percent: '100.0001' }], /from "0" to "100"|percent or fixed/],
    ['split', [{ ...rule, percent: 2.5 }], /decimal text/],
    ['split', [{ ...rule, fixed: '0.305' }], /at most 2 decimal places/],
    ['split', [{ ...rule, percent: '1', fixed: '0.30' }], /either percent or fixed/],
    ['sdk', { ...sdk, global: 'alert(1)' }, /dotted name/],
    ['sdk', { ...sdk, argument: 'array' }, /"object"/],
    ['sdk', { ...sdk, integrity: 'md5-x' }, /sha384/],
    ['sdk', { ...sdk, callbacks: { onPaid: 'paid' } }, /declined/],
    ['extraFields', { Amount: '1.00' }, /extraFields\.Amount: expected a field that the server/],
    ['extraFields', { WebhookUrl: SECRET }, /extraFields\.WebhookUrl: expected a field/],
    ['extraFields', { channel: { name: SECRET } }, /extraFields\.channel/],
    ['evidence', { paidStatuses: [] }, /./],
    ['evidence', { serviceFee: 'maybe' }, /excluded/],
    ['apiKeyHash', [SECRET], /sha256:/],
    ['apiKeyHash', [], /./],
    ['orderTokenSecret', [SECRET], /at least 32 characters/],
    ['signingSecret', [`whsec_${SECRET}`], /24 random bytes/],
    ['signingSecret', [`whsec_${'A'.repeat(31)}-`], /24 random bytes/],
    ['signingSecret', [`whsec_${'A'.repeat(31)}`], /24 random bytes/],
    ['returnURL', 'https://shop.example', /returnURL/],
  ])('is refused with %s = %j', (field, value, expected) => {
    const mistakes = mistakesOf({ [field]: value }).join('\n');
    expect(mistakes).toMatch(expected);
    expect(mistakes).toContain(field);
    expect(mistakes).not.toContain(SECRET);
  });

  it('needs secrets only for what is asked of its shop, or sent to it', () => {
    const none = { orderLookup: undefined, events: undefined };
    const secrets = { orderTokenSecret: [], signingSecret: [] };
    const { orderLookup, events } = merchantEntry();
    const fieldsOf = (changes: object) =>
      mistakesOf({ ...none, ...secrets, ...changes }).map((mistake) => mistake.split(':')[0]);
    expect(fieldsOf({})).toEqual([]);
    expect(fieldsOf({ orderLookup })).toEqual(['orderTokenSecret', 'signingSecret']);
    expect(fieldsOf({ events })).toEqual(['signingSecret']);
  });

  it('has every mistake reported at once, those of fields together included', () => {
    const mistakes = mistakesOf({
      name: 7,
      returnUrl: 'https://other.example/result',
      split: [{ partnerMerchantId: 501, typeId: 1, fixed: '0.305' }],
      avs: 'sometimes',
      avsFields: ['postcode'],
    });
    expect(mistakes.map((mistake) => mistake.split(':')[0])).toEqual([
      'name',
      'avs',
      'avsFields',
      'returnUrl',
      'returnUrl',
      'split.0.fixed',
    ]);
  });
});

describe('the split rules of a merchant', () => {
  it('are refused when their percentages come to more than the whole', () => {
    const rule = (percent: string) => ({ partnerMerchantId: 501, typeId: 1, percent });
    const parse = (...split: object[]) => merchantSchema.safeParse(merchantEntry({ split }));
    expect(parse(rule('60'), rule('40')).success).toBe(true);
    const { error } = parse(rule('60'), rule('40.0001'));
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['split']);
  });
});

describe('a merchants file', () => {
  function fileMistakes(file: unknown): string[] {
    const parsed = merchantsFileSchema.safeParse(file);
    return (parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
  }

  it('may have two entries of one provider merchant', () => {
    const entries = [merchantEntry(), merchantEntry({ id: 'other' })];
    expect(fileMistakes({ merchants: entries })).toEqual([]);
  });

  it('has a key of its own for each entry, since the key selects the merchant', () => {
    const { apiKeyHash } = merchantEntry();
    const entries = [merchantEntry(), merchantEntry({ id: 'other', apiKeyHash })];
    const mistakes = fileMistakes({ merchants: entries });
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toMatch(/^merchants\.1\.apiKeyHash\.0: expected a key of its own/);
  });

  it('has one entry for an id, also when another entry is wrong', () => {
    const entries = ['0', '1', '2'].map((digit) =>
      merchantEntry({
        apiKeyHash: [`sha256:${digit.repeat(64)}`],
        ...(digit === '1' ? { currency: 'x' } : {}),
      }),
    );
    const mistakes = fileMistakes({ merchants: entries });
    expect(mistakes.map((mistake) => mistake.split(':')[0])).toEqual([
      'merchants.1.currency',
      'merchants.1.id',
      'merchants.2.id',
    ]);
  });

  it.each([[[]], [{}], [{ merchants: [] }], ['x'], [null]])('is refused when it is %j', (file) => {
    expect(fileMistakes(file)).not.toEqual([]);
  });
});

import { readdirSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGLISH, type Language, LANGUAGES } from './languages.js';
import { TestStack } from './testing/test-stack.js';

const MAX_BYTES = 1500;

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.close());

const others = LANGUAGES.filter(({ locale }) => locale !== 'en');
const placeholdersIn = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();

describe.each(others.map((language) => [language.locale, language] as const))(
  '%s',
  (locale, one) => {
    it('is in the file of its name', () => {
      const files = readdirSync(new URL('../languages/', import.meta.url));
      expect(files).toContain(`${locale}.json`);
      expect(Intl.getCanonicalLocales(locale)).toEqual([locale]);
    });

    it('has each text of our pages, with the placeholders of English and without markup', () => {
      expect(Object.keys(one.pages)).toEqual(Object.keys(ENGLISH.pages));
      for (const [name, english] of Object.entries(ENGLISH.pages)) {
        const text = one.pages[name as keyof Language['pages']];
        expect(placeholdersIn(text), name).toEqual(placeholdersIn(english));
        expect(text, name).toMatch(/^\S[^<>&]+\S$/);
        expect(text, name).not.toBe(english);
      }
    });

    it(`has its texts of the element in ${MAX_BYTES} bytes`, async () => {
      const { status, headers, text } = await stack.fetch(`/v1/languages/${locale}`);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toContain('max-age=300');
      expect(headers.get('content-type')).toContain('application/json');
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(JSON.parse(text)).toEqual({ locale, dir: one.dir, ...one.element });
      expect(brotliCompressSync(text).length).toBeLessThanOrEqual(MAX_BYTES);
    });
  },
);

describe('the texts of the element', () => {
  it.each([
    ['de-AT', 'de'],
    ['DE-at', 'de'],
    ['pt-PT', 'pt'],
    ['ar-EG', 'ar'],
    ['en-GB', undefined],
    ['dex', undefined],
    ['constructor', undefined],
    ['%22%3E%3Cscript%3Ecanary', undefined],
  ])('for %s are those of %s', async (tag, locale) => {
    const { status, body } = await stack.fetch<{ locale?: string }>(`/v1/languages/${tag}`);
    expect([status, body.locale]).toEqual([200, locale]);
    if (locale === undefined) expect(body).toEqual({});
  });
});

describe('the language of a page', () => {
  const openPage = (query: string, accepted?: string) =>
    stack.fetch(`/v1/pay/teashop/${stack.token('L1')}${query}`, {
      headers: accepted === undefined ? {} : { 'accept-language': accepted },
    });

  it.each([
    ['', undefined, 'en', 'en'],
    ['', '*', 'en', 'en'],
    ['', 'la', 'en', 'en'],
    ['', 'de-AT,de;q=0.9,en;q=0.8', 'de', 'de'],
    ['', 'la, ar;q=0.5, en;q=0.1', 'ar', 'ar'],
    ['', 'en-GB, de;q=0.9', 'en', 'en'],
    ['?locale=de-AT', 'en', 'de', 'de-AT'],
    ['?locale=de_CH', 'en', 'de', 'de-CH'],
    ['?locale=en-GB', 'de', 'en', 'en-GB'],
    ['?locale=la', 'de', 'de', 'de'],
    ['?locale=constructor', undefined, 'en', 'en'],
    ['?locale=de&locale=fr', 'ar', 'ar', 'ar'],
  ])(
    '%s with Accept-Language %s is %s, and the element’s is %s',
    async (query, accepted, lang, locale) => {
      const { status, headers, text } = await openPage(query, accepted);
      expect(status).toBe(200);
      expect(headers.get('vary')?.toLowerCase()).toContain('accept-language');
      expect(text).toContain(`lang="${lang}"`);
      expect(text).toContain(`dir="${lang === 'ar' ? 'rtl' : 'ltr'}"`);
      expect(text).toContain(` locale="${locale}"`);
      const toShop = LANGUAGES.find((one) => one.locale === lang)?.pages.toShop;
      expect(text).toContain(`>${toShop}</a>`);
    },
  );

  it('is compared with the first few hundred characters of Accept-Language', async () => {
    const { text: near } = await openPage('', `${'la,'.repeat(100)}de`);
    expect(near).toContain('lang="de"');
    for (const before of ['la,'.repeat(200), `${'x'.repeat(15_000)},`]) {
      const { status, text } = await openPage('', `${before}de`);
      expect([status, text.includes('lang="en"')]).toEqual([200, true]);
    }
  });

  it('isolates what is read from left to right in a sentence that is not', async () => {
    const { text } = await openPage('?locale=ar');
    expect(text).toContain('الطلب \u2068L1\u2069');
  });

  it('repeats nothing of an address that names no language', async () => {
    const { status, text } = await openPage(
      '?locale=%22%3E%3Cscript%3Ecanary%3C/script%3E',
      '"><b>canary',
    );
    expect(status).toBe(200);
    expect(text).not.toContain('canary');
    expect(text).toContain('lang="en"');
  });

  it('is that of refusals too', async () => {
    const headers = { 'accept-language': 'de' };
    const invalid = await stack.fetch('/v1/pay/teashop/none', { headers });
    expect(invalid.status).toBe(404);
    expect(invalid.text).toContain('<html lang="de" dir="ltr"');
    expect(invalid.text).toContain('Dieser Zahlungslink ist ungültig');
    const expired = await stack.fetch(`/v1/pay/teashop/${stack.token('L2', -1)}?locale=ar`);
    expect(expired.text).toContain('انتهت صلاحية رابط الدفع هذا');
    const missing = await stack.fetch(`/v1/return/${'A'.repeat(22)}?locale=de`);
    expect(missing.status).toBe(404);
    expect(missing.text).toContain('Seite nicht gefunden');
  });

  it('is that of the return page, which says what is known and no more', async () => {
    const { body } = await stack.open('L3', { amount: '9.99' });
    const sessionId = body.sessionId ?? '';
    const headers = { 'accept-language': 'de-DE' };
    const path = stack.returnPath(sessionId, 'RedirectUrl');
    const back = await stack.fetch(path, { headers });
    expect(back.headers.get('vary')?.toLowerCase()).toContain('accept-language');
    expect(back.text).toContain('lang="de"');
    expect(back.text).toContain(
      '<h1>Wir prüfen Ihre Zahlung. Bitte zahlen Sie nicht noch einmal.</h1>',
    );
    expect(back.text).toContain('Bestellung L3');
    await stack.payAtProvider(sessionId);
    await stack.until(body.checkout, 'paid');
    const paid = await stack.fetch(`${path}?locale=ar`, { headers });
    expect(paid.text).toContain('dir="rtl"');
    expect(paid.text).toContain('<h1>تم استلام الدفعة. شكرًا لك.</h1>');
  });
});

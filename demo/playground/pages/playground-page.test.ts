import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BRANDS } from './brands.js';
import { describeEvent } from './event-log.js';
import { shortenToken, writeMarkup } from './markup.js';
import { type Settings, attributesFor, cssFor } from './settings.js';

const SERVER = 'http://pay.localhost:4200';
const ORDER = {
  merchant: 'playground-promise',
  order: 'A1001',
  orderToken: 'A1001.1790000000.abcdefghijklmnop',
};
const USUAL: Settings = {
  shape: 'promise',
  amount: '12.34',
  asksAddress: false,
  mode: 'auto',
  autostart: false,
  theme: 'auto',
  locale: '',
  returnParam: '',
  writesServer: false,
  words: '',
  lang: 'en-GB',
  dir: 'ltr',
  isFramed: false,
  brand: '',
  hasOwnColours: false,
  accent: '#7a2e5d',
  onAccent: '#ffffff',
  radius: '',
  gap: '',
};

function write(settings: Settings): string {
  const { lang, dir, words } = settings;
  return writeMarkup({
    script: `${SERVER}/v1/pay-checkout.js`,
    css: cssFor(settings),
    lang,
    dir,
    attributes: attributesFor(settings, ORDER, SERVER),
    words,
  });
}

describe('the HTML of the playground', () => {
  it('leaves out what is the default anyway', () => {
    expect(write(USUAL)).toBe(
      [
        '<script src="http://pay.localhost:4200/v1/pay-checkout.js" async crossorigin></script>',
        '<pay-checkout',
        '  merchant="playground-promise"',
        '  order="A1001"',
        '  order-token="A1001.1790000000.abcdefghijklmnop"',
        '></pay-checkout>',
      ].join('\n'),
    );
  });

  it('has every setting that differs', () => {
    const text = write({
      ...USUAL,
      mode: 'popup',
      autostart: true,
      theme: 'dark',
      locale: 'de-DE',
      returnParam: 'paid_by',
      writesServer: true,
      hasOwnColours: true,
      gap: '8px',
      dir: 'rtl',
    });
    for (const part of [
      'server="http://pay.localhost:4200"',
      'mode="popup"',
      '\n    autostart\n',
      'theme="dark"',
      'locale="de-DE"',
      'return-param="paid_by"',
      '--pay-checkout-accent: #7a2e5d;',
      '--pay-checkout-on-accent: #ffffff;',
      '--pay-checkout-gap: 8px;',
      '<div lang="en-GB" dir="rtl">',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain('--pay-checkout-radius');
  });

  it('has the tokens of the brand, and after them what was set next to it', () => {
    const text = write({ ...USUAL, brand: 'slate', radius: '24px' });
    expect(text).toContain('--pay-checkout-surface: #12151a;');
    expect(text).toContain('--pay-checkout-radius: 24px;');
    expect(text).not.toContain('--pay-checkout-radius: 0px;');
  });

  it('makes no markup of what a person typed', () => {
    expect(write({ ...USUAL, words: '</span><img src=x onerror="1">&' })).toContain(
      '<span slot="pay">&lt;/span&gt;&lt;img src=x onerror=&quot;1&quot;&gt;&amp;</span>',
    );
  });

  it('shortens only the order token, for the eyes', () => {
    expect(shortenToken(attributesFor(USUAL, ORDER, SERVER))).toEqual([
      ['merchant', 'playground-promise'],
      ['order', 'A1001'],
      ['order-token', 'A1001.179000…'],
    ]);
  });
});

describe('docs/theming.md', () => {
  const page = readFileSync(new URL('../../../docs/theming.md', import.meta.url), 'utf8');

  it.each(Object.keys(BRANDS))('has the brand %s as it is here', (brand) => {
    expect(page).toContain(`\`\`\`css\n${cssFor({ ...USUAL, brand })}\n\`\`\``);
  });
});

describe('a line of the log', () => {
  it('has the fields that the event has, whatever they are, and no long token', () => {
    const event = Object.assign(new Event('pay-redirect'), {
      url: `${SERVER}/v1/pay/playground-promise/${ORDER.orderToken}`,
      duration: 12.3456,
      requestId: undefined,
    });
    const { name, details, tone } = describeEvent(event, 5);
    expect([name, tone]).toEqual(['pay-redirect', 'event']);
    expect(Object.fromEntries(details)).toMatchObject({ duration: '12.3' });
    expect(JSON.stringify(details)).not.toContain(ORDER.orderToken);
    expect(details.map(([field]) => field)).toEqual(['url', 'duration']);
  });

  it('stands out when it is good, and when it is an error', () => {
    expect(describeEvent(new Event('pay-paid'), 0).tone).toBe('good');
    expect(describeEvent(new Event('pay-error'), 0).tone).toBe('bad');
  });
});

describe('the page of the playground', () => {
  it('says above the settings that it needs JavaScript, and not below all that needs it', () => {
    const page = readFileSync(new URL('./playground.html', import.meta.url), 'utf8');
    expect(page).toContain('<noscript');
    expect(page.indexOf('<noscript')).toBeLessThan(page.indexOf('<form'));
  });
});

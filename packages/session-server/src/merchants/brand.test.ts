import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigError } from '../errors.js';
import { describeIssue, toFieldErrors } from '../field-errors.js';
import type { LogFields, Logger } from '../logger.js';
import { pngOf } from '../testing/test-logo.js';
import { merchantEntry, testMerchant } from '../testing/test-merchant.js';
import { brandTokens, findBrandWarnings, FONTS, shopNameOf } from './brand.js';
import { FileMerchantSource, readMerchantsFile } from './merchant-source.js';
import { merchantSchema } from './merchant.js';

function mistakesOf(brand: unknown): string[] {
  const { error } = merchantSchema.safeParse(merchantEntry({ brand }), { error: describeIssue });
  return error ? toFieldErrors(error).map(({ field, message }) => `${field}: ${message}`) : [];
}

const tokensOf = (brand: object) => brandTokens(testMerchant({ brand }).brand);
const warningsOf = (accent: unknown) => findBrandWarnings(testMerchant({ brand: { accent } }));

describe('the brand of a merchant entry', () => {
  it('may be left out, as a whole and in each part', () => {
    expect(brandTokens(testMerchant().brand)).toBe('');
    expect(tokensOf({})).toBe('');
    expect(shopNameOf(testMerchant())).toBe('The Tea Shop');
    expect(shopNameOf(testMerchant({ brand: { name: 'Tea & Co' } }))).toBe('Tea & Co');
  });

  it('sets the tokens of the element, with a readable text on its accent', () => {
    expect(tokensOf({ accent: '#7a2e5d', radius: 0, font: 'serif' }).split('; ')).toEqual([
      '--pay-checkout-accent: light-dark(#7a2e5d, #7a2e5d)',
      '--pay-checkout-on-accent: light-dark(#ffffff, #ffffff)',
      '--pay-checkout-radius: 0px',
      `--pay-checkout-font: ${FONTS.serif};`,
    ]);
    expect(tokensOf({ accent: { light: '#7a2e5d', dark: '#E3A3C8' } })).toBe(
      '--pay-checkout-accent: light-dark(#7a2e5d, #E3A3C8); ' +
        '--pay-checkout-on-accent: light-dark(#ffffff, #000000);',
    );
  });

  const colour = /^brand\.accent(\.light|\.dark)?: expected (a colour such as|"#" and six)/;
  const logo = /^brand\.logo: expected the name of a PNG, JPEG or WebP/;
  it.each<[field: string, value: unknown, expected: RegExp]>([
    ['accent', 'red', colour],
    ['accent', '#abc', colour],
    ['accent', '#7a2e5d80', colour],
    ['accent', '#7a2e5d; } body { display: none', colour],
    ['accent', '#7a2e5d\n', colour],
    ['accent', 'url(https://evil.example/a)', colour],
    ['accent', '#7a2e5d</style><script>alert(1)</script>', colour],
    ['accent', { light: '#7a2e5d' }, colour],
    ['accent', { light: '#7a2e5d', dark: '} * { color: red' }, colour],
    [
      'accent',
      { light: '#7a2e5d', dark: '#7a2e5d', print: '#7a2e5d' },
      /^brand\.accent\.print: not accepted/,
    ],
    ['radius', '8px', /^brand\.radius: expected a number/],
    ['radius', '0; } * { display: none', /^brand\.radius: expected a number/],
    ['radius', 1.5, /^brand\.radius: expected a whole number/],
    ['radius', -1, /^brand\.radius: expected at least 0/],
    ['radius', 25, /^brand\.radius: expected at most 24/],
    ['font', 'Comic', /^brand\.font: expected "system" or "humanist" or/],
    ['font', "system-ui; } @import 'https://evil.example/a'", /^brand\.font: expected "system" or/],
    ['font', 'constructor', /^brand\.font: expected "system" or/],
    ['name', '', /^brand\.name: expected a line of text/],
    ['name', ' ', /^brand\.name: expected a line of text/],
    ['name', 'Tea\nShop', /^brand\.name: expected a line of text/],
    ['name', 'Tea\u2028Shop', /^brand\.name: expected a line of text/],
    ['name', 'T'.repeat(61), /^brand\.name: expected at most 60 characters/],
    ['logo', '', logo],
    ['logo', 'logos/', logo],
    ['logo', '../logo.png', logo],
    ['logo', 'a/../../logo.png', logo],
    ['logo', '/etc/logo.png', logo],
    ['logo', 'C:\\logo.png', logo],
    ['logo', 'https://evil.example/logo.png', logo],
    ['logo', '.env.png', logo],
    ['logo', 'logo.png\0', logo],
    ['logo', 'logo.png"', logo],
    ['logo', { light: 'a.png' }, /^brand\.logo: expected text/],
    ['background', '#ffffff', /^brand\.background: not accepted here/],
  ])('is refused with %s %j', (field, value, expected) => {
    const mistakes = mistakesOf({ [field]: value });
    expect(mistakes.length).toBeGreaterThan(0);
    for (const mistake of mistakes) expect(mistake).toMatch(expected);
  });

  it('has every mistake listed at once', () => {
    const brand = { name: '', logo: '../a.png', accent: 'red', radius: 99, font: 'Comic' };
    expect(mistakesOf(brand).map((mistake) => mistake.split(':')[0])).toEqual([
      'brand.name',
      'brand.logo',
      'brand.accent',
      'brand.radius',
      'brand.font',
    ]);
  });
});

describe('an accent', () => {
  it.each<[accent: unknown, warnings: [surface: string, ratio: number][]]>([
    ['#1f4fd8', [['dark', 2.54]]],
    ['#ffd34d', [['light', 1.43]]],
    ['#000000', [['dark', 1.24]]],
    ['#ffffff', [['light', 1]]],
    // 3.00 and 2.99 on white.
    ['#949494', []],
    ['#959595', [['light', 2.99]]],
    [{ light: '#1f4fd8', dark: '#8fb0ff' }, []],
    [
      { light: '#8fb0ff', dark: '#1f4fd8' },
      [
        ['light', 2.13],
        ['dark', 2.54],
      ],
    ],
  ])('%j has a warning for each surface on which it is hard to see', (accent, expected) => {
    const found = warningsOf(accent);
    expect(found.map(({ surface, ratio }) => [surface, ratio])).toEqual(expected);
    for (const { code, needed } of found) {
      expect([code, needed]).toEqual(['accent_low_contrast', 3]);
    }
  });
});

describe('a merchants file with brands', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'brands-'));
    path = join(folder, 'merchants.json');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const write = (...entries: readonly unknown[]) => {
    writeFileSync(path, JSON.stringify({ merchants: entries }));
  };

  it('gives each merchant the logo that its entry names', () => {
    mkdirSync(join(folder, 'logos'));
    writeFileSync(join(folder, 'logos/tea.png'), pngOf(8, 4));
    const brand = { logo: 'logos/tea.png' };
    write(merchantEntry({ id: 'plain' }), merchantEntry({ brand }));
    const { merchants } = readMerchantsFile(path, 'production');
    expect(merchants.get('teashop')?.logo).toMatchObject({
      type: 'image/png',
      width: 8,
      height: 4,
    });
    expect(merchants.get('plain')?.logo).toBeUndefined();
  });

  it('lists what is wrong with logos along with every other mistake', () => {
    writeFileSync(join(folder, 'svg.png'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    write(
      merchantEntry({ currency: 'pounds', brand: { logo: 'missing.png', radius: '8px' } }),
      merchantEntry({ id: 'other', brand: { logo: 'svg.png' } }),
    );
    let mistakes: readonly string[] = [];
    try {
      readMerchantsFile(path, 'sandbox');
    } catch (error) {
      mistakes = (error as ConfigError).mistakes;
    }
    expect(mistakes.map((mistake) => mistake.replace(/ \(line .*?\)/, ''))).toEqual([
      'merchants.0.brand.radius: expected a number',
      'merchants.0.currency: expected three capital letters, such as "GBP"',
      'merchants.0.brand.logo: there is no such file',
      'merchants.1.brand.logo: expected a PNG, JPEG or WebP; this file is none inside, whatever its name',
    ]);
  });

  it('is read again with its logo; a bad one keeps the brand in force and says why', async () => {
    const lines: { level: string; fields: LogFields; message: string }[] = [];
    const note = (level: string) => (fields: LogFields, message: string) =>
      void lines.push({ level, fields, message });
    const logger: Logger = {
      debug: note('debug'),
      info: note('info'),
      warn: note('warn'),
      error: note('error'),
    };
    writeFileSync(join(folder, 'a.png'), pngOf(8, 4));
    write(merchantEntry({ brand: { accent: '#ffd34d', logo: 'a.png' } }));
    const source = new FileMerchantSource({ path, environment: 'sandbox', logger });
    try {
      expect(lines).toMatchObject([
        {
          level: 'warn',
          fields: { merchants: ['teashop'], count: 1, code: 'accent_low_contrast' },
        },
      ]);
      writeFileSync(join(folder, 'b.png'), pngOf(9, 4));
      write(merchantEntry({ brand: { logo: 'b.png' } }));
      const widthNow = async () => (await source.find('teashop'))?.logo?.width;
      await expect.poll(widthNow).toBe(9);

      writeFileSync(join(folder, 'b.png'), '<svg/>');
      write(merchantEntry({ brand: { logo: 'b.png', accent: '#123456' } }));
      const refusal = () => lines.find(({ level }) => level === 'error');
      await expect.poll(refusal).toBeDefined();
      expect(refusal()?.fields['mistakes']).toEqual([
        expect.stringMatching(/^merchants\.0\.brand\.logo \(line 1, column \d+\): expected a PNG/),
      ]);
      expect(await widthNow()).toBe(9);
    } finally {
      await source.close();
    }
  });
});

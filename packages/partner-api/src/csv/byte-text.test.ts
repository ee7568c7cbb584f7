import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { ByteText } from './byte-text.js';

function written(work: (text: ByteText) => void): string {
  const text = new ByteText();
  work(text);
  return new TextDecoder('utf-8', { fatal: true }).decode(text.bytes);
}

describe('text in bytes', () => {
  it('writes every amount in cents as JavaScript does', () => {
    for (let cents = 0; cents < 30_000; cents += 1) {
      const amount = cents / 100;
      expect(written((text) => text.writeNumber(amount))).toBe(String(amount));
    }
  });

  it('writes any number as JavaScript does, or says that it needs an exponent', () => {
    const amount = fc.integer({ min: -3_000_000_000, max: 3_000_000_000 }).map((n) => n / 100);
    const number = fc.oneof(amount, fc.double(), fc.integer(), fc.double({ min: 0, max: 2e7 }));
    fc.assert(
      fc.property(number, (value) => {
        let isWritten = false;
        const found = written((text) => (isWritten = text.writeNumber(value)));
        const expected = String(value);
        expect(isWritten).toBe(Number.isFinite(value) && !expected.includes('e'));
        expect(found).toBe(isWritten ? expected : '');
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([19_999_999.99, 20_000_000, 0.01, 0.1, -0, 1e21, 1e-7])('writes %d rightly', (value) => {
    const text = String(value);
    expect(written((to) => to.writeNumber(value))).toBe(text.includes('e') ? '' : text);
  });

  it('gives any text back, however it was written, and writes nothing that it refuses', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('ä', '߿', 'ࠀ', '€', '🧀'),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const found = written((text) => {
          for (const one of pieces) {
            const needsQuotes = /[",\r\n]/.test(one);
            const isWritten = text.writePlain(one);
            expect(isWritten && needsQuotes).toBe(false);
            if (!isWritten) text.write(one);
            text.comma();
          }
        });
        expect(found).toBe(pieces.map((one) => `${one},`).join(''));
      }),
    );
  });

  it('grows with what is written, and is used again', () => {
    const text = new ByteText();
    for (let round = 0; round < 2; round += 1) {
      text.clear();
      for (let line = 0; line < 40_000; line += 1) {
        text.writePlain('größer');
        text.writeNumber(12.5);
        text.endLine();
      }
      expect(new TextDecoder().decode(text.bytes)).toBe('größer12.5\r\n'.repeat(40_000));
    }
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { decodeAnywhere, decodeUtf8, encodeUtf8 } from './utf8.js';

describe('UTF-8', () => {
  it('gives any text back, a byte order mark left out', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (text, isMarked) => {
        const bytes = new TextEncoder().encode(isMarked ? `\uFEFF${text}` : text);
        const expected = new TextDecoder().decode(bytes);
        expect(decodeUtf8(bytes)).toBe(expected);
        expect(decodeAnywhere(bytes)).toBe(expected);
      }),
    );
  });

  it('of any text is what the platform says, also of half a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'ä', '€', '\u{1F9C0}', '\uD83E') }),
        (text) => {
          expect([...encodeUtf8(text)]).toEqual([...new TextEncoder().encode(text)]);
        },
      ),
    );
  });

  it('that is not valid is told in the same way everywhere, wherever it stands in a page', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        [0xc3, 0xa4],
        [0xe2, 0x82, 0xac],
        [0xf0, 0x9f, 0xa7, 0x80],
        [0xef, 0xbb, 0xbf],
      ),
      fc.constantFrom(
        [0xff],
        [0xc0, 0x80],
        [0xed, 0xa0, 0x80],
        [0xf4, 0x90, 0x80, 0x80],
        [0xe2, 0x82],
      ),
      fc.stringMatching(/^[ -~]{0,70}$/).map((text) => [...new TextEncoder().encode(text)]),
    );
    let invalid = 0;
    fc.assert(
      fc.property(fc.array(piece), fc.nat(7), (pieces, offset) => {
        const bytes = Uint8Array.from([...Array<number>(offset).fill(0xff), ...pieces.flat()]);
        const view = bytes.subarray(offset);
        expect(decodeUtf8(view)).toBe(decodeAnywhere(view));
        if (decodeUtf8(view) === undefined) invalid += 1;
      }),
      { numRuns: 500 },
    );
    expect(invalid).toBeGreaterThan(50);
  });
});

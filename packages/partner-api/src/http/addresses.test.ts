import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { joinUrl, parseBaseUrl } from './addresses.js';

describe('joinUrl', () => {
  it.each([
    ['https://h', 'https://h/v1/x'],
    ['https://h/', 'https://h/v1/x'],
    ['https://h/a/b', 'https://h/a/b/v1/x'],
    ['https://h/a/b/', 'https://h/a/b/v1/x'],
    ['https://h:8443/a//', 'https://h:8443/a/v1/x'],
  ])('keeps the prefix of %s', (base, expected) => {
    expect(joinUrl(new URL(base), ['v1', 'x']).href).toBe(expected);
  });

  it('keeps any prefix once, with one slash between the parts, and any segment whole', () => {
    const name = fc.stringMatching(/^[a-z0-9~_-]{1,8}$/);
    const segment = fc
      .string({ minLength: 1, unit: 'grapheme' })
      .filter((text) => !/^\.{1,2}$/.test(text));
    fc.assert(
      fc.property(
        fc.array(name, { maxLength: 4 }),
        fc.constantFrom('', '/', '//'),
        fc.array(segment, { minLength: 1, maxLength: 3 }),
        (prefix, slashes, segments) => {
          const base = new URL(
            `https://h.example${prefix.map((part) => `/${part}`).join('')}${slashes}`,
          );
          const url = joinUrl(base, segments);
          const parts = url.pathname.slice(1).split('/').map(decodeURIComponent);
          expect(parts).toEqual([...prefix, ...segments]);
          expect(url.origin).toBe('https://h.example');
          expect(url.search + url.hash).toBe('');
        },
      ),
    );
  });

  it.each(['', '.', '..'])('refuses the segment %j, which would lead elsewhere', (segment) => {
    expect(() => joinUrl(new URL('https://h/a'), [segment])).toThrow(RangeError);
  });
});

describe('parseBaseUrl', () => {
  it.each([
    ['api.example.com', 'absolute'],
    ['ftp://h', 'https://'],
    ['https://user:word@h', 'user name'],
    ['https://h/a?x=1', 'query'],
    ['https://h/a#', 'fragment'],
    [undefined, 'absolute'],
  ])('refuses %s with advice', (text, advice) => {
    expect(parseBaseUrl(text)).toContain(advice);
  });
});

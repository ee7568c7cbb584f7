import type { Plugin } from 'vite';

/** Takes out of `css` literals what only makes the sources easy to read. */
export function tightenStyles(): Plugin {
  return {
    name: 'tighten-styles',
    transform(code, id) {
      if (!id.endsWith('.styles.ts')) return null;
      const tight = code
        .replace(/\/\*[\s\S]*?\*\//g, '')
        .replace(/\n\s+/g, '\n')
        .replace(/\s*([{},;]|:(?= ))\s*/g, '$1')
        .replace(/ ([*/>]) |\b0(?=\.)|(?<=@media) (?=\()|(?<==)'(\w+)'/g, '$1$2')
        .replaceAll(';}', '}');
      return { code: tight, map: null };
    },
  };
}

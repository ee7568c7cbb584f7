/** Builds the pages of the shop: one HTML file a page, no inline script or style. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vite';
import { pageParts } from './build/page-parts.js';

const source = join(import.meta.dirname, 'src');

export default defineConfig({
  root: source,
  publicDir: join(source, 'public'),
  plugins: [pageParts()],
  build: {
    outDir: join(import.meta.dirname, 'dist', 'site'),
    emptyOutDir: true,
    // Our Content Security Policy allows files, not data: addresses.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: readdirSync(source)
        .filter((file) => file.endsWith('.html'))
        .map((file) => join(source, file)),
    },
  },
});

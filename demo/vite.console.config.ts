/** Builds the pages of the partner console, apart from the shop's: another process serves them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vite';
import { consoleParts } from './build/console-parts.js';

const source = join(import.meta.dirname, 'src', 'console');

export default defineConfig({
  root: source,
  publicDir: join(source, 'public'),
  plugins: [consoleParts()],
  build: {
    outDir: join(import.meta.dirname, 'dist', 'console'),
    emptyOutDir: true,
    // The Content Security Policy allows files, not data: addresses.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: readdirSync(source)
        .filter((file) => file.endsWith('.html'))
        .map((file) => join(source, file)),
    },
  },
});

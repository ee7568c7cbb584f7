import { join } from 'node:path';
import { defineConfig } from 'vite';

/** The operator's page: files that its strict policy allows, nothing inline. */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    target: 'es2022',
    outDir: join(import.meta.dirname, '../dist/page'),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});

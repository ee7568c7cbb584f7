import { join } from 'node:path';
import { defineConfig } from 'vite';

/**
 * The page that `--mode` names, `operator` or `dashboard`, in a folder of its own: files that its strict
 * policy allows, nothing inline.
 */
export default defineConfig(({ mode: name }) => ({
  root: join(import.meta.dirname, name),
  mode: 'production',
  build: {
    target: 'es2022',
    outDir: join(import.meta.dirname, '../dist/page', name),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
}));

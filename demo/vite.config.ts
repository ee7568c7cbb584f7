/** Builds the pages of one site, `--mode shop`, `playground` or `console`: no inline script or style. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vite';
import { pageParts } from './page-parts.js';

const demo = import.meta.dirname;

export default defineConfig(({ mode: site }) => {
  const root = join(demo, site, 'pages');
  return {
    root,
    // The playground is served by the shop, and has its icon.
    publicDir: join(demo, site === 'playground' ? 'shop' : site, 'public'),
    plugins: [pageParts()],
    build: {
      outDir: join(demo, 'dist/sites', site),
      emptyOutDir: true,
      // The Content Security Policy allows files, not data: addresses.
      assetsInlineLimit: 0,
      // Names the files of the drawer, which the shops' back end puts on their pages.
      manifest: site === 'shop',
      rolldownOptions: {
        input: [
          ...readdirSync(root)
            .filter((file) => file.endsWith('.html'))
            .map((file) => join(root, file)),
          ...(site === 'shop' ? [join(demo, 'playground/pages/drawer.ts')] : []),
        ],
      },
    },
  };
});

/** Builds the pages of one site: `--mode playground`, `--mode console`, or of the shop with a brand's id. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vite';
import { pageParts } from './page-parts.js';
import { findBrand } from './brands/find-brand.js';
import { hollinAndSlip } from './brands/hollin-and-slip/brand.js';

const demo = import.meta.dirname;

export default defineConfig(({ mode: site }) => {
  const shop = findBrand(site);
  const root = join(demo, shop ? 'shop' : site, 'pages');
  return {
    root,
    publicDir: join(demo, site, 'public'),
    plugins: [pageParts(shop ?? hollinAndSlip)],
    build: {
      outDir: join(demo, 'dist/sites', site),
      emptyOutDir: true,
      // The Content Security Policy allows files, not data: addresses.
      assetsInlineLimit: 0,
      // Names the files of the drawer, which the shop's back end puts on its pages.
      manifest: shop !== undefined,
      rolldownOptions: {
        input: [
          ...readdirSync(root)
            .filter((file) => file.endsWith('.html'))
            .map((file) => join(root, file)),
          ...(shop ? [join(demo, 'playground/pages/drawer.ts')] : []),
        ],
        // What pages of the shop share is one small file: a phone waits longer for six.
        ...(shop && {
          output: { codeSplitting: { groups: [{ name: 'shop', minShareCount: 2 }] } },
        }),
      },
    },
  };
});

/** The drawer on a page of either shop, from the files that `vite build` made of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Its name in the build's manifest. */
const ENTRY = '../../playground/pages/drawer.ts';

type Manifest = Readonly<Record<string, { readonly file: string; readonly css?: string[] }>>;

/** @param siteDirectory where the built pages of the shop are, which serves the drawer's files */
export function renderDrawer(siteDirectory: string, title: string): string {
  const text = readFileSync(join(siteDirectory, '.vite/manifest.json'), 'utf8');
  const { file, css = [] } = (JSON.parse(text) as Manifest)[ENTRY] ?? {};
  if (file === undefined) throw new Error('The pages were built without the drawer.');
  return `${css.map((sheet) => `<link rel="stylesheet" href="/${sheet}">`).join('')}
    <script type="module" src="/${file}"></script>
    <aside class="break-things is-drawer" aria-label="${title}">
      <details><summary>${title}</summary><div></div></details>
    </aside>`;
}

/** `prepack` of a package: puts the documents into it, where its README says that they are. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isStartedAs, ROOT } from './child.mjs';

/** Written for those who change this repository. */
const FOR_DEVELOPERS = /[/\\](pictures|drill\.md|scale\.md|\.vitepress|reference)/;

/** @param {string} folder - Of the package. */
export function packDocs(folder) {
  const docs = join(folder, 'docs');
  rmSync(docs, { recursive: true, force: true });
  cpSync(join(ROOT, 'docs'), docs, {
    recursive: true,
    filter: (file) => !FOR_DEVELOPERS.test(file.slice(ROOT.length)),
  });
}

if (isStartedAs(import.meta.url)) packDocs(process.cwd());

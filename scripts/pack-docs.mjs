/** `prepack` of a package: puts the documents into it, where its README says that they are. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isStartedAs, ROOT } from './child.mjs';

/** Written for those who change this repository. */
const FOR_DEVELOPERS = /[/\\](pictures|\.vitepress|reference)/;
/** Folders of this repository that packages have a copy of. */
const SHARED = ['docs', 'ops'];

/** @param {string} folder - Of the package. */
export function packDocs(folder) {
  const { files } = /** @type {{ files: string[] }} */ (
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  );
  const copies = files.filter((name) => SHARED.includes(name)).map((name) => join(folder, name));
  for (const copy of copies) {
    rmSync(copy, { recursive: true, force: true });
    cpSync(join(ROOT, copy.slice(folder.length)), copy, {
      recursive: true,
      filter: (file) => !FOR_DEVELOPERS.test(file.slice(ROOT.length)),
    });
  }
  for (const copy of copies) unlinkMissing(copy);
}

/**
 * Leaves only the text of links to files that the package does not have, and no line of a picture.
 *
 * @param {string} folder
 */
function unlinkMissing(folder) {
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const page = join(folder, file);
    if (!page.endsWith('.md')) continue;
    const isThere = (/** @type {string} */ path) =>
      path.startsWith('https:') || existsSync(join(dirname(page), path));
    const text = readFileSync(page, 'utf8')
      .replaceAll(/^!\[[^\]]*\]\(([^)\s]+)\).*\n\n?/gm, (line, path) => (isThere(path) ? line : ''))
      .replaceAll(/\[([^\]]+)\]\(([^)\s#]+)[^)\s]*\)/g, (link, words, path) =>
        isThere(path) ? link : words,
      );
    writeFileSync(page, text);
  }
}

if (isStartedAs(import.meta.url)) packDocs(process.cwd());

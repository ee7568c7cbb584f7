/** The files that are, or would be, committed; read from the disk, because git may be missing. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './child.mjs';

export { ROOT };

const LEFT_OUT = new Set(['.git', 'node_modules', 'dist', '.cache', 'coverage']);
/** What commands write below a folder that is committed, as .gitignore names it. */
const WRITTEN = /^(demo[/\\]data|packages[/\\][^/\\]+[/\\](docs|ops))$/;

/**
 * @param {string} [folder] - Below the root; the root itself when left out.
 * @returns {string[]} Paths from the root.
 */
export function listCommittedFiles(folder = '') {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => !LEFT_OUT.has(name) && !WRITTEN.test(join(folder, name)))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? listCommittedFiles(path) : [path];
    });
}

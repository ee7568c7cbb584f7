/**
 * Counts the product's lines by package and folder.
 *
 * What counts: source files of `packages`, `demo` and `scripts` (`SOURCE`), each line that is not blank, comments
 * included, in the width that the formatter gives them. What does not: `tools` (the rigs), tests and what they stand on, contract
 * suites, hostile tests, benches (`LEFT_OUT`), configuration of tools, and data (JSON, pictures, texts). What is generated is
 * never committed as source, so it is not here to be counted.
 */
import { readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listCommittedFiles, ROOT } from './committed-files.mjs';

const SOURCE = /\.([cm]?[jt]s|[jt]sx|css|html|sh)$/;
const LEFT_OUT = [
  /\.(test|contract|check|harness|journeys?|table|config)\.[a-z]+$/,
  /\/(testing|test-node|test-server|test-frameworks|journey|agreement)\//,
  /^tools\/|\/(hostile|bench)\//,
];

/** @param {string} file - Its path from the root, with slashes. */
export function isProduct(file) {
  return SOURCE.test(file) && LEFT_OUT.every((what) => !what.test(file));
}

/** @param {string} text */
export function countLines(text) {
  return text.split('\n').filter((line) => line.trim() !== '').length;
}

/**
 * Sums of each folder, and before them that of its package.
 *
 * @typedef {{ folder: string, files: number, lines: number }} FolderLines
 * @param {readonly { file: string, lines: number }[]} counted
 * @returns {FolderLines[]} In the order of their names.
 */
export function sumByFolder(counted) {
  /** @type {Map<string, FolderLines>} */
  const sums = new Map();
  for (const { file, lines } of counted) {
    const folder = posix.dirname(file);
    const owner = /^packages\/[^/]+|^[^/]+/.exec(folder)?.[0] ?? folder;
    for (const name of new Set([owner, `${folder}/`])) {
      const sum = sums.get(name) ?? { folder: name, files: 0, lines: 0 };
      sum.files += 1;
      sum.lines += lines;
      sums.set(name, sum);
    }
  }
  return [...sums.values()].sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const counted = ['packages', 'demo', 'scripts']
    .flatMap((folder) => listCommittedFiles(folder))
    .map((path) => path.split(sep).join('/'))
    .filter(isProduct)
    .map((file) => ({ file, lines: countLines(readFileSync(join(ROOT, file), 'utf8')) }));
  const all = counted.reduce((sum, { lines }) => sum + lines, 0);
  const rows = [...sumByFolder(counted), { folder: 'all', files: counted.length, lines: all }];
  for (const { folder, files, lines } of rows) {
    const name = folder.endsWith('/') ? `  ${folder.slice(0, -1)}` : folder;
    console.log(`${name.padEnd(52)}${String(files).padStart(5)}${String(lines).padStart(8)}`);
  }
}

import { readFileSync, statSync } from 'node:fs';
import { describeFileError } from './errors.js';

/** Rights of everyone, and that of the group to write. Kubernetes lets the group read (`fsGroup`). */
export const TOO_OPEN = 0o027;

/** The text of a secret, or what is wrong with its file. */
export type SecretText = { readonly text: string } | { readonly mistake: string };

/** Reads one secret, as Docker and Kubernetes mount them: a file of its own, and at most one line break at its end. */
export function readSecretFile(path: string): SecretText {
  try {
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    if (text === '') return { mistake: `${path}: it is empty` };
    if (process.platform !== 'win32' && (statSync(path).mode & TOO_OPEN) !== 0) {
      return { mistake: `${path}: other users can read or change it; give it mode 0400 or 0440` };
    }
    return { text };
  } catch (error) {
    return { mistake: `${path}: ${describeFileError(error)}` };
  }
}

/** Differs whenever one of the files was written, replaced or given other rights; links are followed. */
export function stampOf(paths: readonly string[]): string {
  return paths
    .map((path) => {
      try {
        const { ino, mtimeMs, size, mode } = statSync(path);
        return [ino, mtimeMs, size, mode].join(':');
      } catch {
        return '';
      }
    })
    .join();
}

import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * Where a data file is, or is to be: not where a link stands, but where it leads, also when nothing is
 * there. SQLite keeps its log beside the file that a link leads to; so do we with all that is ours.
 */
export function resolveDataFile(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const folder = realpathSync(dirname(path));
  const file = join(folder, basename(path));
  const target = readLink(file);
  return target === undefined ? file : resolveDataFile(resolve(folder, target));
}

function readLink(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

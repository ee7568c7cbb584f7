import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import { LocalError } from '../exit-codes.js';

const ONLY_OWNER = 0o600;

/**
 * Replaces a file in one step, readable by its owner only, and durably: after a crash there is the
 * old one or the new one.
 */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  await tell(`write ${path}`, async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rm(temporary, { force: true });
    const file = await open(temporary, 'wx', ONLY_OWNER);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncFolder(dirname(path));
  });
}

/** The text of a file, or `undefined` when there is none. */
export async function readFileIfAny(path: string): Promise<string | undefined> {
  return tell(`read ${path}`, async () => {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  });
}

/** The text of a file that must be there. */
export async function readExistingFile(path: string): Promise<string> {
  return tell(`read ${path}`, () => readFile(path, 'utf8'));
}

/** Whether others than the owner may read a file. Windows has no such bits. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  return process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0;
}

/** Makes a rename durable. Windows cannot open a folder, and needs no such step. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Runs work on files; a failure of the file system becomes a plain sentence. */
export async function tell<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw new LocalError(`Could not ${what} (${code}).`, { cause: error });
  }
}

export function codeOf(error: unknown): string | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && typeof syscall === 'string' ? code : undefined;
}

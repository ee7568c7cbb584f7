import { type FileHandle, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { text as readText } from 'node:stream/consumers';

import type { Secret } from '../secret.js';
import { LocalError, throwIfInterrupted, UsageError } from './exit-codes.js';

const ONLY_OWNER = 0o600;

/**
 * Replaces a file in one step, readable by its owner only, and durably: after a crash there is the
 * old one or the new one.
 */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  await runOnFile(`write ${path}`, async () => {
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
  return runOnFile(`read ${path}`, async () => {
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
  return runOnFile(`read ${path}`, () => readFile(path, 'utf8'));
}

/** Standard input, and a signal that stops waiting for it. */
export interface Stdin {
  readonly stdin: NodeJS.ReadStream;
  readonly signal: AbortSignal;
}

/** The text of a file that must be there, `-` for stdin. */
export async function readInput(path: string, { stdin, signal }: Stdin): Promise<string> {
  if (path !== '-') return readExistingFile(path);
  try {
    return await readText(addAbortSignal(signal, stdin));
  } catch (error) {
    throwIfInterrupted(signal);
    throw error;
  }
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
export async function runOnFile<T>(what: string, work: () => Promise<T>): Promise<T> {
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

/**
 * The file that takes a new key. It is made before anything is sent, readable by its owner only, so
 * that a wrong path or a full disk is known before there is a key to lose.
 */
export class KeySink {
  readonly path: string;
  readonly #file: FileHandle;
  #isStored = false;

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  static async open(path: string): Promise<KeySink> {
    const file = await runOnFile(`create ${path}`, async () => {
      try {
        return await open(path, 'wx', 0o600);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        throw new UsageError(`${path} is there already, and a key is never overwritten.`);
      }
    });
    return new KeySink(path, file);
  }

  async store(key: Secret): Promise<void> {
    await this.#file.writeFile(`${key.reveal()}\n`);
    await this.#file.sync();
    await syncFolder(dirname(this.path));
    this.#isStored = true;
  }

  /** Closes the file, and removes it when it holds no key. */
  async close(): Promise<void> {
    await this.#file.close();
    if (!this.#isStored) await rm(this.path, { force: true });
  }
}

/** Where a key goes if its own file failed: a new file next to the profiles. */
export async function storeElsewhere(
  key: Secret,
  webhookId: string,
  configPath: string,
): Promise<string> {
  const name = webhookId.replace(/[^\w-]/g, '_').slice(0, 80);
  const path = join(dirname(configPath), `webhook-${name}.key`);
  await replacePrivateFile(path, `${key.reveal()}\n`);
  return path;
}

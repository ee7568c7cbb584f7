import { open, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { Secret } from '../../secret.js';
import { UsageError } from '../exit-codes.js';
import { replacePrivateFile, syncFolder, tell } from './private-file.js';

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
    const file = await tell(`create ${path}`, async () => {
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

/** Where a key goes whose own file failed: beside the profiles, in a file of its own. */
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

import type { Stats } from 'node:fs';
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

import { LocalError, UsageError } from '../exit-codes.js';
import { readFileIfAny, replacePrivateFile, syncFolder, tell } from '../settings/private-file.js';
import { parseCheckpoint, type ExportCheckpoint } from './export-checkpoint.js';
import { ExportLock } from './export-lock.js';

/** How an export starts. */
export interface ExportFileOptions {
  readonly output: string;
  readonly request: string;
  readonly restart: boolean;
  readonly overwrite: boolean;
}

/** How far an export has come; its file knows the bytes. */
export type SavedState = Omit<ExportCheckpoint, 'version' | 'bytes'>;

/**
 * A file that survives being stopped at any moment. Rows go to `<output>.partial`; a checkpoint
 * beside it says how many of its bytes count; the partial file gets its own name when it is whole.
 * What a crash wrote after the last checkpoint is cut off before the export goes on.
 */
export class ExportFile {
  readonly output: string;
  /** Where the export goes on, if it was stopped before. */
  readonly resumed: ExportCheckpoint | undefined;
  /** The newest checkpoint. */
  saved: ExportCheckpoint | undefined;
  readonly #file: FileHandle;
  readonly #lock: ExportLock;
  #bytes: number;

  private constructor(
    output: string,
    file: FileHandle,
    lock: ExportLock,
    resumed: ExportCheckpoint | undefined,
  ) {
    this.output = output;
    this.#file = file;
    this.#lock = lock;
    this.resumed = resumed;
    this.saved = resumed;
    this.#bytes = resumed?.bytes ?? 0;
  }

  /** Opens an export, or goes on with a stopped one. `undefined`: it was whole already. */
  static async open(options: ExportFileOptions): Promise<ExportFile | undefined> {
    const lock = await ExportLock.take(options.output);
    let opened: ExportFile | undefined;
    try {
      opened = await ExportFile.#open(options, lock);
    } finally {
      if (opened === undefined) await lock.release();
    }
    return opened;
  }

  static async #open(
    options: ExportFileOptions,
    lock: ExportLock,
  ): Promise<ExportFile | undefined> {
    const { output, request, restart, overwrite } = options;
    const paths = pathsOf(output);
    await refuseOddFile(output);
    if (restart) await forget(output);
    const text = await readFileIfAny(paths.checkpoint);
    const checkpoint =
      text === undefined ? undefined : parseCheckpoint(text, paths.checkpoint, request);
    const partialBytes = await sizeOf(paths.partial);
    if (checkpoint?.ended === true && partialBytes === undefined) {
      await tell(`remove ${paths.checkpoint}`, () => rm(paths.checkpoint, { force: true }));
      return undefined;
    }
    if (checkpoint === undefined && !overwrite && (await sizeOf(output)) !== undefined) {
      throw new UsageError(`${output} is there already. Give another name, or --overwrite.`);
    }
    if (checkpoint !== undefined && (partialBytes ?? -1) < checkpoint.bytes) {
      throw new LocalError(
        `${paths.partial} is missing or shorter than its checkpoint says. Begin anew with --restart.`,
      );
    }
    const file = await tell(`open ${paths.partial}`, () =>
      open(paths.partial, checkpoint === undefined ? 'w' : 'r+', 0o600),
    );
    await tell(`cut ${paths.partial}`, () => file.truncate(checkpoint?.bytes ?? 0));
    return new ExportFile(output, file, lock, checkpoint);
  }

  get bytes(): number {
    return this.#bytes;
  }

  async append(bytes: Uint8Array): Promise<void> {
    await tell(`write ${this.output}.partial`, async () => {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await this.#file.write(
          bytes,
          done,
          bytes.length - done,
          this.#bytes + done,
        );
        done += bytesWritten;
      }
    });
    this.#bytes += bytes.length;
  }

  /** Makes everything so far durable: first the rows, then the checkpoint that counts them. */
  async save(state: SavedState): Promise<void> {
    const checkpoint: ExportCheckpoint = { version: 1, bytes: this.#bytes, ...state };
    await tell(`write ${this.output}.partial`, () => this.#file.datasync());
    await replacePrivateFile(pathsOf(this.output).checkpoint, JSON.stringify(checkpoint));
    this.saved = checkpoint;
  }

  /** Gives the file its own name; it must have been saved as ended. */
  async finish(): Promise<void> {
    const { partial, checkpoint } = pathsOf(this.output);
    await this.#file.close();
    await tell(`rename ${partial}`, async () => {
      await rename(partial, this.output);
      await syncFolder(dirname(this.output));
      await rm(checkpoint, { force: true });
    });
    await this.#lock.release();
  }

  /** Leaves the export as it is, for another run. */
  async close(): Promise<void> {
    await this.#file.close();
    await this.#lock.release();
  }
}

function pathsOf(output: string): { partial: string; checkpoint: string } {
  return { partial: `${output}.partial`, checkpoint: `${output}.checkpoint` };
}

/** A folder or a device cannot be given up for a file, and is nothing to write over. */
async function refuseOddFile(output: string): Promise<void> {
  const found = await lookAt(output);
  if (found === undefined || found.isFile()) return;
  throw new UsageError(`${output} is no ordinary file. Give another name, or - for stdout.`);
}

async function forget(output: string): Promise<void> {
  const { partial, checkpoint } = pathsOf(output);
  await tell(`remove ${checkpoint}`, async () => {
    // The checkpoint first: without it the partial file means nothing.
    await rm(checkpoint, { force: true });
    await rm(partial, { force: true });
  });
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await lookAt(path))?.size;
}

async function lookAt(path: string): Promise<Stats | undefined> {
  return tell(`look at ${path}`, async () => {
    try {
      return await stat(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  });
}

import type { Stats } from 'node:fs';
import { open, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import * as z from 'zod';

import type { UnreadableRow, UnreadableRows } from '../resources/unreadable-rows.js';
import { LocalError, UsageError } from './exit-codes.js';
import type { ExportPosition } from './export-position.js';
import { codeOf, readFileIfAny, replacePrivateFile, runOnFile, syncFolder } from './files.js';

/** The progress of an export; written next to its file. It holds hashes and a cursor, and no key. */
export interface ExportCheckpoint {
  readonly version: 2;
  /** What was asked for: another export must not go on with this one. */
  readonly request: string;
  /** Bytes of the partial file that count. */
  readonly bytes: number;
  readonly rows: number;
  /** `transactionTime` of the last row. */
  readonly reached?: string;
  /** Rows that were left out so far, if there were any. */
  readonly unreadable?: UnreadableRows;
  /** All rows are written; only the file's own name is missing. */
  readonly ended: boolean;
  readonly position: ExportPosition;
}

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
 * next to it says how many of its bytes count; the partial file gets its own name when it is whole.
 * What a crash wrote after the last checkpoint is cut off before the export goes on. `<output>.lock`
 * keeps a second export away.
 */
export class ExportFile {
  readonly output: string;
  /** Where the export goes on, if it was stopped before. */
  readonly resumed: ExportCheckpoint | undefined;
  /** The newest checkpoint. */
  saved: ExportCheckpoint | undefined;
  readonly #file: FileHandle;
  #bytes: number;

  private constructor(output: string, file: FileHandle, resumed: ExportCheckpoint | undefined) {
    this.output = output;
    this.#file = file;
    this.resumed = resumed;
    this.saved = resumed;
    this.#bytes = resumed?.bytes ?? 0;
  }

  /** Opens an export, or goes on with a stopped one. `undefined`: it was whole already. */
  static async open(options: ExportFileOptions): Promise<ExportFile | undefined> {
    const { lock } = pathsOf(options.output);
    await takeLock(lock, options.output);
    let opened: ExportFile | undefined;
    try {
      opened = await ExportFile.#open(options);
    } finally {
      if (opened === undefined) await rm(lock, { force: true });
    }
    return opened;
  }

  static async #open(options: ExportFileOptions): Promise<ExportFile | undefined> {
    const { output, request, restart, overwrite } = options;
    const paths = pathsOf(output);
    await refuseOddFile(output);
    if (restart) await forget(output);
    const text = await readFileIfAny(paths.checkpoint);
    const checkpoint =
      text === undefined ? undefined : parseCheckpoint(text, paths.checkpoint, request);
    const partialBytes = await sizeOf(paths.partial);
    if (checkpoint?.ended === true && partialBytes === undefined) {
      await runOnFile(`remove ${paths.checkpoint}`, () => rm(paths.checkpoint, { force: true }));
      return undefined;
    }
    if (checkpoint === undefined && !overwrite && (await sizeOf(output)) !== undefined) {
      throw new UsageError(`${output} exists already. Give another name, or --overwrite.`);
    }
    if (checkpoint !== undefined && (partialBytes ?? -1) < checkpoint.bytes) {
      throw new LocalError(
        `${paths.partial} is missing or shorter than its checkpoint says. Start again with --restart.`,
      );
    }
    const file = await runOnFile(`open ${paths.partial}`, () =>
      open(paths.partial, checkpoint === undefined ? 'w' : 'r+', 0o600),
    );
    await runOnFile(`cut ${paths.partial}`, () => file.truncate(checkpoint?.bytes ?? 0));
    return new ExportFile(output, file, checkpoint);
  }

  get bytes(): number {
    return this.#bytes;
  }

  async append(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await runOnFile(`write ${this.output}.partial`, async () => {
      for (let done = 0; done < bytes.length;) {
        const left = bytes.length - done;
        const { bytesWritten } = await this.#file.write(bytes, done, left, this.#bytes + done);
        done += bytesWritten;
      }
    });
    this.#bytes += bytes.length;
  }

  /** Makes everything so far durable: first the rows, then the checkpoint that counts them. */
  async save(state: SavedState): Promise<void> {
    const checkpoint: ExportCheckpoint = { version: 2, bytes: this.#bytes, ...state };
    await runOnFile(`write ${this.output}.partial`, () => this.#file.datasync());
    await replacePrivateFile(pathsOf(this.output).checkpoint, JSON.stringify(checkpoint));
    this.saved = checkpoint;
  }

  /** Gives the file its own name; it must have been saved as ended. */
  async finish(): Promise<void> {
    const { partial, checkpoint, lock } = pathsOf(this.output);
    await this.#file.close();
    await runOnFile(`rename ${partial}`, async () => {
      await rename(partial, this.output);
      await syncFolder(dirname(this.output));
      await rm(checkpoint, { force: true });
      await rm(lock, { force: true });
    });
  }

  /** Leaves the export as it is, for another run. */
  async close(): Promise<void> {
    await this.#file.close();
    await rm(pathsOf(this.output).lock, { force: true });
  }
}

function pathsOf(output: string): { partial: string; checkpoint: string; lock: string } {
  return {
    partial: `${output}.partial`,
    checkpoint: `${output}.checkpoint`,
    lock: `${output}.lock`,
  };
}

/** Takes the lock of an output, or says which process has it. That of a dead process is removed. */
async function takeLock(path: string, output: string): Promise<void> {
  const [pid = '', host = ''] = (await readFileIfAny(path))?.split(' ') ?? [];
  if (host === hostname() && !isRunning(Number(pid))) await rm(path, { force: true });
  await runOnFile(`write ${path}`, async () => {
    try {
      await writeFile(path, `${process.pid} ${hostname()}`, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      throw new UsageError(
        `Another export (process ${pid || '?'} on ${host || '?'}) is writing ${output}. Wait for it, or give ` +
          `another name. If there is none, remove ${path}.`,
      );
    }
  });
}

function isRunning(pid: number): boolean {
  // Our own number may have been that of an earlier process, as in a container that restarted.
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Reads a checkpoint and refuses one that belongs to another export. */
function parseCheckpoint(text: string, path: string, request: string): ExportCheckpoint {
  const read = parse(text);
  if (read === undefined) {
    throw new UsageError(`${path} is no checkpoint of an export. Start again with --restart.`);
  }
  if (read.request !== request) {
    throw new UsageError(
      `${path} belongs to an export with other filters, format, columns or address. Give those ` +
        'again, or start again with --restart.',
    );
  }
  return read;
}

const count = z.int().nonnegative();
const Checkpoint = z.object({
  version: z.literal(2),
  request: z.string(),
  bytes: count,
  rows: count,
  reached: z.string().optional(),
  unreadable: z.object({ count, first: z.array(z.custom<UnreadableRow>()) }).optional(),
  ended: z.boolean(),
  position: z.object({ cursor: z.string().optional(), written: z.array(z.string()) }),
});

function parse(text: string): ExportCheckpoint | undefined {
  try {
    return Checkpoint.safeParse(JSON.parse(text)).data as ExportCheckpoint | undefined;
  } catch {
    return undefined;
  }
}

/** A folder or a device is nothing to write over. */
async function refuseOddFile(output: string): Promise<void> {
  const found = await statIfAny(output);
  if (found === undefined || found.isFile()) return;
  throw new UsageError(`${output} is no ordinary file. Give another name, or - for stdout.`);
}

async function forget(output: string): Promise<void> {
  const { partial, checkpoint } = pathsOf(output);
  await runOnFile(`remove ${checkpoint}`, async () => {
    // The checkpoint first: without it the partial file means nothing.
    await rm(checkpoint, { force: true });
    await rm(partial, { force: true });
  });
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await statIfAny(path))?.size;
}

async function statIfAny(path: string): Promise<Stats | undefined> {
  return runOnFile(`read ${path}`, async () => {
    try {
      return await stat(path);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  });
}

import { open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { resolve } from 'node:path';

import { UsageError } from '../exit-codes.js';
import { codeOf, tell } from '../settings/private-file.js';

/** A lock whose holder cannot be looked at counts as long as it was touched so recently. */
const FRESH_MILLISECONDS = 30_000;
const TOUCH_MILLISECONDS = 5_000;

/** Who holds a lock. */
interface Holder {
  readonly pid: number;
  readonly host: string;
}

/** The locks of this process. */
const held = new Set<string>();

/**
 * Keeps two exports from writing one file: `<output>.lock` names the process that writes. What a
 * killed process left behind does not count. (Two that start in the same instant after a crash are
 * not told apart: files have no test-and-set.)
 */
export class ExportLock {
  readonly #path: string;
  readonly #touching: NodeJS.Timeout;

  private constructor(path: string) {
    this.#path = path;
    held.add(path);
    this.#touching = setInterval(() => void touch(path), TOUCH_MILLISECONDS).unref();
  }

  /** Takes the lock of an output, or says who has it. */
  static async take(output: string): Promise<ExportLock> {
    const path = `${resolve(output)}.lock`;
    if (await create(path)) return new ExportLock(path);
    const holder = await readHolder(path);
    if (held.has(path) || (await isAtWork(path, holder))) {
      const who = holder === undefined ? '' : ` (process ${holder.pid} on ${holder.host})`;
      throw new UsageError(
        `Another export${who} writes ${output} now. Wait until it has ended, or give another name. ` +
          `If there is none, remove ${path}.`,
      );
    }
    await tell(`remove ${path}`, () => rm(path, { force: true }));
    if (await create(path)) return new ExportLock(path);
    throw new UsageError(`Another export has just begun to write ${output}.`);
  }

  async release(): Promise<void> {
    clearInterval(this.#touching);
    if (held.delete(this.#path)) await rm(this.#path, { force: true });
  }
}

async function create(path: string): Promise<boolean> {
  const holder: Holder = { pid: process.pid, host: hostname() };
  return tell(`write ${path}`, async () => {
    try {
      await using file = await open(path, 'wx', 0o600);
      await file.writeFile(JSON.stringify(holder));
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  });
}

/** `undefined` when the lock is gone, or is just being written, or was cut off by a crash. */
async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const { pid, host } = JSON.parse(await readFile(path, 'utf8')) as Partial<Holder>;
    return typeof pid === 'number' && typeof host === 'string' ? { pid, host } : undefined;
  } catch {
    return undefined;
  }
}

async function isAtWork(path: string, holder: Holder | undefined): Promise<boolean> {
  if (holder?.host === hostname()) {
    // Our own number was that of an earlier process, as in a container that was started again.
    return holder.pid !== process.pid && isAlive(holder.pid);
  }
  try {
    return Date.now() - (await stat(path)).mtimeMs < FRESH_MILLISECONDS;
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  // The lock may have been removed by hand; the export goes on.
  await utimes(path, now, now).catch(() => undefined);
}

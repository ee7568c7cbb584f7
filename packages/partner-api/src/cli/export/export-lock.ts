import { randomUUID } from 'node:crypto';
import {
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

import { UsageError } from '../exit-codes.js';
import { codeOf, tell } from '../settings/private-file.js';

/** A lock whose holder cannot be looked at counts as long as it was touched so recently. */
const FRESH_MILLISECONDS = 30_000;
const TOUCH_MILLISECONDS = 5_000;
/** A lock takes its name within milliseconds; one that is still waiting for it so long never will. */
const OLD_MILLISECONDS = 3_600_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Who holds a lock. */
interface Holder {
  readonly pid: number;
  readonly host: string;
}

/** The notes of holders that this process has in locks now, by their paths. */
const held = new Set<string>();

/**
 * Keeps two exports from writing one file: the folder `<output>.lock` holds one note that names the
 * process which writes. What a killed process left behind does not count.
 *
 * A lock comes into being by giving a ready folder its name, which fails over one that is not empty;
 * and a dead one is emptied by removing the note that was read, whose name no other lock has. So of
 * any number that take over a dead lock in the same instant one has it, and a living one is never
 * taken away.
 */
export class ExportLock {
  readonly #note: string;
  readonly #touching: NodeJS.Timeout;

  private constructor(note: string) {
    this.#note = note;
    held.add(note);
    this.#touching = setInterval(() => void touch(note), TOUCH_MILLISECONDS).unref();
  }

  /** Takes the lock of an output, or says who has it. */
  static async take(output: string): Promise<ExportLock> {
    const path = `${resolve(output)}.lock`;
    await tell(`look at ${path}`, () => clear(path, output));
    const note = await tell(`write ${path}`, () => occupy(path));
    if (note === undefined) {
      throw new UsageError(`Another export has just begun to write ${output}.`);
    }
    await sweep(path);
    return new ExportLock(note);
  }

  async release(): Promise<void> {
    clearInterval(this.#touching);
    if (!held.delete(this.#note)) return;
    await rm(this.#note, { force: true });
    await removeIfEmpty(dirname(this.#note));
  }
}

/** Takes the notes of dead holders out of a lock; throws when a holder is at work. */
async function clear(path: string, output: string): Promise<void> {
  for (const name of await namesIn(path)) {
    const note = join(path, name);
    const holder = await readHolder(note);
    if (held.has(note) || (await isAtWork(note, holder))) {
      const who = holder === undefined ? '' : ` (process ${holder.pid} on ${holder.host})`;
      throw new UsageError(
        `Another export${who} writes ${output} now. Wait until it has ended, or give another name. ` +
          `If there is none, remove the folder ${path}.`,
      );
    }
    await rm(note, { force: true });
  }
}

/** Makes the lock with our note in it; `undefined` when another one was quicker. */
async function occupy(path: string): Promise<string | undefined> {
  const id = randomUUID();
  const own = `${path}.${id}`;
  const holder: Holder = { pid: process.pid, host: hostname() };
  try {
    await mkdir(own, 0o700);
    await writeFile(join(own, id), JSON.stringify(holder), { mode: 0o600 });
    // Not every system renames over an empty folder.
    await removeIfEmpty(path);
    await rename(own, path);
    return join(path, id);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    if (isNotEmpty(error)) return undefined;
    throw error;
  }
}

/**
 * Removes locks that never got their name, because their process was killed before. They keep nobody
 * away, so what cannot be removed is left.
 */
async function sweep(path: string): Promise<void> {
  const begin = `${basename(path)}.`;
  const entries = await readdir(dirname(path), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const id = entry.name.slice(begin.length);
    if (!entry.isDirectory() || !entry.name.startsWith(begin) || !UUID.test(id)) continue;
    await removeIfDead(join(dirname(path), entry.name), id).catch(() => undefined);
  }
}

async function removeIfDead(folder: string, id: string): Promise<void> {
  if (Date.now() - (await stat(folder)).mtimeMs < OLD_MILLISECONDS) return;
  const note = join(folder, id);
  const holder = await readHolder(note);
  if (holder !== undefined && (await isAtWork(note, holder))) return;
  await rm(note, { force: true });
  // Anything else in it is not ours, and keeps the folder.
  await rmdir(folder);
}

async function namesIn(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

async function removeIfEmpty(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && !isNotEmpty(error)) throw error;
  }
}

/** Windows says it of a name that is taken, too. */
function isNotEmpty(error: unknown): boolean {
  return ['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(codeOf(error) ?? '');
}

/** `undefined` when the note is gone, or was cut off by a crash of the machine. */
async function readHolder(note: string): Promise<Holder | undefined> {
  try {
    const { pid, host } = JSON.parse(await readFile(note, 'utf8')) as Partial<Holder>;
    return typeof pid === 'number' && typeof host === 'string' ? { pid, host } : undefined;
  } catch {
    return undefined;
  }
}

async function isAtWork(note: string, holder: Holder | undefined): Promise<boolean> {
  if (holder?.host === hostname()) {
    // Our own number was that of an earlier process, as in a container that was started again.
    return holder.pid !== process.pid && isAlive(holder.pid);
  }
  try {
    return Date.now() - (await stat(note)).mtimeMs < FRESH_MILLISECONDS;
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

async function touch(note: string): Promise<void> {
  const now = new Date();
  // The lock may have been removed by hand; the export goes on.
  await utimes(note, now, now).catch(() => undefined);
}

import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crashPoint } from '../crash-points.js';

/** A data file, and what SQLite keeps beside it; the log goes first, and with it what it belongs to. */
const PARTS = ['-wal', '-shm', ''] as const;
const STAMP = /^\d{8}T\d{9}Z$/;

/** A copy that is whole and on the disk, and is to stand in the place of a data file. */
export interface Replacement {
  /** The data file, with no link in its path. */
  readonly file: string;
  /** In the names of the copy, and of what was there before: both are of one replacement. */
  readonly stamp: string;
}

/** From now on the copy is to take the place of the file, whatever happens: see {@link carryOut}. */
export function announce(copy: string, { file, stamp }: Replacement): void {
  renameSync(copy, copyOf({ file, stamp }));
  syncToDisk(dirname(file));
  crashPoint('restore:announced');
}

/** The replacement that was announced and not carried out to its end. */
export function findUnfinished(file: string): Replacement | undefined {
  const prefix = basename(copyOf({ file, stamp: '' }));
  const stamps = readdirSync(dirname(file))
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
  const stamp = stamps.toSorted().find((text) => STAMP.test(text));
  return stamp === undefined ? undefined : { file, stamp };
}

/**
 * Moves away what was there, with its log, and the copy into its place. Where it ended in the middle,
 * it is done to its end by doing it again.
 *
 * @returns where the file that was there is now; undefined when there was none
 */
export function carryOut({ file, stamp }: Replacement): string | undefined {
  const kept = `${file}.replaced-${stamp}`;
  for (const part of PARTS) {
    if (!existsSync(file + part)) continue;
    renameSync(file + part, kept + part);
    crashPoint('restore:moved-away');
  }
  // No power cut may bring back a log beside the copy.
  syncToDisk(dirname(file));
  renameSync(copyOf({ file, stamp }), file);
  crashPoint('restore:put-in-place');
  syncToDisk(dirname(file));
  return existsSync(kept) ? kept : undefined;
}

/** Of a time, for the names of one replacement. */
export function stampOf(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[^0-9TZ]/g, '');
}

/** Makes a file or the names in a folder survive a power cut. */
export function syncToDisk(path: string): void {
  // Windows cannot sync a folder, and needs not.
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function copyOf({ file, stamp }: Replacement): string {
  return join(dirname(file), `${basename(file)}.restored-${stamp}`);
}

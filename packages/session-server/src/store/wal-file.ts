import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * The write-ahead log beside an open data file, to be made durable without holding up the process:
 * SQLite's own sync stands still until the disk has answered.
 *
 * SQLite takes its locks on the data file and on the `-shm` file, never on the log, so that opening
 * and closing the log here lets go of none.
 */
export class WalFile {
  readonly #descriptor: number;

  /** @param path of the data file, open in WAL mode */
  constructor(path: string) {
    this.#descriptor = openSync(`${path}-wal`, 'r+');
    syncFolder(dirname(path));
  }

  /** Resolves when everything that has been committed survives a power cut. */
  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fdatasync(this.#descriptor, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** The log may have been made just now: its name must survive, too. */
function syncFolder(path: string): void {
  // Windows has no such call, and needs none.
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Temporary files in memory. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** Linux keeps in memory what is written here. */
const MEMORY = '/dev/shm';
const PREFIX = `pay-checkout-${process.getuid?.()}-`;
/** All tests together keep 250 MB at a time; a container may have 64 MB. */
const ENOUGH_BYTES = 2 * 1024 ** 3;

/**
 * Gives this process and those that it starts a folder for temporary files in memory, which goes when the
 * process ends: tests make thousands of small databases, and sync each of their changes. All stays as it is
 * where there is no such memory, or not enough, and where `TMPDIR` says where temporary files belong.
 */
export function keepTemporaryFilesInMemory() {
  if (process.env['TMPDIR'] !== undefined || !hasMemory()) return;
  removeLeftovers();
  const folder = mkdtempSync(join(MEMORY, `${PREFIX}${process.pid}-`));
  // Others look for their own folders in it, such as a PostgreSQL that runs as another user.
  chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
  process.once('exit', () => {
    // A PostgreSQL that ends with this process may still write.
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
}

/** Whether there is enough of it. */
export function hasMemory() {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ENOUGH_BYTES;
}

/** The folders of processes that were killed. */
function removeLeftovers() {
  for (const name of readdirSync(MEMORY)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) {
      rmSync(join(MEMORY, name), { recursive: true, force: true });
    }
  }
}

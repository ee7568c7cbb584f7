/** The folder of a stack's data: one stack at a time has it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Makes the folder and locks it, or throws when another stack has it. The lock is an empty database in
 * an open transaction: the system lets go of it when the process ends, however it ends.
 *
 * @returns what unlocks the folder; may be called twice.
 */
export function lockDataFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(join(folder, 'running.lock'), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (error instanceof Error && /locked/.test(error.message)) {
      throw new Error(
        `Another npm start is running with the data in ${folder}. Nothing was changed.\n` +
          '  Stop that one first, or set DEMO_DATA_DIRECTORY to another folder.',
        { cause: error },
      );
    }
    throw error;
  }
  return () => {
    if (lock.isOpen) lock.close();
  };
}

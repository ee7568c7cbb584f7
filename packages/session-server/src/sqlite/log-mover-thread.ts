/** The thread of `LogMover`: told `move`, it answers when it has moved what it could; `close` ends it. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { LogMoverData } from './log-mover.js';

/**
 * How often at most it goes on with what was written while it moved. Once all of it has been moved,
 * the next write begins the log anew, so that it does not grow.
 */
const MOST_PASSES = 20;

const { file } = workerData as LogMoverData;
const database = new DatabaseSync(file);
// It waits for nobody, and nobody waits for it: it moves what no reader needs any more.
const move = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');

parentPort?.on('message', (order: 'move' | 'close') => {
  if (order === 'close') {
    database.close();
    parentPort?.close();
    return;
  }
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const { log, checkpointed } = move.get() ?? {};
    if (log === checkpointed) break;
  }
  parentPort?.postMessage('moved');
});

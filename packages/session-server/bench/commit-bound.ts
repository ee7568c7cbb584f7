import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * How many small rows a second can be made durable when `group` of them share one commit: the bound
 * that the disk sets for whoever answers only what is stored.
 */
export function measureCommitBound(group: number, rows: number): number {
  const folder = mkdtempSync(join(tmpdir(), 'bound-'));
  const database = new DatabaseSync(join(folder, 'bound.sqlite'));
  database.exec(
    'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB)',
  );
  const insert = database.prepare('INSERT INTO t (body) VALUES (?)');
  const body = Buffer.alloc(400);
  const startedAt = performance.now();
  for (let row = 0; row < rows; row += group) {
    database.exec('BEGIN IMMEDIATE');
    for (let at = 0; at < group; at += 1) insert.run(body);
    database.exec('COMMIT');
  }
  const seconds = (performance.now() - startedAt) / 1000;
  database.close();
  rmSync(folder, { recursive: true, force: true });
  return Math.round(rows / seconds);
}

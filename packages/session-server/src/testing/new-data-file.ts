import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteDatabase } from '../store/sqlite-database.js';

let empty: Buffer | undefined;

/** Puts a data file with our empty tables where there is none: to make it takes longer than many a test. */
export async function ensureDataFile(path: string): Promise<void> {
  if (existsSync(path)) return;
  empty ??= await makeDataFile();
  writeFileSync(path, empty, { mode: 0o600 });
}

async function makeDataFile(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'empty-'));
  const path = join(folder, 'data.sqlite');
  await new SqliteDatabase(path).close();
  const bytes = readFileSync(path);
  rmSync(folder, { recursive: true });
  return bytes;
}

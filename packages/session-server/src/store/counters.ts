import type { Database, Reader, Transaction } from './database.js';
import { sql } from './sql.js';

/** Whole numbers that are kept by name. */
export async function getCounter(reader: Reader, name: string): Promise<number | undefined> {
  const row = await reader.get(sql`SELECT value FROM counters WHERE name = ${name}`);
  return row && Number(row['value']);
}

export async function setCounter(tx: Transaction, name: string, value: number): Promise<void> {
  await tx.run(sql`
    INSERT INTO counters (name, value) VALUES (${name}, ${value})
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`);
}

export async function incrementCounter(tx: Transaction, name: string): Promise<void> {
  await tx.run(sql`
    INSERT INTO counters (name, value) VALUES (${name}, 1)
    ON CONFLICT (name) DO UPDATE SET value = counters.value + 1`);
}

/** Writes something: rejects when the database cannot keep anything. */
export function ping(database: Database): Promise<void> {
  return database.transaction('store:ping', (tx) => setCounter(tx, 'pinged_at', Date.now()));
}

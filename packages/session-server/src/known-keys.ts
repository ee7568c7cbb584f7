import { type EncryptionKey, checkValueOf } from './encryption.js';
import { ConfigError } from './errors.js';
import { type Database, getCounter, type Reader, setCounter } from './store/database.js';
import { sql } from './store/sql.js';

const PREFIX = 'encryption-key:';

/**
 * Compares the keys with those that the database was used with, and records new ones: a server with another
 * key could neither read what the others stored nor accept the order tokens that they signed.
 *
 * @throws {ConfigError} when a name stands for another key, or none of them was used here before
 */
export async function registerKeys(
  database: Database,
  keys: readonly EncryptionKey[],
): Promise<void> {
  const mistake = await database.transaction('store:register-keys', async (tx) => {
    const found = await findKeyMistake(tx, keys);
    if (found !== undefined) return found;
    for (const key of keys) {
      const name = PREFIX + key.id;
      if ((await getCounter(tx, name)) === undefined) await setCounter(tx, name, checkValueOf(key));
    }
    return undefined;
  });
  if (mistake !== undefined) throw new ConfigError('PAY_ENCRYPTION_KEY', [mistake], true);
}

/** What is wrong with the keys for this database. */
export async function findKeyMistake(
  reader: Reader,
  keys: readonly EncryptionKey[],
): Promise<string | undefined> {
  const rows = await reader.all(
    sql`SELECT name, value FROM counters WHERE name LIKE ${`${PREFIX}%`}`,
  );
  const known = new Map(rows.map((row) => [String(row['name']), Number(row['value'])]));
  const values = keys.map((key) => ({ ...key, known: known.get(PREFIX + key.id) }));
  const other = values.find((key) => key.known !== undefined && key.known !== checkValueOf(key));
  if (other) {
    return `the key "${other.id}" is not the one that the database knows by this name; give all servers the same keys, and each key a name of its own`;
  }
  if (known.size === 0 || values.some((key) => key.known !== undefined)) return undefined;
  const names = [...known.keys()].map((name) => `"${name.slice(PREFIX.length)}"`).join(', ');
  return `none of its keys was used with the database before; keep one of these in addition to the new one: ${names}`;
}

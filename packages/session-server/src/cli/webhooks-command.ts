import type { Config } from '../config.js';
import { SqliteDatabase } from '../store/sqlite-database.js';
import { countWebhooks } from '../webhooks/repository.js';

/** `pay-session-server webhooks`: counts of the provider's webhooks. */
export async function runWebhooks(config: Config): Promise<string[]> {
  const database = new SqliteDatabase(config.databaseFile, 'read');
  try {
    const { waiting, unmatched, processed, flagged, tests } = await countWebhooks(database);
    return Object.entries({ waiting, unmatched: unmatched, processed, ...flagged, tests }).map(
      ([name, count]) => `${name.padEnd(20)} ${String(count)}`,
    );
  } finally {
    await database.close();
  }
}

import { systemClock } from '../clock.js';
import type { Config } from '../config.js';
import { SqliteCheckoutStore } from '../store/sqlite-store.js';
import { storeRulesOf } from '../store/store-rules.js';

/** `pay-session-server webhooks`: counts of the provider's webhooks. */
export async function runWebhooks(config: Config): Promise<string[]> {
  const store = SqliteCheckoutStore.openToRead({
    path: config.databaseFile,
    clock: systemClock,
    rules: storeRulesOf(config),
  });
  try {
    const { waiting, parked, processed, flagged, tests } = await store.countWebhooks();
    return Object.entries({ waiting, unmatched: parked, processed, ...flagged, tests }).map(
      ([name, count]) => `${name.padEnd(20)} ${String(count)}`,
    );
  } finally {
    await store.close();
  }
}

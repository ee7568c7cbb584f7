import { systemClock } from '../clock.js';
import type { Config } from '../config.js';
import { SqliteCheckoutStore } from '../store/sqlite-store.js';
import { storeRulesOf } from '../store/store-rules.js';

/** `pay-session-server webhooks`: what became of the provider's deliveries, in numbers. */
export async function runWebhooks(config: Config): Promise<string[]> {
  const store = SqliteCheckoutStore.openToRead({
    path: config.databaseFile,
    clock: systemClock,
    rules: storeRulesOf(config),
  });
  try {
    const { flagged, tests, ...byState } = await store.countWebhooks();
    return Object.entries({ ...byState, ...flagged, tests }).map(
      ([name, count]) => `${name.padEnd(20)} ${String(count)}`,
    );
  } finally {
    await store.close();
  }
}

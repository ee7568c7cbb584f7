import { type Config, countWebhooks, openAlongside } from '@pay-checkout/session-server/internals';

/** `pay-session-server webhooks`: counts of the provider's webhooks. */
export async function runWebhooks(config: Config, isJson = false): Promise<string[]> {
  const database = await openAlongside(config, 'read');
  try {
    const { waiting, unmatched, processed, flagged, tests } = await countWebhooks(database);
    const counts = { waiting, unmatched, processed, ...flagged, tests };
    if (isJson) return [JSON.stringify(counts)];
    return Object.entries(counts).map(([name, count]) => `${name.padEnd(20)} ${String(count)}`);
  } finally {
    await database.close();
  }
}

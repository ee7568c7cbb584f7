import { endAllSending } from './checkouts/attempt-repository.js';
import { releaseSendingEvents } from './outbox/repository.js';
import type { Database } from './store/database.js';
import { releaseClaimedWebhooks } from './webhooks/repository.js';

/**
 * Settles what a dead process left unfinished, before anything else uses the data file: attempts
 * that it was sending become `unknown`, events and webhooks that it had claimed are due again.
 */
export function recoverFromCrash(database: Database, now: number): Promise<void> {
  return database.transaction('store:recover', async (tx) => {
    await endAllSending(tx);
    await releaseSendingEvents(tx, now);
    await releaseClaimedWebhooks(tx, now);
  });
}

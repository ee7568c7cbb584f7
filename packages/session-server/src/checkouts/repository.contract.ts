import { afterEach, beforeEach, describe } from 'vitest';
import { describeErasure } from '../erasure/order-data.contract.js';
import { describeRemoval } from '../erasure/removal.contract.js';
import { describeBacklog } from '../metrics/backlog.contract.js';
import { describeOutboxRepository } from '../outbox/repository.contract.js';
import { describeRestoreStore } from '../restore/repository.contract.js';
import { StoreFixture } from '../testing/store-fixture.js';
import { describeWebhookRepository } from '../webhooks/repository.contract.js';
import { describeWrites } from '../store/write.contract.js';
import { describePolls } from '../reconciliation/polls.contract.js';
import { describeClock } from './clock.contract.js';
import { describeOpeningRules } from './opening-rules.contract.js';
import { describePayments } from './payments.contract.js';
import { describeSteps } from './checkout-transactions.contract.js';
import type { OpenStore } from '../testing/test-store.js';

/** The promises that every store keeps, whatever it stores in. */
export function describeCheckoutStore(name: string, open: OpenStore): void {
  describe(name, () => {
    const fixture = new StoreFixture(open);
    beforeEach(() => fixture.start());
    afterEach(() => fixture.underTest.remove());
    describeOpeningRules(fixture);
    describePayments(fixture);
    describeClock(fixture);
    describePolls(fixture);
    describeWrites(fixture);
    describeSteps(fixture);
    describeErasure(fixture);
    describeRemoval(fixture);
  });
  describeOutboxRepository(name, open);
  describeWebhookRepository(name, open);
  describeBacklog(name, open);
  describeRestoreStore(name, open);
}

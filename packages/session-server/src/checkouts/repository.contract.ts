import { afterEach, beforeEach, describe } from 'vitest';
import type { Clock } from '../clock.js';
import { describeErasure } from '../erasure/order-data.contract.js';
import { describeOperatorStore } from '../operator/repository.contract.js';
import { describeOutboxRepository } from '../outbox/repository.contract.js';
import { describeRestoreStore } from '../restore/repository.contract.js';
import { StoreFixture } from '../testing/store-fixture.js';
import { describeWebhookRepository } from '../webhooks/repository.contract.js';
import { describeClock } from './clock.contract.js';
import { describeOpeningRules } from './opening-rules.contract.js';
import { describePayments } from './payments.contract.js';
import { describeSteps } from './steps.contract.js';
import type { CheckoutRules } from './rules.js';
import type { TestStore } from '../testing/test-store.js';

export interface StoreUnderTest {
  readonly store: TestStore;
  /** Closes the store, and opens what it left behind as a process that has just started would. */
  reopen(): Promise<TestStore>;
  /** Closes it and removes what it left behind. */
  remove(): Promise<void>;
}

/** Makes an empty store with a clock and rules of the test's own. */
export type OpenStore = (options: {
  readonly clock: Clock;
  readonly rules: CheckoutRules;
}) => Promise<StoreUnderTest>;

/** The promises that every store keeps, whatever it stores in. */
export function describeCheckoutStore(name: string, open: OpenStore): void {
  describe(name, () => {
    const fixture = new StoreFixture(open);
    beforeEach(() => fixture.start());
    afterEach(() => fixture.underTest.remove());
    describeOpeningRules(fixture);
    describePayments(fixture);
    describeClock(fixture);
    describeSteps(fixture);
    describeErasure(fixture);
  });
  describeOutboxRepository(name, open);
  describeWebhookRepository(name, open);
  describeOperatorStore(name, open);
  describeRestoreStore(name, open);
}

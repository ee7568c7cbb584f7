import { afterEach, beforeEach, describe } from 'vitest';
import type { Clock } from '../clock.js';
import { describeOperatorStore } from '../operator/operator-store.contract.js';
import { describeOutboxRepository } from '../outbox/repository.contract.js';
import { describeRestoreStore } from '../restore/restore-store.contract.js';
import { StoreStory } from '../testing/store-story.js';
import { describeWebhookRepository } from '../webhooks/repository.contract.js';
import { describeClock } from './clock.contract.js';
import { describeOpenings } from './opening-rules.contract.js';
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
    const story = new StoreStory(open);
    beforeEach(() => story.start());
    afterEach(() => story.underTest.remove());
    describeOpenings(story);
    describePayments(story);
    describeClock(story);
    describeSteps(story);
  });
  describeOutboxRepository(name, open);
  describeWebhookRepository(name, open);
  describeOperatorStore(name, open);
  describeRestoreStore(name, open);
}

import type { AttentionCode } from '../checkouts/state-machine.js';
import type { CheckoutState } from '../contract.js';

/** Counts in a {@link StoreReport} stop here, so that a report costs the same however much waits. */
export const MAX_COUNTED = 10_000;

/** How much waits in a store, and since when. Times are milliseconds since 1970. */
export interface StoreReport {
  /** Attempts that are still polled for. */
  readonly watchedAttempts: number;
  /** When the next look that nobody asked for is due; in the past, it is late. */
  readonly nextLookAt: number | undefined;
  /** When the first of the shoppers came back whose payment is neither proved nor given up. */
  readonly oldestReturnAt: number | undefined;
  readonly waitingDeliveries: number;
  readonly oldestDeliveryAt: number | undefined;
  readonly parkedDeliveries: number;
  readonly waitingEvents: number;
  readonly oldestEventAt: number | undefined;
  readonly deadEvents: number;
  readonly lastOrderId: number;
}

/** A checkout that a person of the shop should look at before shipping. */
export interface AttentionEntry {
  readonly merchant: string;
  readonly order: string;
  readonly checkout: string;
  readonly state: CheckoutState;
  readonly attention: readonly AttentionCode[];
  readonly createdAt: number;
}

export interface AttentionFilter {
  readonly merchant?: string | undefined;
  /** Only checkouts that were opened since, in milliseconds since 1970. */
  readonly since: number;
}

/** A delivery to a registered endpoint that no attempt was found for. */
export interface UnmatchedWebhook {
  readonly id: number;
  readonly tokenHash: string;
  readonly receivedAt: number;
}

/** What people who run the server ask a store. Nothing here changes anything. */
export interface OperatorStore {
  report(): Promise<StoreReport>;
  /** Newest first. */
  findAttention(filter: AttentionFilter, limit: number): Promise<AttentionEntry[]>;
  /** Oldest first. */
  findUnmatchedWebhooks(limit: number): Promise<UnmatchedWebhook[]>;
}

import type { AttemptRequest } from '../checkouts/repository.js';

/** What a data file that was put back from a backup does not know any more. */
export interface Loss {
  /** When the last attempt that is known was made: everything after it is lost; ms since 1970. */
  readonly since: number;
  /** When the backup was put back, in milliseconds since 1970. */
  readonly until: number;
  /** Lost attempts have an `order_id` above this, and at most `toOrderId`; new ones a larger one. */
  readonly afterOrderId: number;
  readonly toOrderId: number;
  /** Whether the provider's lists have been read for it: nothing may open before. */
  readonly isRead: boolean;
}

/** Which `order_id`s are meant: above the one, and at most the other. */
export type OrderIdRange = Pick<Loss, 'afterOrderId' | 'toOrderId'>;

/** An attempt that the provider knows and the store has lost. */
export interface FoundAttempt {
  readonly orderId: number;
  readonly merchantReference: string;
  /** At the earliest, in milliseconds since 1970. */
  readonly createdAt: number;
  /** The order as the shop prices it now. */
  readonly request: AttemptRequest;
}

/** What a store does after it was put back from a backup; each method is one durable step. */
export interface RestoreStore {
  /**
   * Notes that what came after `since` is lost, by default after the last attempt that is known. From
   * then on no `order_id` is given out that may have been given out before, and sequences and
   * revisions go on far above those that shops and pages may have seen. Once it is noted, and until
   * it is read, it stays as it is.
   */
  declareLoss(since?: number): Promise<Loss>;
  findLoss(): Promise<Loss | undefined>;
  /** The ids that time has passed by without giving them out: no attempt of this store has one. */
  findUnused(): Promise<OrderIdRange>;
  /** The provider's lists have been read for it. */
  markLossRead(): Promise<void>;
  /** Stores an attempt that was found again, and its checkout when that was lost too. */
  adoptAttempt(found: FoundAttempt): Promise<void>;
}

import type { StoreRules } from '../checkouts/repository.js';
import type { Loss } from '../restore/restore-store.js';
import type { AttemptTable } from './attempt-table.js';
import type { CounterTable } from './counter-table.js';
import type { SqliteConnection } from './sqlite-connection.js';

/** More events of a checkout, or changes of it, than any had in the time that was lost. */
const AHEAD = 1000;
/** Openings a second that are thought possible for all the time that was lost. */
const MAX_OPENS_PER_SECOND = 100;

const NAMES = {
  since: 'loss_since',
  until: 'loss_until',
  afterOrderId: 'loss_after_order_id',
  toOrderId: 'loss_to_order_id',
  isRead: 'loss_is_read',
} as const;

/** What a backup that was put back has lost, among the counters. Its writes run inside a step. */
export class LossTable {
  readonly #connection: SqliteConnection;
  readonly #attempts: AttemptTable;
  readonly #counters: CounterTable;
  readonly #rules: Pick<StoreRules, 'watchSeconds' | 'maxOrderId'>;

  constructor(
    connection: SqliteConnection,
    { attempts, counters }: { readonly attempts: AttemptTable; readonly counters: CounterTable },
    rules: Pick<StoreRules, 'watchSeconds' | 'maxOrderId'>,
  ) {
    this.#connection = connection;
    this.#counters = counters;
    this.#attempts = attempts;
    this.#rules = rules;
  }

  find(): Loss | undefined {
    const since = this.#counters.get(NAMES.since);
    if (since === undefined) return undefined;
    return {
      since,
      until: this.#counters.get(NAMES.until) ?? 0,
      afterOrderId: this.#counters.get(NAMES.afterOrderId) ?? 0,
      toOrderId: this.#counters.get(NAMES.toOrderId) ?? 0,
      isRead: this.#counters.get(NAMES.isRead) === 1,
    };
  }

  declare(since: number | undefined, now: number): Loss {
    const known = this.find();
    if (known?.isRead === false) return known;
    const watchMs = this.#rules.watchSeconds * 1000;
    const last = this.#attempts.findLast(since ?? now);
    const begin = since ?? last?.createdAt ?? now - watchMs;
    // An older loss that is still watched is watched on.
    const older = known && known.until > now - watchMs ? known : undefined;
    const loss: Loss = {
      since: Math.min(begin, older?.since ?? begin),
      until: now,
      afterOrderId: Math.min(last?.orderId ?? 0, older?.afterOrderId ?? Infinity),
      toOrderId: this.#aheadOf(this.#attempts.peekOrderId(now), now - begin),
      isRead: false,
    };
    this.#counters.set(NAMES.since, loss.since);
    this.#counters.set(NAMES.until, loss.until);
    this.#counters.set(NAMES.afterOrderId, loss.afterOrderId);
    this.#counters.set(NAMES.toOrderId, loss.toOrderId);
    this.#counters.set(NAMES.isRead, 0);
    this.#attempts.skipOrderIds(loss.toOrderId);
    this.#connection.run(
      'UPDATE checkouts SET sequence = sequence + :ahead, revision = revision + :ahead',
      { ahead: AHEAD },
    );
    return loss;
  }

  markRead(): void {
    if (this.find()) this.#counters.set(NAMES.isRead, 1);
  }

  /** The largest `order_id` that may have been given out meanwhile; a small range is not used up. */
  #aheadOf(orderId: number, lostMs: number): number {
    const given = Math.ceil(Math.max(0, lostMs) / 1000) * MAX_OPENS_PER_SECOND;
    const room = Math.floor((this.#rules.maxOrderId - orderId) / 10);
    return orderId + Math.max(1, Math.min(given, room));
  }
}

/** The counter below which no `order_id` is given out any more. */
export const TO_ORDER_ID = NAMES.toOrderId;

import type { Clock } from '../clock.js';
import type { TransactionList } from '../provider/gateway.js';
import { randomId } from '../random-id.js';
import { type Database, optionalNumber, type Row, type Transaction } from '../store/database.js';
import { type Sql, sql } from '../store/sql.js';
import { type PageQuota, remainingMs, type SpentPage } from './pacing.js';

/** After this long without a page, a server that reads counts as dead. Longer than a page can take. */
const LEASE_MS = 30_000;
/** The longest pause between two tries to get the lease. */
const MAX_WAIT_MS = 500;
/** How long a server leaves the lease to one that waits: a little longer than that pause. */
const GIVE_WAY_MS = 600;

/** Another server has taken over the lease: this one did not renew it in time. */
export class TurnLostError extends Error {
  override readonly name = 'TurnLostError';

  constructor() {
    super('another server reads this list now');
  }
}

/** The result of a request for the lease. */
export type Turn =
  /** The server may read until it releases the lease. */
  | { readonly kind: 'taken' }
  /** Another server has read as far in the meantime: there is nothing to do. */
  | { readonly kind: 'covered' }
  | { readonly kind: 'wait'; readonly ms: number };

/** What a poll is asked for. */
export interface TurnRequest {
  /** When it was asked for. */
  readonly askedAt: number;
  /** How far back to read; `undefined` when no other server can have read it. */
  readonly sinceMs: number | undefined;
}

/**
 * The read lease of a list of transactions, for all servers that share a database: one reads at a time,
 * and all together as often as one alone may. A read serves every server that asked before it began.
 */
export class ReadTurns {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #account: string;
  /** 0 is the list of all merchants of the account. */
  readonly #providerMerchantId: number;
  readonly #quota: PageQuota;
  readonly #intervalMs: number;
  readonly #holder = randomId();
  #startedAt = 0;
  #endedAt = -Infinity;
  #isWanted = false;

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly list: TransactionList;
    readonly quota: PageQuota;
    readonly intervalMs: number;
  }) {
    this.#database = options.database;
    this.#clock = options.clock;
    this.#account = options.list.account;
    this.#providerMerchantId = options.list.providerMerchantId ?? 0;
    this.#quota = options.quota;
    this.#intervalMs = options.intervalMs;
  }

  /** Whether another server has waited for the lease since this one took it. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  take({ askedAt, sinceMs }: TurnRequest, isBackfillPending: boolean): Promise<Turn> {
    return this.#database.transaction('poll:take-turn', async (tx): Promise<Turn> => {
      const now = this.#clock.now();
      const row = await this.#find(tx);
      if (row) {
        this.#load(row);
        const readSince = optionalNumber(row['read_since']) ?? Infinity;
        const isCovered =
          sinceMs !== undefined && Number(row['started_at']) >= askedAt && readSince <= sinceMs;
        if (isCovered) return { kind: 'covered' };
        const isOurs = String(row['holder']) === this.#holder;
        const isFree = isOurs || Number(row['lease_until']) <= now;
        if (!isFree) await this.#write(tx, sql`wanted_at = ${now}`);
        const readableAt = isFree
          ? Math.max(Number(row['started_at']) + this.#intervalMs, Number(row['not_before']))
          : now + MAX_WAIT_MS;
        // Otherwise back-to-back polls would never let another server read.
        const givesWay = isOurs && Number(row['wanted_at']) > 0;
        const waitMs = Math.max(
          readableAt - now,
          this.#quota.recentWaitMs(isBackfillPending),
          givesWay ? remainingMs(this.#endedAt, GIVE_WAY_MS, now) : 0,
        );
        if (waitMs > 0) return { kind: 'wait', ms: Math.min(waitMs, MAX_WAIT_MS) };
      }
      const taken = this.#insert({
        holder: this.#holder,
        lease_until: now + LEASE_MS,
        started_at: now,
      });
      await tx.run(sql`${taken}
        ON CONFLICT (account, provider_merchant_id) DO UPDATE SET holder = excluded.holder,
          lease_until = excluded.lease_until, wanted_at = 0, started_at = excluded.started_at,
          read_since = NULL`);
      this.#startedAt = now;
      this.#isWanted = false;
      return { kind: 'taken' };
    });
  }

  /** Before each page: it counts for all servers. @throws {TurnLostError} */
  async spendPage(isBackfill: boolean): Promise<void> {
    const now = this.#clock.now();
    await this.#database.transaction('poll:spend-page', async (tx) => {
      const row = await this.#find(tx);
      if (row?.['holder'] !== this.#holder) throw new TurnLostError();
      this.#isWanted = Number(row['wanted_at']) > 0;
      // A report may have used some in the meantime.
      this.#load(row);
      this.#quota.spend(isBackfill);
      const pages = JSON.stringify(this.#quota.pages);
      await this.#write(tx, sql`pages = ${pages}, lease_until = ${now + LEASE_MS}`);
    });
  }

  /** As {@link PageQuota.takePage}, of what all servers share; it needs no lease. */
  takePage(): Promise<boolean> {
    return this.#database.transaction('report:take-page', async (tx) => {
      const row = await this.#find(tx);
      if (row) this.#load(row);
      const isPaused = row !== undefined && Number(row['not_before']) > this.#clock.now();
      if (isPaused || !this.#quota.takePage()) return false;
      const pages = JSON.stringify(this.#quota.pages);
      await tx.run(sql`${this.#insert({ pages })}
        ON CONFLICT (account, provider_merchant_id) DO UPDATE SET pages = excluded.pages`);
      return true;
    });
  }

  /** @param sinceMs how far back all is read; undefined when it failed */
  async end(sinceMs: number | undefined, pauseMs: number): Promise<void> {
    const now = this.#clock.now();
    this.#endedAt = now;
    await this.#database.transaction('poll:end-turn', async (tx) => {
      const row = await this.#find(tx);
      if (row?.['holder'] !== this.#holder || row['started_at'] !== this.#startedAt) return;
      await this.#write(
        tx,
        sql`lease_until = 0, read_since = ${sinceMs && Math.ceil(sinceMs)},
          not_before = ${Math.max(0, Math.ceil(now + pauseMs))}`,
      );
    });
  }

  #load(row: Row): void {
    this.#quota.load(JSON.parse(String(row['pages'])) as SpentPage[]);
  }

  /** The row of the list: by default, one that no server has read. */
  #insert(columns: Readonly<Record<string, string | number>>): Sql {
    return sql.insert('read_turns', {
      account: this.#account,
      provider_merchant_id: this.#providerMerchantId,
      ...{ holder: '', lease_until: 0, wanted_at: 0, started_at: 0, not_before: 0, pages: '[]' },
      ...columns,
    });
  }

  #find(tx: Transaction): Promise<Row | undefined> {
    return tx.get(sql`
      SELECT * FROM read_turns
      WHERE account = ${this.#account} AND provider_merchant_id = ${this.#providerMerchantId}`);
  }

  async #write(tx: Transaction, changes: ReturnType<typeof sql>): Promise<void> {
    await tx.run(sql`
      UPDATE read_turns SET ${changes}
      WHERE account = ${this.#account} AND provider_merchant_id = ${this.#providerMerchantId}`);
  }
}

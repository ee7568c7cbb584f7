import type { Clock } from '../clock.js';
import type { TransactionList } from '../provider/gateway.js';
import { randomId } from '../random-id.js';
import { type Database, type Row, type Transaction } from '../store/database.js';
import { type Sql, sql } from '../store/sql.js';
import type { PageQuota, SpentPage } from './pacing.js';

/** After this long without a page, a server that reads counts as dead. Longer than a page can take. */
export const LEASE_MS = 30_000;
/** It is renewed when less than this is left. */
const RENEW_MS = 20_000;

/** Another server has taken over the lease: this one did not renew it in time. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor() {
    super('another server reads this list now');
  }
}

/**
 * The read lease of a list of transactions, for all servers that share a database: one row says who
 * reads it, until when, not before when, and which pages were requested in the last minute. Losing a
 * write of it costs a poll at most, so none is synced.
 */
export class ReadLease {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #account: string;
  /** 0 is the list of all merchants of the account. */
  readonly #providerMerchantId: number;
  readonly #quota: PageQuota;
  readonly #holder = randomId();
  /** When this server took it: another one may have held it since it did so before. */
  #takenAt = 0;
  #until = -Infinity;
  #pausedUntil = 0;
  /** The pages of the last minute as they were last stored. */
  #storedPages = '[]';

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly list: TransactionList;
    readonly quota: PageQuota;
  }) {
    this.#database = options.database;
    this.#clock = options.clock;
    this.#account = options.list.account;
    this.#providerMerchantId = options.list.providerMerchantId ?? 0;
    this.#quota = options.quota;
  }

  /** How long the provider is not to be asked, by the answer to another server. In milliseconds; 0 is not at all. */
  get pauseMs(): number {
    return Math.max(0, this.#pausedUntil - this.#clock.now());
  }

  /** Takes the lease, or renews it. False while another server holds it. */
  async hold(): Promise<boolean> {
    const now = this.#clock.now();
    if (this.#until - now > RENEW_MS) return true;
    const isRenewal = this.#until > now;
    const until = now + LEASE_MS;
    const takenAt = isRenewal ? this.#takenAt : now;
    const taken = sql.insert('read_turns', {
      ...this.#empty(),
      holder: this.#holder,
      lease_until: until,
      started_at: takenAt,
    });
    const [row] = await this.#database.write(
      (unsynced) => sql`${taken}
        ON CONFLICT (account, provider_merchant_id) DO UPDATE SET holder = excluded.holder,
          lease_until = excluded.lease_until, started_at = excluded.started_at, wanted_at = 0,
          read_since = NULL
        WHERE (read_turns.lease_until <= ${now} OR read_turns.holder = excluded.holder) ${unsynced}
        RETURNING pages, not_before`,
    );
    if (!row) {
      this.#until = -Infinity;
      return false;
    }
    this.#load(row);
    this.#takenAt = takenAt;
    this.#until = until;
    return true;
  }

  /** Before each page: it counts for all servers, and renews the lease. @throws {LeaseLostError} */
  async spendPage(isBackfill: boolean): Promise<void> {
    const now = this.#clock.now();
    this.#quota.spend(isBackfill);
    const pages = JSON.stringify(this.#quota.pages);
    const until = now + LEASE_MS;
    const isSpent = await this.#update(
      sql`pages = ${pages}, lease_until = ${until}`,
      sql`AND pages = ${this.#storedPages} AND ${this.#isHeld}`,
    );
    // Otherwise a report has used some in the meantime, or another server has taken the lease.
    if (!isSpent) return this.#spendAmongReports(isBackfill, until);
    this.#storedPages = pages;
    this.#until = until;
  }

  async #spendAmongReports(isBackfill: boolean, until: number): Promise<void> {
    await this.#database.transaction('poll:spend-page', async (tx) => {
      const row = await this.#find(tx);
      if (row?.['holder'] !== this.#holder || Number(row['started_at']) !== this.#takenAt) {
        this.#until = -Infinity;
        throw new LeaseLostError();
      }
      this.#load(row);
      this.#quota.spend(isBackfill);
      this.#storedPages = JSON.stringify(this.#quota.pages);
      await tx.run(sql`
        UPDATE read_turns SET pages = ${this.#storedPages}, lease_until = ${until} ${this.#where}`);
    });
    this.#until = until;
  }

  /** As {@link PageQuota.takePage}, of what all servers share; it needs no lease. */
  takePage(): Promise<boolean> {
    return this.#database.transaction('report:take-page', async (tx) => {
      const row = await this.#find(tx);
      if (row) this.#load(row);
      if (this.pauseMs > 0 || !this.#quota.takePage()) return false;
      const pages = JSON.stringify(this.#quota.pages);
      await tx.run(sql`${sql.insert('read_turns', { ...this.#empty(), pages })}
        ON CONFLICT (account, provider_merchant_id) DO UPDATE SET pages = excluded.pages`);
      return true;
    });
  }

  /** No server asks the provider for so long. */
  async pause(ms: number): Promise<void> {
    const until = Math.ceil(this.#clock.now() + ms);
    await this.#update(sql`not_before = ${until}`, sql`AND ${this.#isHeld}`);
  }

  /** Another server may take it at once. */
  async release(): Promise<void> {
    if (this.#until === -Infinity) return;
    this.#until = -Infinity;
    await this.#update(sql`lease_until = 0`, sql`AND ${this.#isHeld}`);
  }

  /** A condition on the row of the lease: this server holds it still, without a break. */
  get #isHeld(): Sql {
    return sql`read_turns.holder = ${this.#holder} AND read_turns.started_at = ${this.#takenAt}`;
  }

  /** A condition for a statement of anything else: nothing is moved back by a server that lost the lease. */
  get guard(): Sql {
    return sql`AND EXISTS (SELECT 1 FROM read_turns ${this.#where} AND ${this.#isHeld})`;
  }

  get #where(): Sql {
    return sql`WHERE read_turns.account = ${this.#account}
      AND read_turns.provider_merchant_id = ${this.#providerMerchantId}`;
  }

  #load(row: Row): void {
    this.#storedPages = String(row['pages']);
    this.#quota.load(JSON.parse(this.#storedPages) as SpentPage[]);
    this.#pausedUntil = Number(row['not_before']);
  }

  /** The row of a list that no server has read. */
  #empty(): Readonly<Record<string, string | number>> {
    return {
      account: this.#account,
      provider_merchant_id: this.#providerMerchantId,
      holder: '',
      lease_until: 0,
      wanted_at: 0,
      started_at: 0,
      not_before: 0,
      pages: '[]',
    };
  }

  #find(tx: Transaction): Promise<Row | undefined> {
    return tx.get(sql`SELECT * FROM read_turns ${this.#where}`);
  }

  async #update(changes: Sql, condition: Sql): Promise<boolean> {
    const rows = await this.#database.write(
      (unsynced) => sql`
        UPDATE read_turns SET ${changes} ${this.#where} ${condition} ${unsynced}
        RETURNING account`,
    );
    return rows.length > 0;
  }
}

import { createHash } from 'node:crypto';
import type { Checkout } from '../checkouts/state-machine.js';
import type { Clock } from '../clock.js';
import type { Merchant } from '../merchants/merchant.js';
import { isLogged } from '../orders/order-log.js';
import { type Database, optionalNumber } from '../store/database.js';
import { sql } from '../store/sql.js';
import { timeOf } from './matching.js';

/** An SDK that said nothing of a payment is not relied on for so long. */
const SILENT_MS = 14 * 86_400_000;
/** A page that asked for the state so long after the payment would have reported it. */
const REPORT_MS = 5000;
const REPORTS = 'sdk_reports:';
const SILENT = 'sdk_silent:';

/**
 * Which SDKs report that a payment was submitted: those that have, unless one of their payments was found
 * lately that they said nothing of, such as one by a wallet. While a form of any other is open, the list is
 * polled every few seconds. Learned of each SDK description from its payments, and kept in the store.
 */
export class SdkReports {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #times = new Map<string, number>();

  constructor({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Reads what servers have learned. */
  async load(): Promise<void> {
    const rows = await this.#database.all(
      sql`SELECT name, value FROM counters WHERE name LIKE 'sdk!_%' ESCAPE '!'`,
    );
    for (const row of rows) this.#times.set(String(row['name']), Number(row['value']));
  }

  isReporting({ sdk }: Pick<Merchant, 'sdk'>): boolean {
    const digest = digestOf(sdk);
    const silentAt = this.#times.get(SILENT + digest) ?? -Infinity;
    return this.#times.has(REPORTS + digest) && silentAt < this.#clock.now() - SILENT_MS;
  }

  /** A checkout was paid: whether its SDK had said that a payment was submitted. */
  async learn({ sdk }: Pick<Merchant, 'sdk'>, before: Checkout, after: Checkout): Promise<void> {
    const digest = digestOf(sdk);
    const now = this.#clock.now();
    if (before.submittedAt !== undefined) {
      if (!this.#times.has(REPORTS + digest)) await this.#store(REPORTS + digest, now);
      return;
    }
    if (before.state !== 'open' || !this.isReporting({ sdk })) return;
    const paidAt = timeOf({ transactionTime: after.payment?.paidAt });
    const row = await this.#database.get(
      sql`SELECT max(asked_at) AS asked_at FROM attempts WHERE checkout = ${after.id}`,
    );
    const askedAt = optionalNumber(row?.['asked_at']) ?? -Infinity;
    if (askedAt <= (paidAt ?? Infinity) + REPORT_MS) return;
    // Its settle window may be over, of a payment that the provider lists late.
    const reported = { kind: 'hint', checkout: after.id, detail: { kind: 'submitted' } } as const;
    if (!(await isLogged(this.#database, after, reported))) await this.#store(SILENT + digest, now);
  }

  async #store(name: string, now: number): Promise<void> {
    this.#times.set(name, now);
    await this.#database.write(
      (unsynced) => sql`
        INSERT INTO counters (name, value) VALUES (${name}, ${now})
        ON CONFLICT (name) DO UPDATE SET value = excluded.value
        WHERE counters.value < excluded.value ${unsynced} RETURNING name`,
    );
  }
}

const digests = new WeakMap<object, string>();

function digestOf(sdk: Merchant['sdk']): string {
  const known = digests.get(sdk);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(JSON.stringify(sdk)).digest('hex').slice(0, 32);
  digests.set(sdk, digest);
  return digest;
}

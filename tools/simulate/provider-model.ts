import { AppError } from '../../packages/session-server/dist/errors.js';
import type {
  PartnerGateway,
  SessionResult,
  TransactionPage,
  TransactionQuery,
  TransactionRow,
} from '../../packages/session-server/dist/provider/gateway.js';
import type { Random } from './random.ts';
import { sleep } from './virtual-time.ts';

const MINUTE_MS = 60_000;
/** List calls that it answers in a minute. An assumption: the spec shows no limit (8). */
const CALLS_PER_MINUTE = 120;
const RETRY_AFTER_SECONDS = 10;
const FAILED_AFTER_MS = 5000;
/** Share of the rows that are listed minutes late, and hours late. */
const LATE_SHARE = 0.02;
const VERY_LATE_SHARE = 0.002;
/** Sales at the same account that did not come from us, for each of ours. */
const STRANGE_SHARE = 0.25;

export interface Outage {
  readonly from: number;
  readonly until: number;
}

/** A checkout session, and where the provider announces its payment. */
export interface ModelSession {
  readonly merchantId: number;
  readonly reference: string;
  readonly amount: string;
  readonly webhookUrl: string;
}

/** The outcome of list calls. */
export interface ListCalls {
  answered: number;
  /** For calling too often. */
  refused: number;
  /** In an outage. */
  failed: number;
  /** In any 60 seconds. */
  mostInAMinute: number;
}

interface ListedRow {
  readonly time: number;
  row: TransactionRow;
}

/**
 * A model of the provider behind the gateway: latency, a rate limit, outages, rows that are listed late,
 * refunds, and sales of others in the same list.
 */
export class ProviderModel implements PartnerGateway {
  readonly calls: ListCalls = { answered: 0, refused: 0, failed: 0, mostInAMinute: 0 };
  readonly #random: Random;
  readonly #outages: readonly Outage[];
  readonly #now: () => number;
  readonly #sessions = new Map<string, ModelSession>();
  /** Oldest first. */
  readonly #rows: ListedRow[] = [];
  readonly #rowsOfMerchant = new Map<number, ListedRow[]>();
  #recentCalls: number[] = [];
  #transactions = 0;

  constructor(random: Random, outages: readonly Outage[], now: () => number) {
    this.#random = random;
    this.#outages = outages;
    this.#now = now;
  }

  async createSession(
    ...[, fields]: Parameters<PartnerGateway['createSession']>
  ): Promise<SessionResult> {
    await sleep(this.#random.duration(400, 0.5));
    if (this.#isDown()) return { kind: 'refused', cause: unavailable() };
    const sessionId = `session-${String(fields.order_id)}`;
    this.#sessions.set(sessionId, {
      merchantId: fields.merchant_id,
      reference: fields.MerchantReference ?? '',
      amount: fields.Amount ?? '',
      webhookUrl: fields.WebhookUrl ?? '',
    });
    return { kind: 'created', sessionId };
  }

  session(sessionId: string): ModelSession {
    const session = this.#sessions.get(sessionId);
    if (!session) throw new Error('no such session');
    return session;
  }

  /** Takes a payment now; returns when its row is listed. */
  pay(session: ModelSession): { readonly listedAt: number; readonly refund: () => void } {
    const { merchantId, amount, reference } = session;
    const listed = this.#list(merchantId, amount, reference);
    if (this.#random.chance(STRANGE_SHARE)) this.#list(merchantId, '5.00', undefined);
    return {
      listedAt: listed.at,
      refund: () => {
        listed.entry.row = { ...listed.entry.row, status: 'REFUNDED', amountRefunded: amount };
      },
    };
  }

  async listTransactions(query: TransactionQuery): Promise<TransactionPage> {
    const now = this.#now();
    this.#recentCalls = this.#recentCalls.filter((at) => at > now - MINUTE_MS);
    this.#recentCalls.push(now);
    this.calls.mostInAMinute = Math.max(this.calls.mostInAMinute, this.#recentCalls.length);
    if (this.#isDown()) {
      this.calls.failed += 1;
      await sleep(FAILED_AFTER_MS);
      throw unavailable();
    }
    if (this.#recentCalls.length > CALLS_PER_MINUTE) {
      this.calls.refused += 1;
      await sleep(50);
      throw unavailable(RETRY_AFTER_SECONDS);
    }
    this.calls.answered += 1;
    await sleep(this.#random.duration(250, 0.6));
    return this.#page(query);
  }

  #page({ providerMerchantId, fromDate, toDate, cursor, limit }: TransactionQuery) {
    const all =
      providerMerchantId === undefined
        ? this.#rows
        : (this.#rowsOfMerchant.get(providerMerchantId) ?? []);
    const from = Date.parse(fromDate);
    const end = cursor === undefined ? firstAfter(all, Date.parse(toDate) + 86_400_000) : undefined;
    let index = end ?? (cursor === undefined ? 0 : placeOf(all, cursor));
    const rows: TransactionRow[] = [];
    let last: ListedRow | undefined;
    while (index > 0 && rows.length < limit) {
      const entry = all[index - 1];
      if (!entry || entry.time < from) break;
      rows.push(entry.row);
      last = entry;
      index -= 1;
    }
    const next = all[index - 1];
    if (!last || !next || next.time < from) return { rows, end: { kind: 'complete' } as const };
    const nextCursor = `${String(last.time)} ${last.row.id ?? ''}`;
    return { rows, end: { kind: 'more', cursor: nextCursor } as const };
  }

  /** Makes a transaction now, and lists it a moment later, or much later. */
  #list(merchantId: number, amount: string, reference: string | undefined) {
    const time = Math.floor(this.#now());
    this.#transactions += 1;
    const id = `tx-${String(this.#transactions)}`;
    const entry: ListedRow = {
      time,
      row: {
        id,
        transactionTime: new Date(time).toISOString(),
        status: 'SUCCESS',
        merchantId,
        currencyCode: 'GBP',
        amount,
        serviceFee: '0.00',
        references: {
          id,
          source: 'payments',
          paymentMethod: 'New Card',
          pspReference: `psp-${String(this.#transactions)}`,
          last4Digits: '0001',
          ...(reference !== undefined && { orderRef: reference }),
        },
      },
    };
    const at = time + this.#listingDelayMs();
    setTimeout(() => {
      const ofMerchant = this.#rowsOfMerchant.get(merchantId) ?? [];
      this.#rowsOfMerchant.set(merchantId, ofMerchant);
      for (const rows of [this.#rows, ofMerchant]) rows.splice(firstAfter(rows, time), 0, entry);
    }, at - time);
    return { at, entry };
  }

  #listingDelayMs(): number {
    const kind = this.#random.next();
    if (kind < VERY_LATE_SHARE) return this.#random.next() * 12 * 60 * MINUTE_MS;
    if (kind < LATE_SHARE + VERY_LATE_SHARE) return this.#random.next() * 30 * MINUTE_MS;
    return this.#random.duration(1000, 0.7);
  }

  #isDown(): boolean {
    const now = this.#now();
    return this.#outages.some(({ from, until }) => now >= from && now < until);
  }
}

function unavailable(retryAfterSeconds?: number): AppError {
  return new AppError(503, 'provider_unavailable', 'The model of the provider is down.', {
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/** The place of the first row that is later than a time. */
function firstAfter(rows: readonly ListedRow[], time: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.time ?? Infinity) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The place of the last row of the page that a cursor came with. */
function placeOf(rows: readonly ListedRow[], cursor: string): number {
  const [time = '', id] = cursor.split(' ');
  let place = firstAfter(rows, Number(time)) - 1;
  while (place > 0 && rows[place]?.row.id !== id) place -= 1;
  return place;
}

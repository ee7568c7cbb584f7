import { DatabaseSync } from 'node:sqlite';
import { BENCH_MERCHANT_ID } from './merchant.ts';

const DAY_MS = 86_400_000;
/** The past orders are spread evenly over this long. */
const SPREAD_MS = 730 * DAY_MS;
/** How long the server polls for refunds, and keeps webhook bodies: only the newest orders have these. */
const WATCHED_MS = 90 * DAY_MS;
const KEPT_MS = 30 * DAY_MS;
const EPOCH_MS = 1_735_689_600_000;

/**
 * Fills the data file of a server that is not running with past orders, each with its attempt,
 * transaction and event, as if they had been paid over two years. Straight into the tables,
 * since creating a million checkouts would take longer than any benchmark may.
 */
export function seedHistory(path: string, orders: number): void {
  const database = new DatabaseSync(path);
  const now = Date.now();
  const values = {
    orders,
    merchant: BENCH_MERCHANT_ID,
    firstOrderId: Math.floor((now - EPOCH_MS) / 1000) - orders,
    startMs: now - SPREAD_MS,
    stepMs: Math.floor(SPREAD_MS / orders),
  };
  database.function('time_prefix', (ms) =>
    Math.max(0, Number(ms) - EPOCH_MS)
      .toString(36)
      .padStart(8, '0'),
  );
  database.function('random_text', (length) => randomText(Number(length)));
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; BEGIN');
  for (const step of STEPS) {
    const statement = database.prepare(step);
    statement.setAllowUnknownNamedParameters(true);
    statement.run({ ...values, watchedSince: now - WATCHED_MS, keptSince: now - KEPT_MS, now });
  }
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

/** The past orders as they are stored, each with its number. */
const NUMBERED = `(SELECT *, CAST(substr(order_name, 2) AS INTEGER) AS number FROM checkouts ORDER BY id)`;

const STEPS: readonly string[] = [
  `WITH RECURSIVE past (number, created_at) AS (
     SELECT 1, :startMs
     UNION ALL
     SELECT number + 1, created_at + :stepMs FROM past WHERE number < :orders
   )
   INSERT INTO checkouts
     (id, merchant, order_name, order_version, amount_minor, currency, decimals, state, revision,
      sequence, refund, refunded_minor, attention, created_at, expires_at, paid_by)
   SELECT time_prefix(created_at) || random_text(22), :merchant, printf('H%08d', number),
     'version-of-the-price-x', 999, 'GBP', 2, 'paid', 3, 1, 'none', 0, '[]', created_at,
     created_at + 3600000, printf('transaction-%d', number)
   FROM past`,
  `INSERT INTO attempts
     (order_id, merchant_reference, checkout, merchant, order_name, account,
      provider_merchant_id, status,
      session_id, is_renewal, lease_until, created_at, active_since, next_poll_at, polls, watched_from,
      return_token, cancel_token, back_token, webhook_token, is_active)
   SELECT :firstOrderId + number, order_name || '.' || (:firstOrderId + number), id, merchant,
     order_name, 'default', 1001, 'active', 'session-' || number, 0, created_at + 15000, created_at, created_at,
     iif(created_at > :watchedSince, :now + abs(random() % 21600000), NULL), 10, created_at,
     random_text(43), random_text(43), random_text(43), random_text(43), 1
   FROM ${NUMBERED}`,
  `INSERT INTO matched_transactions
     (account, id, checkout, order_id, status, is_refund_row, proves_price, amount, taken_minor,
      refunded_minor, currency, transaction_time, recorded_at)
   SELECT 'default', paid_by, id, :firstOrderId + number, 'SUCCESS', 0, 1, '9.99', 999, 0, 'GBP',
     '2026-01-01T00:00:00.000Z', created_at
   FROM ${NUMBERED}`,
  `INSERT INTO outbox_events
     (id, checkout, merchant, type, sequence, body, status, tries, due_at, created_at)
   SELECT 'msg_' || random_text(36), id, merchant, 'checkout.paid', 1, random_text(330),
     'delivered', 1, NULL, created_at
   FROM ${NUMBERED}`,
  `INSERT INTO webhooks
     (token_hash, receiver, digest, order_id, sealed, status, flags, due_at, received_at)
   SELECT random_text(43), order_id, random_text(22), order_id, randomblob(700), 'processed', '[]', NULL,
     created_at
   FROM attempts WHERE created_at > :keptSince ORDER BY order_id`,
  `INSERT INTO counters (name, value) SELECT 'last_order_id', max(order_id) FROM attempts`,
];

/** Text like that of hashes and ids; no secret, so it need not be unpredictable. */
function randomText(length: number): string {
  let text = '';
  while (text.length < length) text += Math.random().toString(36).slice(2);
  return text.slice(0, length);
}

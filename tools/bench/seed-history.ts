import { DatabaseSync } from 'node:sqlite';
import { queryAt } from '../../packages/session-server/src/testing/postgres-server.ts';
import { BENCH_MERCHANT_ID } from './merchant.ts';

const DAY_MS = 86_400_000;
/** The past orders are spread evenly over this long. */
const SPREAD_MS = 730 * DAY_MS;
/** How long the server polls for refunds, and keeps webhook bodies: only the newest orders have these. */
const WATCHED_MS = 90 * DAY_MS;
const KEPT_MS = 30 * DAY_MS;
const EPOCH_MS = 1_735_689_600_000;
/** In which the first characters of an id count the time. */
const ID_STEP_MS = 20;

/** The name of a past order, by its number from 1. */
export function pastOrder(number: number): string {
  return `H${String(number).padStart(8, '0')}`;
}

/**
 * Fills the store of a server that is not running with past orders, each with its attempt,
 * transaction and event, as if they had been paid over two years. Straight into the tables,
 * since creating a million checkouts would take longer than any benchmark may.
 */
export function seedDataFile(path: string, orders: number, merchants = 1): void {
  const database = new DatabaseSync(path);
  database.function('time_prefix', (ms) => timePrefix(Number(ms)));
  database.function('random_text', (length) => randomText(Number(length)));
  database.function('order_name_of', (number) => pastOrder(Number(number)));
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; BEGIN');
  const numbers = `WITH RECURSIVE numbers (number) AS
    (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ${String(orders)})`;
  for (const step of stepsFor(orders, numbers, 'randomblob(700)', merchants)) database.exec(step);
  database.exec(
    `INSERT INTO counters (name, value) SELECT 'last_order_id', max(order_id) FROM attempts`,
  );
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA optimize');
  database.close();
}

/** @param merchants that share the orders evenly */
export async function seedPostgres(url: string, orders: number, merchants = 1): Promise<void> {
  const numbers = `WITH numbers AS (SELECT generate_series(1, ${String(orders)})::bigint AS number)`;
  const bytes = `decode(repeat(md5(random()::text), 44), 'hex')`;
  await queryAt(url, POSTGRES_FUNCTIONS);
  for (const step of stepsFor(orders, numbers, bytes, merchants)) {
    await queryAt(url, `SET synchronous_commit = off; ${step}`);
  }
  await queryAt(url, `SELECT setval('last_order_id', (SELECT max(order_id) FROM attempts))`);
  await queryAt(url, 'VACUUM ANALYZE');
  await queryAt(url, 'CHECKPOINT');
}

const POSTGRES_FUNCTIONS = `
  CREATE FUNCTION random_text(length int) RETURNS text VOLATILE LANGUAGE sql AS
    $$ SELECT left(repeat(md5(random()::text), 1 + length / 32), length) $$;
  CREATE FUNCTION order_name_of(number bigint) RETURNS text IMMUTABLE LANGUAGE sql AS
    $$ SELECT 'H' || lpad(number::text, 8, '0') $$;
  CREATE FUNCTION time_prefix(ms bigint) RETURNS text IMMUTABLE LANGUAGE sql AS
    $$ SELECT lpad(to_hex(greatest(0, ms - ${String(EPOCH_MS)}) / ${String(ID_STEP_MS)}), 8, '0') $$;`;

/** @param numbers a common table `numbers` with the number of each past order */
function stepsFor(
  orders: number,
  numbers: string,
  bytes: string,
  merchants = 1,
): readonly string[] {
  const now = Date.now();
  const start = now - SPREAD_MS;
  const createdAt = `${String(start)} + (number - 1) * ${String(Math.floor(SPREAD_MS / orders))}`;
  const firstOrderId = Math.floor((now - EPOCH_MS) / 1000) - orders;
  const turn = `number % ${String(merchants)}`;
  const merchant = `CASE WHEN ${turn} = 0 THEN '${BENCH_MERCHANT_ID}' ELSE '${BENCH_MERCHANT_ID}-' || (${turn}) END`;
  /** The past orders as they are stored, each with its number. */
  const numbered = `(SELECT *, CAST(substr(order_name, 2) AS BIGINT) AS past FROM checkouts) AS known ORDER BY id`;
  return [
    `${numbers} INSERT INTO orders
       (merchant, order_name, state, created_at, updated_at, renewed_at, is_void, email_digest)
     SELECT ${merchant}, order_name_of(number), 'paid', ${createdAt}, ${createdAt}, ${createdAt}, 0,
       random_text(22)
     FROM numbers`,
    `${numbers} INSERT INTO checkouts
       (id, merchant, order_name, order_version, amount_minor, currency, decimals, state, revision,
        sequence, refund, refunded_minor, attention, created_at, expires_at, paid_by, payment)
     SELECT time_prefix(${createdAt}) || random_text(22), ${merchant}, order_name_of(number),
       'version-of-the-price-x', 999, 'GBP', 2, 'paid', 3, 1, 'none', 0, '[]', ${createdAt},
       ${createdAt} + 3600000, 'transaction-' || number,
       '{"method":"New Card","lastDigits":"' || (1000 + number % 9000) || '","internalReference":"int_' || number || '"}'
     FROM numbers`,
    `INSERT INTO attempts
       (order_id, merchant_reference, checkout, merchant, order_name, account,
        provider_merchant_id, status, session_id, is_renewal, lease_until, created_at, active_since,
        next_poll_at, polls, watched_from, return_token, cancel_token, back_token, webhook_token,
        is_active)
     SELECT ${String(firstOrderId)} + past, order_name || '.' || (${String(firstOrderId)} + past), id,
       merchant, order_name, 'default', 1001, 'active', 'session-' || past, 0, created_at + 15000,
       created_at, created_at,
       CASE WHEN created_at > ${String(now - WATCHED_MS)} THEN ${String(now)} + (past * 7919) % 21600000 END,
       10, created_at, random_text(43), random_text(43), random_text(43), random_text(43), 1
     FROM ${numbered}`,
    `INSERT INTO matched_transactions
       (account, id, checkout, order_id, status, is_refund_row, proves_price, amount, taken_minor,
        refunded_minor, currency, transaction_time, recorded_at)
     SELECT 'default', paid_by, id, ${String(firstOrderId)} + past, 'SUCCESS', 0, 1, '9.99', 999, 0,
       'GBP', '2026-01-01T00:00:00.000Z', created_at
     FROM ${numbered}`,
    `INSERT INTO outbox_events
       (id, checkout, merchant, type, sequence, body, status, tries, due_at, created_at, position)
     SELECT 'msg_' || random_text(32) || past, id, merchant, 'checkout.paid', 1, '{"data":{"order":"' || order_name || '","note":"' || random_text(290) || '"}}',
       'delivered', 1, NULL, created_at, past
     FROM ${numbered}`,
    `INSERT INTO webhooks
       (token_hash, receiver, digest, order_id, sealed, status, flags, due_at, received_at)
     SELECT random_text(43), order_id, random_text(22) || order_id, order_id, ${bytes}, 'processed', '[]',
       NULL, created_at
     FROM attempts WHERE created_at > ${String(now - KEPT_MS)} ORDER BY order_id`,
  ];
}

function timePrefix(ms: number): string {
  const steps = Math.floor(Math.max(0, ms - EPOCH_MS) / ID_STEP_MS);
  return steps.toString(16).padStart(8, '0');
}

/** Text like that of hashes and ids; no secret, so it need not be unpredictable. */
function randomText(length: number): string {
  let text = '';
  while (text.length < length) text += Math.random().toString(36).slice(2);
  return text.slice(0, length);
}

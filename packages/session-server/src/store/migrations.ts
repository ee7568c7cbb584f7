import type { Database } from './database.js';
import { Sql, sql } from './sql.js';

/** Words in which the engines differ. */
export interface Dialect {
  readonly bigint: string;
  readonly bytes: string;
  /** Compared byte by byte. */
  readonly text: string;
  /** A primary key that counts the rows. */
  readonly identity: string;
  /** After the columns of a table. */
  readonly strict: string;
  /** {@link PAYMENT_JSON} */
  readonly payment: string;
}

/** The column `checkouts.payment` as JSON. Its indexes, and what searches along them, have the same words. */
export const PAYMENT_JSON = { postgres: 'CAST(payment AS jsonb)', sqlite: 'payment' } as const;

/** A fact of the payment of a checkout that people search by; each has an index. */
export function paymentFact(
  name: 'lastDigits' | 'internalReference',
  { isShared }: Pick<Database, 'isShared'>,
): Sql {
  const payment = isShared ? PAYMENT_JSON.postgres : PAYMENT_JSON.sqlite;
  return new Sql([`(${payment} ->> '${name}')`], []);
}

export type Migration = (dialect: Dialect) => string;

/**
 * What brings a database up to date, oldest first. One that has shipped never changes.
 *
 * Expand first, contract later: the previous version of the server runs on the schema of this one. A
 * column that is no longer needed is dropped in the release after the one that stopped using it, and
 * a renamed one is added, filled by both, and dropped like that.
 *
 * Times are milliseconds since 1970.
 */
export const MIGRATIONS: readonly Migration[] = [
  ({ bigint, bytes, identity, strict, text }) => `
  CREATE TABLE checkouts (
    number ${identity},
    id ${text} NOT NULL UNIQUE,
    merchant ${text} NOT NULL,
    order_name ${text} NOT NULL,
    order_version ${text} NOT NULL,
    shop_version ${text},
    amount_minor ${bigint} NOT NULL,
    currency ${text} NOT NULL,
    decimals ${bigint} NOT NULL,
    state ${text} NOT NULL,
    revision ${bigint} NOT NULL,
    sequence ${bigint} NOT NULL,
    refund ${text} NOT NULL,
    refunded_minor ${bigint} NOT NULL,
    attention ${text} NOT NULL,
    return_url ${text},
    created_at ${bigint} NOT NULL,
    expires_at ${bigint} NOT NULL,
    settle_by ${bigint},
    paid_by ${text},
    payment ${text},
    due_at ${bigint},
    -- When to compare the price that it was paid at with that of its shop.
    price_check_at ${bigint},
    -- Whether it was ever erased: it gets no personal facts any more.
    is_erased ${bigint} NOT NULL DEFAULT 0,
    UNIQUE (merchant, order_name, order_version)
  ) ${strict};
  CREATE INDEX checkouts_due ON checkouts (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX checkouts_price_check ON checkouts (price_check_at)
    WHERE price_check_at IS NOT NULL;
  CREATE INDEX checkouts_attention ON checkouts (created_at) WHERE attention <> '[]';
  CREATE INDEX checkouts_attention_of_merchant ON checkouts (merchant, created_at)
    WHERE attention <> '[]';

  -- One row for each order that was put, or has a checkout.
  CREATE TABLE orders (
    merchant ${text} NOT NULL,
    order_name ${text} NOT NULL,
    state ${text} NOT NULL,
    created_at ${bigint} NOT NULL,
    updated_at ${bigint} NOT NULL,
    -- When it was last put, or got its newest checkout.
    renewed_at ${bigint} NOT NULL,
    -- When it was erased, unless it has changed since.
    erased_at ${bigint},
    is_void ${bigint} NOT NULL,
    -- As it was put: NULL where the shop is asked for its price.
    order_version ${text},
    amount_minor ${bigint},
    currency ${text},
    decimals ${bigint},
    split ${text},
    return_url ${text},
    -- Description, customer and address, encrypted.
    sealed ${bytes},
    PRIMARY KEY (merchant, order_name)
  ) ${strict};
  CREATE INDEX orders_newest ON orders (merchant, created_at, order_name);
  CREATE INDEX orders_in_state ON orders (merchant, state, created_at, order_name);
  CREATE INDEX orders_to_erase ON orders (renewed_at) WHERE erased_at IS NULL;

  CREATE TABLE attempts (
    order_id ${bigint} PRIMARY KEY,
    merchant_reference ${text} NOT NULL,
    checkout ${text} NOT NULL REFERENCES checkouts (id),
    merchant ${text} NOT NULL,
    order_name ${text} NOT NULL,
    -- The provider account that it was made at.
    account ${text} NOT NULL,
    provider_merchant_id ${bigint} NOT NULL,
    status ${text} NOT NULL,
    -- Whether it is the one attempt of its order that is sent or active.
    is_active ${bigint} NOT NULL,
    session_id ${text},
    is_renewal ${bigint} NOT NULL,
    lease_until ${bigint} NOT NULL,
    created_at ${bigint} NOT NULL,
    -- When it last became the attempt of its order.
    active_since ${bigint} NOT NULL,
    submitted_at ${bigint},
    -- A failure that counts once the provider's list was read since, and shows no payment.
    failure_reported_at ${bigint},
    next_poll_at ${bigint},
    polls ${bigint} NOT NULL,
    watched_from ${bigint} NOT NULL,
    return_token ${text},
    cancel_token ${text},
    back_token ${text},
    webhook_token ${text}
  ) ${strict};
  CREATE UNIQUE INDEX attempts_active ON attempts (merchant, order_name) WHERE is_active = 1;
  CREATE INDEX attempts_of_checkout ON attempts (checkout);
  CREATE INDEX attempts_renewals ON attempts (merchant, order_name, created_at) WHERE is_renewal = 1;
  CREATE INDEX attempts_failure_reported ON attempts (failure_reported_at)
    WHERE failure_reported_at IS NOT NULL;
  CREATE INDEX attempts_next_poll ON attempts (next_poll_at) WHERE next_poll_at IS NOT NULL;

  CREATE TABLE matched_transactions (
    account ${text} NOT NULL,
    id ${text} NOT NULL,
    checkout ${text} NOT NULL REFERENCES checkouts (id),
    order_id ${bigint} NOT NULL,
    status ${text} NOT NULL,
    -- Whether it was only ever seen with a status that means refunded.
    is_refund_row ${bigint} NOT NULL,
    -- Whether it is of the price of its checkout.
    proves_price ${bigint} NOT NULL,
    amount ${text} NOT NULL,
    taken_minor ${bigint} NOT NULL,
    refunded_minor ${bigint} NOT NULL,
    -- What the row of a refund shares with the row of its payment.
    reference ${text},
    currency ${text} NOT NULL,
    transaction_time ${text} NOT NULL,
    recorded_at ${bigint} NOT NULL,
    PRIMARY KEY (account, id)
  ) ${strict};
  CREATE INDEX matched_transactions_of_checkout ON matched_transactions (checkout);
  CREATE INDEX matched_transactions_of_reference ON matched_transactions (reference);

  CREATE TABLE webhooks (
    id ${identity},
    token_hash ${text} NOT NULL,
    -- Its attempt or, for a registered endpoint, its token: one body counts once for each.
    receiver ${text} NOT NULL,
    digest ${text} NOT NULL,
    -- That of its address, or the one that it turned out to name.
    order_id ${bigint} REFERENCES attempts (order_id),
    sealed ${bytes} NOT NULL,
    status ${text} NOT NULL,
    flags ${text} NOT NULL,
    due_at ${bigint},
    received_at ${bigint} NOT NULL
  ) ${strict};
  CREATE INDEX webhooks_of_receiver ON webhooks (receiver, digest);
  CREATE UNIQUE INDEX webhooks_processed ON webhooks (receiver, digest)
    WHERE status = 'processed';
  CREATE INDEX webhooks_of_attempt ON webhooks (order_id) WHERE order_id IS NOT NULL;
  CREATE INDEX webhooks_due ON webhooks (due_at, id) WHERE due_at IS NOT NULL;
  CREATE INDEX webhooks_received ON webhooks (received_at);
  CREATE INDEX webhooks_unmatched_of_token ON webhooks (token_hash, received_at, id)
    WHERE status = 'unmatched';
  CREATE INDEX webhooks_unmatched ON webhooks (received_at, id) WHERE status = 'unmatched';

  -- What an unmatched webhook calls its attempt, hashed.
  CREATE TABLE webhook_references (
    reference ${text} NOT NULL,
    webhook ${bigint} NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    PRIMARY KEY (reference, webhook)
  ) ${strict};
  CREATE INDEX webhook_references_of_webhook ON webhook_references (webhook);

  CREATE TABLE outbox_events (
    id ${text} PRIMARY KEY,
    checkout ${text} NOT NULL REFERENCES checkouts (id),
    merchant ${text} NOT NULL,
    type ${text} NOT NULL,
    sequence ${bigint} NOT NULL,
    body ${text} NOT NULL,
    status ${text} NOT NULL,
    tries ${bigint} NOT NULL,
    due_at ${bigint},
    created_at ${bigint} NOT NULL,
    -- Its place in the feed of its merchant, given once it is committed.
    position ${bigint},
    UNIQUE (checkout, sequence)
  ) ${strict};
  CREATE UNIQUE INDEX outbox_events_feed ON outbox_events (merchant, position)
    WHERE position IS NOT NULL;
  CREATE INDEX outbox_events_without_position ON outbox_events (created_at, sequence)
    WHERE position IS NULL;
  CREATE INDEX outbox_events_due ON outbox_events (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX outbox_events_of_merchant ON outbox_events (merchant, due_at, sequence)
    WHERE due_at IS NOT NULL;
  CREATE INDEX outbox_events_sending ON outbox_events (merchant) WHERE status = 'sending';
  CREATE INDEX outbox_events_dead_lettered ON outbox_events (created_at, sequence)
    WHERE status = 'dead_lettered';

  -- Which server reads the list of a provider merchant, and when and how far it was last read.
  CREATE TABLE read_turns (
    account ${text} NOT NULL,
    provider_merchant_id ${bigint} NOT NULL,
    holder ${text} NOT NULL,
    lease_until ${bigint} NOT NULL,
    -- When another server last asked for its turn.
    wanted_at ${bigint} NOT NULL,
    started_at ${bigint} NOT NULL,
    -- How far back the read that started then has read everything; NULL until it has ended.
    read_since ${bigint},
    -- No one reads before: the provider failed, or asked for a pause.
    not_before ${bigint} NOT NULL,
    -- The pages of the last minute, as JSON.
    pages ${text} NOT NULL,
    PRIMARY KEY (account, provider_merchant_id)
  ) ${strict};

  CREATE TABLE counters (
    name ${text} PRIMARY KEY,
    value ${bigint} NOT NULL
  ) ${strict};
  `,

  // The id of the request that created it, for events and logs.
  ({ text }) => `ALTER TABLE checkouts ADD COLUMN request_id ${text};`,

  // An account's list has one reader from now on, with the id 0. It keeps the pauses that its
  // merchants' readers were asked for. Those stay: servers of the version before still read by them.
  () => `
  INSERT INTO read_turns (
    account, provider_merchant_id, holder, lease_until, wanted_at, started_at, not_before, pages
  )
  SELECT account, 0, '', 0, 0, max(started_at), max(not_before), '[]'
  FROM read_turns GROUP BY account;
  `,

  // What an operator sees of an order, and does with it.
  ({ bigint, identity, strict, text }) => `
  -- The attention that an operator has dealt with, as it was then.
  ALTER TABLE checkouts ADD COLUMN resolved_attention ${text} NOT NULL DEFAULT '[]';
  CREATE INDEX checkouts_open_attention ON checkouts (number)
    WHERE attention <> '[]' AND attention <> resolved_attention;
  CREATE INDEX orders_by_name ON orders (order_name, merchant);
  CREATE INDEX matched_transactions_by_id ON matched_transactions (id);

  -- What happened to an order, in codes: no personal data. Kept as long as webhooks are.
  CREATE TABLE order_log (
    id ${identity},
    merchant ${text} NOT NULL,
    order_name ${text} NOT NULL,
    kind ${text} NOT NULL,
    checkout ${text},
    -- The order_id, transaction or event that it is about.
    subject ${text},
    detail ${text} NOT NULL,
    at ${bigint} NOT NULL
  ) ${strict};
  CREATE INDEX order_log_of_order ON order_log (merchant, order_name, kind, id);
  CREATE INDEX order_log_oldest ON order_log (at);

  -- What operators did.
  CREATE TABLE audit (
    id ${identity},
    at ${bigint} NOT NULL,
    actor ${text} NOT NULL,
    action ${text} NOT NULL,
    merchant ${text},
    order_name ${text},
    target ${text},
    note ${text}
  ) ${strict};
  CREATE INDEX audit_of_order ON audit (merchant, order_name);
  `,

  // For the report of a day.
  () => `CREATE INDEX matched_transactions_of_time
    ON matched_transactions (account, transaction_time, id);`,

  // Sessions of the operator's page that were ended before their time.
  ({ bigint, strict, text }) => `
  CREATE TABLE operator_sign_outs (
    session ${text} PRIMARY KEY,
    expires_at ${bigint} NOT NULL
  ) ${strict};
  `,

  // What every page of an order shows: a payment was submitted; another checkout took its place. No poll
  // would end what was submitted where none is planned any more.
  ({ bigint, text }) => `
  ALTER TABLE checkouts ADD COLUMN submitted_at ${bigint};
  ALTER TABLE checkouts ADD COLUMN superseded_by ${text};
  CREATE INDEX checkouts_submitted ON checkouts (submitted_at) WHERE submitted_at IS NOT NULL;
  UPDATE checkouts SET submitted_at = (
    SELECT submitted_at FROM attempts WHERE checkout = checkouts.id AND is_active = 1
  ) WHERE state NOT IN ('paid', 'failed') AND id IN (
    SELECT checkout FROM attempts
    WHERE is_active = 1 AND submitted_at IS NOT NULL AND next_poll_at IS NOT NULL);
  `,

  // One planner of polls: what decides when an attempt is polled for, and what its last poll met.
  ({ bigint, text }) => `
  ALTER TABLE attempts ADD COLUMN hints ${bigint} NOT NULL DEFAULT 0;
  ALTER TABLE attempts ADD COLUMN poll_from ${bigint};
  ALTER TABLE attempts ADD COLUMN poll_by ${bigint};
  ALTER TABLE attempts ADD COLUMN asked_at ${bigint};
  ALTER TABLE attempts ADD COLUMN polled_at ${bigint};
  ALTER TABLE attempts ADD COLUMN poll_result ${text};
  `,

  // For the search of a session, and of the request that created a checkout.
  () => `
  CREATE INDEX attempts_of_session ON attempts (session_id) WHERE session_id IS NOT NULL;
  CREATE INDEX checkouts_of_request ON checkouts (request_id) WHERE request_id IS NOT NULL;
  `,

  // For the search of an order in any case, of a card, an internal reference, an amount and a shopper's
  // e-mail, and for the list of the orders of all merchants.
  ({ text, payment }) => `
  -- Keyed hash of the customer's e-mail: see DataEncryption.
  ALTER TABLE orders ADD COLUMN email_digest ${text};
  CREATE INDEX orders_of_email ON orders (email_digest, created_at) WHERE email_digest IS NOT NULL;
  CREATE INDEX orders_by_name_in_any_case ON orders (lower(order_name), merchant);
  CREATE INDEX orders_newest_of_all ON orders (created_at, order_name, merchant);
  CREATE INDEX orders_in_state_of_all ON orders (state, created_at, order_name, merchant);
  CREATE INDEX checkouts_of_amount ON checkouts (amount_minor, currency, number);
  CREATE INDEX checkouts_of_last_digits ON checkouts ((${payment} ->> 'lastDigits'), number)
    WHERE payment IS NOT NULL;
  CREATE INDEX checkouts_of_internal_reference ON checkouts ((${payment} ->> 'internalReference'))
    WHERE payment IS NOT NULL;
  `,

  // The servers that share the database, and how each is.
  ({ bigint, strict, text }) => `
  CREATE TABLE servers (
    id ${text} PRIMARY KEY,
    state ${text} NOT NULL,
    seen_at ${bigint} NOT NULL
  ) ${strict};
  `,

  // The request that asked for an attempt, where it is not the one that created its checkout.
  ({ text }) => `
  ALTER TABLE attempts ADD COLUMN request_id ${text};
  CREATE INDEX attempts_of_request ON attempts (request_id) WHERE request_id IS NOT NULL;
  `,

  // For removing the rows of old orders. Only orders that are erased are in the new indexes.
  ({ bigint, strict, text }) => `
  -- When its attempts and events were removed.
  ALTER TABLE orders ADD COLUMN removed_at ${bigint};
  CREATE INDEX orders_to_remove ON orders (renewed_at)
    WHERE erased_at IS NOT NULL AND (removed_at IS NULL OR removed_at < erased_at);
  CREATE INDEX orders_removed ON orders (renewed_at) WHERE removed_at IS NOT NULL;

  -- Up to which place in the feed of a merchant events were removed, and how many.
  CREATE TABLE removed_events (
    merchant ${text} PRIMARY KEY,
    position ${bigint} NOT NULL,
    events ${bigint} NOT NULL
  ) ${strict};

  -- What the orders came to whose last rows were removed, by the month (UTC) in which they were created.
  CREATE TABLE removed_orders (
    merchant ${text} NOT NULL,
    month ${text} NOT NULL,
    currency ${text} NOT NULL,
    decimals ${bigint} NOT NULL,
    paid ${bigint} NOT NULL,
    unpaid ${bigint} NOT NULL,
    amount_minor ${bigint} NOT NULL,
    refunded_minor ${bigint} NOT NULL,
    PRIMARY KEY (merchant, month, currency, decimals)
  ) ${strict};
  `,
];

/** Whether the tables are those that this version needs: a backup may have been put in their place. */
export async function hasTables(database: Database): Promise<boolean> {
  const row = await database.get(
    database.isShared
      ? sql`SELECT version FROM schema_version`
      : sql`SELECT user_version AS version FROM pragma_user_version`,
  );
  return Number(row?.['version']) >= MIGRATIONS.length;
}

import { insertEntry, type LogDetails } from '../orders/order-log.js';
import type { ProviderMerchant, TransactionList } from '../provider/gateway.js';
import { hashToken } from '../random-id.js';
import {
  type Database,
  optionalNumber,
  optionalText,
  type Reader,
  type Row,
  type Transaction,
} from '../store/database.js';
import { type Sql, sql } from '../store/sql.js';
import {
  type AttemptTokens,
  makeTokens,
  merchantReferenceOf,
  namesOf,
  orderIdsIn,
  type StoredToken,
} from './attempt-ids.js';
import { allocateOrderId, type OrderIdPlace } from './order-ids.js';
import type { CheckoutRules } from './rules.js';

/**
 * How far one `/create-session` got.
 *
 * `sending` → `active` (its session was stored, and may be shown), `unknown` (the answer was lost),
 * `refused`, `not_sent`; `active` → `superseded` (another session took its place; still watched).
 */
export type AttemptStatus =
  | 'sending'
  | 'active'
  | 'unknown'
  | 'refused'
  | 'not_sent'
  | 'superseded';

/** One `/create-session`: it has its own `order_id`, so that evidence identifies it. */
export interface Attempt extends ProviderMerchant {
  readonly orderId: number;
  readonly merchantReference: string;
  readonly checkout: string;
  readonly merchant: string;
  readonly order: string;
  readonly status: AttemptStatus;
  readonly sessionId?: string | undefined;
  readonly createdAt: number;
  /** Id of the request that asked for it; undefined where that created its checkout as well. */
  readonly requestId?: string | undefined;
  /**
   * When it last became the attempt of its order: when it was made, or its price came back. Later than that
   * of every attempt before, whatever the clocks of servers say.
   */
  readonly activeSince: number;
}

/** What only the store knows of an attempt. */
export interface StoredAttempt extends Attempt {
  /** Whether it is the one of its order that is being sent or is active. */
  readonly isActive: boolean;
  /** Whether it was made because the SDK refused the session before. */
  readonly isRenewal: boolean;
  readonly leaseUntil: number;
  /** When a payment was submitted in its session, unless it has ended. */
  readonly submittedAt?: number | undefined;
  /** When a failure was reported that the provider's list has not been read for since. */
  readonly failureReportedAt?: number | undefined;
}

export interface AttemptRequest extends ProviderMerchant {
  readonly merchant: string;
  readonly order: string;
  readonly orderVersion: string;
  readonly shopVersion?: string | undefined;
  readonly amountMinor: number;
  readonly currency: string;
  readonly decimals: number;
  readonly returnUrl?: string | undefined;
  /** Id of the request that asks for it. */
  readonly requestId?: string | undefined;
  /** Of its customer's e-mail, where the shop was asked for the order. */
  readonly emailDigest?: string | undefined;
  /**
   * `activeSince` of the attempt that was active before its price was asked for, 0 where there was none: one
   * at another price that became active later has a newer price. No clock says so: those of servers differ.
   */
  readonly pricedAfter?: number | undefined;
  /** The session that the SDK refused. */
  readonly renew?: string | undefined;
  /** Whether it is priced by what is stored: then it must still be its price when the attempt begins. */
  readonly isStored?: true | undefined;
}

/** An attempt that the provider knows and the data file has lost. */
export interface FoundAttempt {
  readonly orderId: number;
  readonly merchantReference: string;
  /** At the earliest, in milliseconds since 1970. */
  readonly createdAt: number;
  /** The order as the shop prices it now. */
  readonly request: AttemptRequest;
}

/** The pause before the first poll that no one asked for. */
export const FIRST_POLL_SECONDS = 120;
const HOUR_MS = 3_600_000;
const TOKEN_KINDS = ['return', 'cancel', 'back', 'webhook'] as const;

export async function getAttempt(reader: Reader, orderId: number): Promise<StoredAttempt> {
  const row = await reader.get(sql`SELECT * FROM attempts WHERE order_id = ${orderId}`);
  if (!row) throw new Error('no such attempt');
  return toAttempt(row);
}

/** Those of these attempts that exist, by their ids. */
export async function findAttemptsById(
  reader: Reader,
  orderIds: readonly number[],
): Promise<ReadonlyMap<number, StoredAttempt>> {
  if (orderIds.length === 0) return new Map();
  const rows = await reader.all(
    sql`SELECT * FROM attempts WHERE order_id IN ${sql.list(orderIds)}`,
  );
  return new Map(rows.map(toAttempt).map((attempt) => [attempt.orderId, attempt]));
}

/** Every attempt of a checkout, in the order in which they were made. */
export function findAttempts(reader: Reader, checkout: string): Promise<Attempt[]> {
  return findAttemptsOf(reader, [checkout]);
}

/** Every attempt of some checkouts, in the order in which they were made. */
export async function findAttemptsOf(
  reader: Reader,
  checkouts: readonly string[],
): Promise<Attempt[]> {
  if (checkouts.length === 0) return [];
  const rows = await reader.all(
    sql`SELECT * FROM attempts WHERE checkout IN ${sql.list(checkouts)}`,
  );
  return rows.map(toAttempt).toSorted((one, other) => one.orderId - other.orderId);
}

/** Which of two attempts became the one of its order later, to sort by. */
export function compareAttempts(one: Attempt, other: Attempt): number {
  return one.activeSince - other.activeSince || one.orderId - other.orderId;
}

/** Every attempt of an order. */
export async function findAttemptsOfOrder(
  reader: Reader,
  merchant: string,
  order: string,
): Promise<StoredAttempt[]> {
  const rows = await reader.all(sql`
    SELECT * FROM attempts WHERE checkout IN (
      SELECT id FROM checkouts WHERE merchant = ${merchant} AND order_name = ${order})`);
  return rows.map(toAttempt);
}

/** The attempt of an order that is being sent or is active. */
export async function findActiveAttempt(
  reader: Reader,
  merchant: string,
  order: string,
): Promise<StoredAttempt | undefined> {
  const row = await reader.get(sql`
    SELECT * FROM attempts
    WHERE merchant = ${merchant} AND order_name = ${order} AND is_active = 1`);
  return row && toAttempt(row);
}

/** The attempt of a checkout whose session a page was given. */
export async function findShownAttempt(
  reader: Reader,
  checkout: string,
  sessionId: string,
): Promise<StoredAttempt | undefined> {
  const row = await reader.get(sql`
    SELECT * FROM attempts WHERE checkout = ${checkout} AND session_id = ${sessionId}`);
  return row && toAttempt(row);
}

/**
 * Attempts of one provider merchant, or at one account, whose `order_id` or `MerchantReference` is one
 * of these.
 */
export async function findAttemptsByReference(
  reader: Reader,
  { account, providerMerchantId }: TransactionList,
  references: readonly string[],
): Promise<Attempt[]> {
  const orderIds = orderIdsIn(references);
  if (orderIds.length === 0) return [];
  const rows = await reader.all(sql`
    SELECT * FROM attempts WHERE order_id IN ${sql.list(orderIds)}
      AND account = ${account} ${ofMerchant(providerMerchantId)}`);
  return rows.map(toAttempt).filter((attempt) => isNamed(attempt, references));
}

/** Whether an attempt that one of the references names was made since a time. */
export async function hasNewAttempt(
  reader: Reader,
  references: readonly string[],
  since: number,
): Promise<boolean> {
  const orderIds = orderIdsIn(references);
  if (orderIds.length === 0) return false;
  const rows = await reader.all(sql`
    SELECT * FROM attempts WHERE order_id IN ${sql.list(orderIds)}
      AND created_at >= ${since}`);
  return rows.some((row) => isNamed(toAttempt(row), references));
}

function isNamed(attempt: Attempt, references: readonly string[]): boolean {
  return namesOf(attempt).some((name) => references.includes(name));
}

/** A new attempt with an `order_id`, a reference and tokens of its own, to be stored and then sent. */
export async function makeAttempt(
  tx: Transaction,
  {
    request,
    checkout,
    requestId,
    isRenewal,
    activeSince,
  }: Pick<Attempt, 'checkout' | 'requestId' | 'activeSince'> &
    Pick<StoredAttempt, 'isRenewal'> & { readonly request: AttemptRequest },
  now: number,
  rules: Pick<CheckoutRules, 'sendLeaseSeconds' | 'maxOrderId'>,
  place: OrderIdPlace,
): Promise<{ attempt: Attempt; tokens: AttemptTokens; insert: Sql }> {
  const orderId = await allocateOrderId(tx, now, rules.maxOrderId, place);
  const tokens = makeTokens(orderId);
  const row = {
    order_id: orderId,
    merchant_reference: merchantReferenceOf(request.order, orderId),
    checkout,
    merchant: request.merchant,
    order_name: request.order,
    account: request.account,
    provider_merchant_id: request.providerMerchantId,
    status: 'sending',
    is_active: 1,
    is_renewal: Number(isRenewal),
    lease_until: now + rules.sendLeaseSeconds * 1000,
    created_at: now,
    request_id: requestId,
    active_since: activeSince,
    next_poll_at: now + FIRST_POLL_SECONDS * 1000,
    polls: 0,
    watched_from: now,
    return_token: hashToken(tokens.return),
    cancel_token: hashToken(tokens.cancel),
    back_token: hashToken(tokens.back),
    webhook_token: hashToken(tokens.webhook),
  };
  return { attempt: toAttempt(row), tokens, insert: sql.insert('attempts', row) };
}

/** An attempt that was lost and is found again: it is watched, and its session is shown to no one. */
export async function insertFoundAttempt(
  tx: Transaction,
  found: FoundAttempt,
  checkout: string,
  now: number,
): Promise<void> {
  await tx.run(
    sql.insert('attempts', {
      order_id: found.orderId,
      merchant_reference: found.merchantReference,
      checkout,
      merchant: found.request.merchant,
      order_name: found.request.order,
      account: found.request.account,
      provider_merchant_id: found.request.providerMerchantId,
      status: 'superseded',
      is_active: 0,
      is_renewal: 0,
      lease_until: now,
      created_at: found.createdAt,
      active_since: found.createdAt,
      next_poll_at: now + FIRST_POLL_SECONDS * 1000,
      polls: 0,
      watched_from: found.createdAt,
    }),
  );
}

export async function hasAttempt(reader: Reader, orderId: number): Promise<boolean> {
  return (await reader.get(sql`SELECT 1 FROM attempts WHERE order_id = ${orderId}`)) !== undefined;
}

/**
 * The provider answered: stores the session, and says whether it may be shown. False when the lease
 * expired and another attempt took over, or when in the meantime the order was paid or its shopper came
 * back from paying: then this session may never be shown. Storing it again answers the same.
 */
export async function activateSession(
  database: Database,
  attempt: Attempt,
  sessionId: string,
  now: number,
): Promise<boolean> {
  const [stored] = await database.run(
    'create:activate-session',
    sql`
      UPDATE attempts SET session_id = coalesce(session_id, ${sessionId}),
        status = CASE status WHEN 'sending' THEN 'active' ELSE status END
      WHERE order_id = ${attempt.orderId} RETURNING status, session_id`,
    insertAnswer(attempt, { result: 'created' }, now),
  );
  if (!stored) throw new Error('no such attempt');
  return stored['status'] === 'active' && stored['session_id'] === sessionId;
}

/**
 * Sending ended without a session.
 */
export async function markSendFailed(
  database: Database,
  attempt: Attempt,
  answer: LogDetails['session'] & { readonly result: 'unknown' | 'refused' | 'not_sent' },
  now: number,
): Promise<void> {
  await database.run(
    'create:end-attempt',
    sql`${setEnded(attempt.orderId, answer.result)} AND status = 'sending'`,
    insertAnswer(attempt, answer, now),
  );
}

function insertAnswer(attempt: Attempt, detail: LogDetails['session'], now: number): Sql {
  const { checkout, orderId } = attempt;
  return insertEntry(attempt, { kind: 'session', checkout, subject: String(orderId), detail }, now);
}

/** The session that is being asked for will be shown to no one: money of its order may be moving. */
export function supersedeSending(tx: Transaction, merchant: string, order: string): void {
  tx.queue(sql`
    UPDATE attempts SET status = 'superseded', is_active = 0
    WHERE merchant = ${merchant} AND order_name = ${order} AND is_active = 1
      AND status = 'sending'`);
}

/** Makes it the current attempt again: its price is the order's once more. */
export function reactivateAttempt(tx: Transaction, orderId: number, now: number): void {
  tx.queue(sql`
    UPDATE attempts SET status = 'active', is_active = 1, active_since = ${now}
    WHERE order_id = ${orderId}`);
}

/** When a payment was submitted in its session; undefined once it is known not to have gone through. */
export function setSubmitted(tx: Transaction, orderId: number, at: number | undefined): void {
  tx.queue(sql`UPDATE attempts SET submitted_at = ${at} WHERE order_id = ${orderId}`);
}

/** Whether a payment was submitted in one of the sessions of a checkout, and has not ended. */
export async function hasSubmitted(reader: Reader, checkout: string): Promise<boolean> {
  const row = await reader.get(sql`
    SELECT 1 FROM attempts WHERE checkout = ${checkout} AND submitted_at IS NOT NULL LIMIT 1`);
  return row !== undefined;
}

/** Nothing that was submitted in a session of the checkout has gone through. */
export async function clearSubmitted(tx: Transaction, checkout: string): Promise<void> {
  await tx.run(sql`
    UPDATE attempts SET submitted_at = NULL
    WHERE checkout = ${checkout} AND submitted_at IS NOT NULL`);
}

/** Whether a page may have been given a session of an order, or was before its attempts were removed. */
export async function hasSession(
  reader: Reader,
  merchant: string,
  order: string,
): Promise<boolean> {
  const row = await reader.get(sql`
    SELECT 1 FROM attempts WHERE status IN ('active', 'superseded') AND checkout IN (
      SELECT id FROM checkouts WHERE merchant = ${merchant} AND order_name = ${order})
    UNION ALL SELECT 1 FROM orders
    WHERE merchant = ${merchant} AND order_name = ${order} AND removed_at IS NOT NULL LIMIT 1`);
  return row !== undefined;
}

/** When its failure was reported; undefined when that is settled. */
export async function setFailureReported(
  tx: Transaction,
  orderId: number,
  at: number | undefined,
): Promise<void> {
  await tx.run(sql`UPDATE attempts SET failure_reported_at = ${at} WHERE order_id = ${orderId}`);
}

/** Attempts at a list whose failure was reported, or whose checkout has a payment that was submitted, and when. */
export async function findUnsettledAttempts(
  reader: Reader,
  { account, providerMerchantId }: TransactionList,
  { startedAt, until }: { readonly startedAt: number; readonly until: number },
): Promise<{ readonly attempt: StoredAttempt; readonly why: 'failure' | 'submission' }[]> {
  const ofList = sql`account = ${account} ${ofMerchant(providerMerchantId)}`;
  const rows = await reader.all(sql`
    SELECT attempts.*, 'failure' AS why FROM attempts
    WHERE failure_reported_at <= ${startedAt} AND ${ofList}
    UNION ALL SELECT attempts.*, 'submission' AS why FROM attempts
    WHERE checkout IN (SELECT id FROM checkouts WHERE submitted_at <= ${until}) AND ${ofList}`);
  return rows.map((row) => ({
    attempt: toAttempt(row),
    why: row['why'] as 'failure' | 'submission',
  }));
}

function ofMerchant(providerMerchantId: number | undefined) {
  return providerMerchantId === undefined
    ? sql``
    : sql`AND provider_merchant_id = ${providerMerchantId}`;
}

/** Marks an attempt ended or superseded. Where no session exists, nothing is watched. */
export function endAttempt(
  tx: Transaction,
  orderId: number,
  status: Exclude<AttemptStatus, 'sending' | 'active'>,
): void {
  tx.queue(setEnded(orderId, status));
}

function setEnded(orderId: number, status: Exclude<AttemptStatus, 'sending' | 'active'>): Sql {
  const isPayable = status === 'unknown' || status === 'superseded';
  const nextPollAt = isPayable ? sql`next_poll_at` : sql`NULL`;
  return sql`
    UPDATE attempts SET status = ${status}, is_active = 0, next_poll_at = ${nextPollAt}
    WHERE order_id = ${orderId}`;
}

/** The sender of every attempt that is still `sending` is dead: this process has just started. */
export async function endAllSending(tx: Transaction): Promise<void> {
  // Each of them is watched; by that index it is found without reading all of history.
  await tx.run(sql`
    UPDATE attempts SET status = 'unknown', is_active = 0
    WHERE status = 'sending' AND next_poll_at IS NOT NULL`);
}

/** Its session is shown again and may be paid from now on: it is watched from the start, once an hour. */
export function watchAgain(tx: Transaction, orderId: number, now: number): void {
  tx.queue(sql`
    UPDATE attempts SET next_poll_at = ${now + FIRST_POLL_SECONDS * 1000}, polls = 0,
      watched_from = ${now}
    WHERE order_id = ${orderId}
      AND (next_poll_at IS NULL OR watched_from <= ${now - HOUR_MS})`);
}

/** The attempt that a token belongs to, and which of the four it is; undefined when it is unknown. */
export async function findToken(
  reader: Reader,
  { orderId, hash }: StoredToken,
): Promise<{ kind: keyof AttemptTokens; orderId: number; attempt: StoredAttempt } | undefined> {
  if (orderId === undefined) return undefined;
  const row = await reader.get(sql`SELECT * FROM attempts WHERE order_id = ${orderId}`);
  const kind = TOKEN_KINDS.find((name) => row?.[`${name}_token`] === hash);
  return row && kind && { kind, orderId, attempt: toAttempt(row) };
}

export function toAttempt(row: Row): StoredAttempt {
  return {
    orderId: Number(row['order_id']),
    merchantReference: String(row['merchant_reference']),
    checkout: String(row['checkout']),
    merchant: String(row['merchant']),
    order: String(row['order_name']),
    account: String(row['account']),
    providerMerchantId: Number(row['provider_merchant_id']),
    status: row['status'] as AttemptStatus,
    sessionId: optionalText(row['session_id']),
    createdAt: Number(row['created_at']),
    requestId: optionalText(row['request_id']),
    activeSince: Number(row['active_since']),
    isActive: row['is_active'] === 1,
    isRenewal: row['is_renewal'] === 1,
    leaseUntil: Number(row['lease_until']),
    submittedAt: optionalNumber(row['submitted_at']),
    failureReportedAt: optionalNumber(row['failure_reported_at']),
  };
}

import {
  attentionAdded,
  type AttentionCode,
  type Checkout,
  describeTime,
  findCheckoutsOfOrder,
  findLog,
  findOrder,
  formatMinor,
  type LogDetails,
  type LogEntry,
  optionalNumber,
  type OrderKey,
  type Reader,
  type Row,
  sql,
  toAttempt,
} from '@pay-checkout/session-server/internals';
import { findAuditOf } from './audit.js';
import type {
  AttemptView,
  CheckoutView,
  EventView,
  OrderView,
  TimelineEntry,
} from './page-view.js';

/** What is stored of an order, and everything that happened to it: for the page and for `explain`. */
export type Timeline = Omit<OrderView, 'canVoid' | 'keepDays'>;

/** Undefined when there is no such order. */
export async function readTimeline(reader: Reader, key: OrderKey): Promise<Timeline | undefined> {
  const stored = await findOrder(reader, key);
  if (!stored) return undefined;
  const { merchant, order, state, createdAt, updatedAt, put } = stored;
  const checkouts = await findCheckoutsOfOrder(reader, merchant, order);
  const ids = sql`(SELECT id FROM checkouts WHERE merchant = ${merchant} AND order_name = ${order})`;
  const attemptRows = await reader.all(sql`SELECT * FROM attempts WHERE checkout IN ${ids}`);
  const eventRows = await reader.all(sql`
    SELECT id, type, checkout, status, tries, due_at, created_at FROM outbox_events
    WHERE checkout IN ${ids}`);
  const transactionRows = await reader.all(
    sql`SELECT * FROM matched_transactions WHERE checkout IN ${ids}`,
  );
  const attempts = attemptRows.map(toAttemptView);
  const log = await findLog(reader, key);
  const events = eventRows.map(toEventView).map((event) => ({
    ...event,
    tries: Math.max(event.tries, ...log.map((entry) => triesIn(entry, event.id))),
  }));
  const webhooks = await reader.all(sql`
    SELECT id, order_id, status, flags, received_at FROM webhooks
    WHERE order_id IN (SELECT order_id FROM attempts WHERE checkout IN ${ids})`);
  const resolved = await findResolved(reader, key);
  const entries: TimelineEntry[] = [
    ...checkouts.map(toCheckoutEntry),
    ...attempts.map((attempt) => toRequestEntry(attempt, checkouts)),
    ...attemptRows.flatMap(toPollEntries),
    ...webhooks.map(toWebhookEntry),
    ...transactionRows.map(toTransactionEntry),
    ...events.map(({ id, type, checkout, createdAt: at }) => {
      return { kind: 'event', at, checkout, subject: id, detail: { type } } as const;
    }),
    ...log,
    ...(await findAuditOf(reader, key)).map(
      (detail) => ({ kind: 'audit', at: detail.at, detail }) as const,
    ),
  ];
  return {
    ...{ merchant, order, state, createdAt, updatedAt },
    erasedAt: stored.erasedAt,
    removedAt: stored.removedAt,
    price: put && `${formatMinor(put.amountMinor, put.decimals)} ${put.currency}`,
    checkouts: checkouts.map((checkout) => toCheckoutView(checkout, resolved.get(checkout.id))),
    attempts: attempts.toSorted((one, other) => one.orderId - other.orderId),
    events: events.toSorted((one, other) => one.createdAt - other.createdAt),
    // Stable: what happened in the same millisecond stays in the order in which it was noted.
    entries: entries.toSorted((one, other) => one.at - other.at).toReversed(),
  };
}

/** The number of a try to deliver an event; 0 of any other entry. */
function triesIn(entry: LogEntry, event: string): number {
  return entry.kind === 'delivery' && entry.subject === event ? entry.detail.try : 0;
}

/** What of a checkout's attention no operator has resolved. */
export function openAttention(
  { attention }: Pick<Checkout, 'attention'>,
  resolved: readonly AttentionCode[] = [],
): AttentionCode[] {
  return attentionAdded({ attention: resolved } as Checkout, { attention } as Checkout);
}

async function findResolved(
  reader: Reader,
  { merchant, order }: OrderKey,
): Promise<ReadonlyMap<string, readonly AttentionCode[]>> {
  const rows = await reader.all(sql`
    SELECT id, resolved_attention FROM checkouts
    WHERE merchant = ${merchant} AND order_name = ${order}`);
  return new Map(rows.map((row) => [String(row['id']), resolvedOf(row)]));
}

export function resolvedOf(row: Row): AttentionCode[] {
  return JSON.parse(String(row['resolved_attention'])) as AttentionCode[];
}

function toCheckoutView(
  checkout: Checkout,
  resolved: readonly AttentionCode[] | undefined,
): CheckoutView {
  const { id, requestId, state, currency, refund, attention, paidBy } = checkout;
  const { createdAt, expiresAt, settleBy, amountMinor, refundedMinor, decimals } = checkout;
  return {
    ...{ id, requestId, state, currency, refund, attention, paidBy },
    ...{ createdAt, expiresAt, settleBy },
    amount: formatMinor(amountMinor, decimals),
    amountRefunded: formatMinor(refundedMinor, decimals),
    openAttention: openAttention(checkout, resolved),
  };
}

function toAttemptView(row: Row): AttemptView {
  const attempt = toAttempt(row);
  const { orderId, checkout, account, providerMerchantId, status, createdAt } = attempt;
  const { merchantReference, requestId } = attempt;
  return {
    ...{ orderId, checkout, account, providerMerchantId, status, createdAt, requestId },
    reference: merchantReference,
    polls: Number(row['polls']),
    watchedFrom: Number(row['watched_from']),
    nextPollAt: optionalNumber(row['next_poll_at']),
  };
}

function toEventView(row: Row): EventView {
  return {
    id: String(row['id']),
    type: String(row['type']),
    checkout: String(row['checkout']),
    status: String(row['status']),
    tries: Number(row['tries']),
    dueAt: optionalNumber(row['due_at']),
    createdAt: Number(row['created_at']),
  };
}

function toCheckoutEntry({
  id,
  requestId,
  createdAt,
  amountMinor,
  decimals,
  currency,
}: Checkout): TimelineEntry {
  const price = `${formatMinor(amountMinor, decimals)} ${currency}`;
  return { kind: 'checkout', at: createdAt, checkout: id, detail: { price, requestId } };
}

function toRequestEntry(
  { orderId, checkout, reference, createdAt, requestId }: AttemptView,
  checkouts: readonly Checkout[],
): TimelineEntry {
  const subject = String(orderId);
  // The first one is of the same step as its checkout.
  const at = Math.max(createdAt, checkouts.find(({ id }) => id === checkout)?.createdAt ?? 0);
  return { kind: 'request', at, checkout, subject, detail: { reference, requestId } };
}

/** The last poll for an attempt; those before it are not kept. */
function toPollEntries(row: Row): TimelineEntry[] {
  const at = optionalNumber(row['polled_at']);
  if (at === undefined) return [];
  const result = String(row['poll_result']) as LogDetails['poll']['result'];
  const subject = String(row['order_id']);
  const detail = { result, count: 1, since: at };
  return [{ kind: 'poll', at, checkout: String(row['checkout']), subject, detail }];
}

function toWebhookEntry(row: Row): TimelineEntry {
  const flags = JSON.parse(String(row['flags'])) as string[];
  return {
    kind: 'webhook',
    at: Number(row['received_at']),
    subject: String(row['order_id']),
    detail: { status: String(row['status']), flags },
  };
}

function toTransactionEntry(row: Row): TimelineEntry {
  return {
    kind: 'transaction',
    at: Number(row['recorded_at']),
    checkout: String(row['checkout']),
    subject: String(row['id']),
    detail: {
      status: String(row['status']),
      amount: String(row['amount']),
      currency: String(row['currency']),
      transactionTime: describeTime({ transactionTime: String(row['transaction_time']) }),
      provesPrice: row['proves_price'] === 1,
    },
  };
}

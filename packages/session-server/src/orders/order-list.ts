import type { OrderState } from '../contract.js';
import { formatMinor } from '../money.js';
import type { Reader } from '../store/database.js';
import { type Sql, sql } from '../store/sql.js';
import { type StoredOrder, toOrder } from './repository.js';

/** Orders that one request for a list reads at most, however few of them it is for. */
const MAX_SCANNED = 1000;
/** Orders that totals are of at most, which bounds their cost. */
const MAX_TOTALLED = 10_000;
/** Checkouts that need a person of which the orders are listed: the newest ones. */
const MAX_FLAGGED = 10_000;

/** Which orders; times are in milliseconds since 1970. */
export interface OrderFilter {
  /** Default: every merchant. */
  readonly merchant?: string | undefined;
  readonly state?: OrderState | undefined;
  /** Created at this time or later, and before that time. */
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  /** Only those with attention that no operator has resolved. */
  readonly needsPerson?: boolean | undefined;
}

export interface OrderListFilter extends OrderFilter {
  /** Changed at this time or later, and before that time. */
  readonly updatedAfter?: number | undefined;
  readonly updatedBefore?: number | undefined;
  /** The order behind which the page begins. */
  readonly behind?: OrderPlace | undefined;
  readonly limit: number;
}

/** Where an order stands in the list: it never moves. */
export interface OrderPlace {
  readonly createdAt: number;
  readonly order: string;
  /** In a list of every merchant. */
  readonly merchant?: string | undefined;
}

/**
 * Orders, newest first. A page may be short where few of the orders read match the filter.
 *
 * @returns `next` is the place to go on from; undefined when there are no more
 */
export async function listOrders(
  reader: Reader,
  filter: OrderListFilter,
): Promise<{ readonly orders: readonly StoredOrder[]; readonly next?: OrderPlace }> {
  const { merchant, behind, updatedAfter, updatedBefore, limit } = filter;
  const isOfAnyTime = updatedAfter === undefined && updatedBefore === undefined;
  const scanned = isOfAnyTime ? limit + 1 : MAX_SCANNED;
  const rows = await reader.all(sql`
    SELECT orders.* FROM ${matching(filter)}${behindPlace(behind, merchant)}
    ${newestFirst(merchant)} LIMIT ${scanned}`);
  const orders: StoredOrder[] = [];
  for (const [index, row] of rows.entries()) {
    const found = toOrder(row);
    const { updatedAt } = found;
    const isMeant = updatedAt >= (updatedAfter ?? 0) && updatedAt < (updatedBefore ?? Infinity);
    if (isMeant) orders.push(found);
    const isLast = index === rows.length - 1 && rows.length < scanned;
    if (!isLast && (orders.length === limit || index === scanned - 1)) {
      const { createdAt, order } = found;
      return {
        orders,
        next: { createdAt, order, ...(merchant === undefined && { merchant: found.merchant }) },
      };
    }
  }
  return { orders };
}

/** What the orders of a filter come to. */
export interface OrderTotals {
  /** How many there are in each state. */
  readonly states: Readonly<Partial<Record<OrderState, number>>>;
  /** Decimal text for each currency. */
  readonly paid: readonly {
    readonly currency: string;
    readonly amount: string;
    readonly refunded: string;
  }[];
  /** Whether there are {@link MAX_TOTALLED} or more: only the newest were counted. */
  readonly more: boolean;
}

export async function readOrderTotals(reader: Reader, filter: OrderFilter): Promise<OrderTotals> {
  const { merchant } = filter;
  const counted = sql`(
    SELECT orders.merchant, orders.order_name, orders.state FROM ${matching(filter)}
    ${newestFirst(merchant)} LIMIT ${MAX_TOTALLED}) AS counted`;
  const states = await reader.all(
    sql`SELECT state, count(*) AS orders FROM ${counted} GROUP BY state ORDER BY state`,
  );
  const paid = await reader.all(sql`
    SELECT currency, decimals, CAST(sum(amount_minor) AS TEXT) AS amount,
      CAST(sum(refunded_minor) AS TEXT) AS refunded
    FROM ${counted} CROSS JOIN checkouts AS paid
    WHERE paid.merchant = counted.merchant AND paid.order_name = counted.order_name
      AND paid.state = 'paid' GROUP BY currency, decimals ORDER BY currency`);
  const counts = states.map(({ state, orders }) => [String(state), Number(orders)] as const);
  const all = counts.reduce((sum, [, orders]) => sum + orders, 0);
  return {
    states: Object.fromEntries(counts),
    paid: paid.map((row) => {
      const toText = (minor: unknown): string =>
        formatMinor(BigInt(String(minor)), Number(row['decimals']));
      return {
        currency: String(row['currency']),
        amount: toText(row['amount']),
        refunded: toText(row['refunded']),
      };
    }),
    more: all === MAX_TOTALLED,
  };
}

/** `FROM` on; the few that need a person are found first, and their orders then. */
function matching(filter: OrderFilter): Sql {
  const { merchant, state, createdAfter, createdBefore, needsPerson } = filter;
  const flagged = sql`(
    SELECT DISTINCT merchant, order_name FROM (
      SELECT merchant, order_name FROM checkouts
      WHERE attention <> '[]' AND attention <> resolved_attention
      ORDER BY number DESC LIMIT ${MAX_FLAGGED}) AS newest) AS flagged CROSS JOIN`;
  return sql`${needsPerson ? flagged : sql``} orders
    WHERE ${needsPerson ? sql`orders.merchant = flagged.merchant AND orders.order_name = flagged.order_name` : sql`true`}
    ${merchant === undefined ? sql`` : sql`AND orders.merchant = ${merchant}`}
    ${state === undefined ? sql`` : sql`AND orders.state = ${state}`}
    ${createdAfter === undefined ? sql`` : sql`AND orders.created_at >= ${createdAfter}`}
    ${createdBefore === undefined ? sql`` : sql`AND orders.created_at < ${createdBefore}`}`;
}

function behindPlace(behind: OrderPlace | undefined, merchant: string | undefined): Sql {
  if (!behind) return sql``;
  return merchant === undefined
    ? sql` AND (orders.created_at, orders.order_name, orders.merchant)
        < (${behind.createdAt}, ${behind.order}, ${behind.merchant})`
    : sql` AND (orders.created_at, orders.order_name) < (${behind.createdAt}, ${behind.order})`;
}

function newestFirst(merchant: string | undefined): Sql {
  const order = sql`ORDER BY orders.created_at DESC, orders.order_name DESC`;
  return merchant === undefined ? sql`${order}, orders.merchant DESC` : order;
}

import type { Response } from 'express';
import {
  AppError,
  type Clock,
  type Database,
  type DataEncryption,
  findAttempts,
  findCheckoutsOfOrder,
  findOrder,
  findWebhookEndpoints,
  makeVoid,
  type Merchant,
  type MerchantSource,
  type OrderKey,
  orderKeyText,
  type ReconciliationService,
  requestPoll,
  sql,
  toCheckout,
  touchOrder,
} from '@pay-checkout/session-server/internals';
import {
  auditFile,
  type AuditFilter,
  findAudit,
  findNotes,
  recordAction,
  redeliverAndNote,
} from './audit.js';
import { readOrderList, sendOrderFile } from './order-list.js';
import type {
  AuditView,
  OrderListView,
  OrderView,
  Queue,
  QueueItem,
  QueueView,
  SearchView,
} from './page-view.js';
import { countQueues, findQueue, isInQueue, type Place } from './queues.js';
import { searchOrders } from './search.js';
import { sendFile } from './send-file.js';
import { openAttention, readTimeline, resolvedOf } from './timeline.js';

/** Items of a page of a list. */
const PAGE_ITEMS = 50;
/** Merchants that a search shows. */
const MAX_MERCHANTS = 10;

export interface PageServiceOptions {
  readonly database: Database;
  readonly encryption: DataEncryption;
  readonly merchants: MerchantSource;
  readonly reconciliation: Pick<ReconciliationService, 'wake'>;
  readonly clock: Clock;
  /** How long the steps of an order are kept. */
  readonly keepDays: number;
  /** Called when events wait to be delivered again. */
  readonly onRedelivery: () => void;
}

/** What an operator asks for, and who it is. */
export interface OperatorRequest {
  readonly actor: string;
  readonly note?: string | undefined;
}

/** A part of a list, and the place that the next part is behind. */
interface Found<T> {
  readonly items: readonly T[];
  readonly nextPlace?: Place;
}

/**
 * What the operator's page reads and does. Each action may be asked for again without harm, and is
 * noted with what it changes, in one transaction.
 */
export class PageService {
  readonly #options: PageServiceOptions;

  constructor(options: PageServiceOptions) {
    this.#options = options;
  }

  async search(text: string): Promise<SearchView> {
    const start = text.trim().toLowerCase();
    const all = start === '' ? [] : await this.#options.merchants.all();
    const merchants = all
      .filter(({ id, name }) => [id, name].some((each) => each.toLowerCase().startsWith(start)))
      .slice(0, MAX_MERCHANTS)
      .map(({ id, name }) => ({ merchant: id, name }));
    return { ...(await searchOrders(this.#options, text)), merchants };
  }

  /** Orders of all merchants; `query` is that of a request. */
  orders(query: unknown): Promise<OrderListView> {
    return readOrderList(this.#options, query);
  }

  sendOrders(query: unknown, response: Response): Promise<void> {
    return sendOrderFile(this.#options, query, response);
  }

  /** @throws {AppError} 404 `order_not_found` */
  async order(key: OrderKey): Promise<OrderView> {
    const { database, keepDays } = this.#options;
    const timeline = await readTimeline(database, key);
    if (!timeline) throw noSuchOrder();
    const { price, state } = timeline;
    const canVoid = price !== undefined && state !== 'paid' && state !== 'void';
    return { ...timeline, canVoid, keepDays };
  }

  async queue(
    queue: Queue,
    behind: Place,
    merchant?: string,
  ): Promise<Found<QueueItem> & Pick<QueueView, 'queue' | 'counts'>> {
    const { database, merchants } = this.#options;
    const all = await merchants.all();
    const merchantsOf = (tokenHash: string) =>
      findWebhookEndpoints(all, tokenHash).map(({ merchant }) => merchant.id);
    const limit = PAGE_ITEMS + 1;
    const hashes = merchant === undefined ? undefined : tokenHashesOf(all, merchant);
    const page = { behind, limit, merchant, hashes };
    const found = await findQueue(database, queue, page, merchantsOf);
    const shown = found.slice(0, PAGE_ITEMS);
    const nextPlace = found.length > PAGE_ITEMS ? shown.at(-1)?.place : undefined;
    const keysOf = ({ merchants: [ofMerchant], order }: QueueItem): OrderKey[] =>
      ofMerchant !== undefined && order !== undefined ? [{ merchant: ofMerchant, order }] : [];
    const notes = await findNotes(database, shown.flatMap(keysOf));
    const noted = (item: QueueItem): QueueItem => {
      const [note] = keysOf(item).flatMap((key) => notes.get(orderKeyText(key)) ?? []);
      return note ? { ...item, note } : item;
    };
    return {
      queue,
      counts: await countQueues(database),
      items: shown
        .filter((item) => isInQueue(item, queue))
        .map(({ place: _, ...item }) => noted(item)),
      ...(nextPlace && { nextPlace }),
    };
  }

  async audit(
    filter: AuditFilter,
    [before = Number.MAX_SAFE_INTEGER]: readonly number[],
  ): Promise<Found<AuditView>> {
    const page = { before, limit: PAGE_ITEMS + 1 };
    const found = await findAudit(this.#options.database, filter, page);
    const items = found.slice(0, PAGE_ITEMS);
    const last = items.at(-1);
    return { items, ...(last && found.length > PAGE_ITEMS && { nextPlace: [last.id] }) };
  }

  sendAudit(filter: AuditFilter, response: Response): Promise<void> {
    return sendFile(response, 'audit.csv', auditFile(this.#options.database, filter));
  }

  /** Requests a poll for an order soon, within the quota. */
  async poll(key: OrderKey, { actor, note }: OperatorRequest): Promise<void> {
    const { database, merchants, reconciliation, clock } = this.#options;
    if (!(await merchants.find(key.merchant))) {
      throw new AppError(404, 'unknown_merchant', 'No such merchant.');
    }
    await database.transaction('operator:poll', async (tx) => {
      const found = await findCheckoutsOfOrder(tx, key.merchant, key.order);
      if (found.length === 0) throw noSuchOrder();
      const now = clock.now();
      await touchOrder(tx, key);
      for (const { id } of found) {
        for (const { orderId, status } of await findAttempts(tx, id)) {
          if (status !== 'refused' && status !== 'not_sent') requestPoll(tx, orderId, { now });
        }
      }
      await recordAction(tx, { ...key, actor, action: 'poll', note }, now);
    });
    reconciliation.wake();
  }

  /** Whether there was anything to redeliver. @throws {AppError} 404 `event_not_found` */
  async redeliver(event: string, { actor, note }: OperatorRequest): Promise<boolean> {
    const { database, clock, onRedelivery } = this.#options;
    const count = await database.transaction('operator:redeliver', (tx) =>
      redeliverAndNote(tx, { ids: [event] }, { actor, note }, clock.now()),
    );
    if (count > 0) onRedelivery();
    return count > 0;
  }

  /**
   * Removes a checkout from the queues until it gets new attention. Its shop still sees its attention.
   *
   * @param seen what is resolved: nothing that was added since the person looked
   * @throws {AppError} 404 `checkout_not_found`; 409 `attention_changed`
   */
  async resolve(
    checkout: string,
    seen: readonly string[],
    { actor, note }: OperatorRequest,
  ): Promise<void> {
    const { database, clock } = this.#options;
    await database.transaction('operator:resolve', async (tx) => {
      // Locks it, so that nothing is added in the meantime.
      await tx.run(sql`UPDATE checkouts SET attention = attention WHERE id = ${checkout}`);
      const row = await tx.get(sql`SELECT * FROM checkouts WHERE id = ${checkout}`);
      if (!row) throw new AppError(404, 'checkout_not_found', 'There is no such checkout.');
      const { merchant, order, ...found } = toCheckout(row);
      const open = openAttention(found, resolvedOf(row));
      if (open.length === 0) return;
      if (JSON.stringify(open) !== JSON.stringify(seen)) {
        const text = 'There is new attention since you looked. Look again.';
        throw new AppError(409, 'attention_changed', text);
      }
      await tx.run(sql`
        UPDATE checkouts SET resolved_attention = attention WHERE id = ${checkout}`);
      const target = open.join(', ');
      const action = { merchant, order, actor, action: 'resolve', target, note } as const;
      await recordAction(tx, action, clock.now());
    });
  }

  /** Notes something about an order, for a colleague where one is named. @throws {AppError} 404 `order_not_found` */
  async note(
    key: OrderKey,
    target: string | undefined,
    { actor, note }: OperatorRequest,
  ): Promise<void> {
    const { database, clock } = this.#options;
    await database.transaction('operator:note', async (tx) => {
      if (!(await findOrder(tx, key))) throw noSuchOrder();
      await recordAction(tx, { ...key, actor, action: 'note', target, note }, clock.now());
    });
  }

  /** @throws {AppError} 404 `order_not_found`; 409 `order_already_paid`, `order_lookup_in_use` */
  async makeVoid(key: OrderKey, { actor, note }: OperatorRequest): Promise<void> {
    const { database, clock } = this.#options;
    await database.transaction('operator:void', async (tx) => {
      const stored = await findOrder(tx, key);
      if (!stored) throw noSuchOrder();
      if (stored.isVoid) return;
      if (!stored.put) {
        const text = 'The shop is asked for this order: it has to say that it is void.';
        throw new AppError(409, 'order_lookup_in_use', text);
      }
      const now = clock.now();
      await makeVoid(tx, key, now);
      await recordAction(tx, { ...key, actor, action: 'void', note }, now);
    });
  }
}

/** Of the endpoints of a merchant, as they are stored. */
function tokenHashesOf(all: readonly Merchant[], id: string): readonly string[] {
  const merchant = all.find((one) => one.id === id);
  return (merchant?.webhookEndpoints ?? []).map(({ tokenHash }) =>
    Buffer.from(tokenHash.replace(/^sha256:/, ''), 'hex').toString('base64url'),
  );
}

function noSuchOrder(): AppError {
  return new AppError(404, 'order_not_found', 'There is no such order.');
}

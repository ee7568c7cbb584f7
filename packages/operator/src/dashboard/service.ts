import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'express';
import {
  AppError,
  ConfigError,
  DEFAULT_LINK_SECONDS,
  findOrder,
  Limit,
  makePayLink,
  type Merchant,
  type DashboardParts,
  openPersonalPart,
  type SecretKind,
  sql,
} from '@pay-checkout/session-server/internals';
import { recordAction, redeliverAndNote } from '../audit.js';
import { findOrdersByKey, readOrderList, sendOrderFile, toRow } from '../order-list.js';
import type { OrderListView, PageOf } from '../page-view.js';
import type { PageSession } from '../page-session.js';
import { searchOrders } from '../search.js';
import { readTimeline } from '../timeline.js';
import { type EventPlace, findEvents, findEventsOf, findUntaken } from './events.js';
import { makeSecret, readSecrets } from './secrets.js';
import { describeStory } from './story.js';
import type {
  CheckView,
  EventListView,
  MerchantEventView,
  MerchantOrderView,
  NewSecretView,
  PayLinkView,
  SetupView,
} from './view.js';

/** Items of a page of a list. */
const PAGE_ITEMS = 50;
/** Requests to the shop, and new secrets, that a merchant may cause in a minute. */
const ACTIONS_PER_MINUTE = 20;
const CHECK_SECONDS = 15;
/** How long a change waits for the server to read its file, which it does once a second. */
const READ_WAITS = 15;
const READ_WAIT_MS = 200;

/** A part of a list, and the place that the next part is behind. */
interface Found<T, Place> extends Omit<PageOf<T>, 'next'> {
  readonly nextPlace?: Place | undefined;
}

/** A person of a merchant who signed in with a key of that merchant. */
export interface DashboardSession extends PageSession {
  readonly merchant: string;
  readonly name: string;
}

/** Who asks, by the key that they signed in with. */
export interface MerchantRequest {
  readonly merchant: Merchant;
  readonly actor: string;
}

/** What one merchant reads and does at its page: each method asks for what is this merchant's. */
export class DashboardService {
  readonly #parts: DashboardParts;
  readonly #actions = new Limit('merchant', ACTIONS_PER_MINUTE);

  constructor(parts: DashboardParts) {
    this.#parts = parts;
  }

  /** `query` is that of a request. */
  orders({ id }: Merchant, query: unknown): Promise<OrderListView> {
    return readOrderList(this.#parts, query, id);
  }

  sendOrders({ id }: Merchant, query: unknown, response: Response): Promise<void> {
    return sendOrderFile(this.#parts, query, response, id);
  }

  /** As {@link searchOrders} does. */
  async search({ id }: Merchant, text: string): Promise<OrderListView> {
    const { orders, more } = await searchOrders(this.#parts, text, id);
    return { items: (await findOrdersByKey(this.#parts, orders)).map(toRow), more };
  }

  /** @throws {AppError} 404 `order_not_found` */
  async order({ id: merchant }: Merchant, order: string): Promise<MerchantOrderView> {
    const { database, config } = this.#parts;
    const timeline = await readTimeline(database, { merchant, order });
    const [view] = await findOrdersByKey(this.#parts, [{ merchant, order }]);
    if (!timeline || !view) throw noSuchOrder();
    return {
      order: view,
      story: describeStory(timeline.entries),
      events: await findEventsOf(database, merchant, order),
      keepDays: config.webhooks.keepDays,
      canLink: view.state !== 'paid' && view.state !== 'void',
    };
  }

  /** @throws {AppError} 404 `order_not_found`; 409 `order_not_payable` */
  async payLink(merchant: Merchant, order: string): Promise<PayLinkView> {
    const { database, encryption, config, clock } = this.#parts;
    const stored = await findOrder(database, { merchant: merchant.id, order });
    if (!stored) throw noSuchOrder();
    if (stored.isVoid || stored.state === 'paid') {
      throw new AppError(409, 'order_not_payable', 'This order is paid or void.');
    }
    const { locale } = (stored.put && openPersonalPart(stored.put, stored, encryption)) ?? {};
    const expiresAt = Math.floor(clock.now() / 1000) + DEFAULT_LINK_SECONDS;
    const { publicUrl } = config;
    const { payUrl } = makePayLink({ publicUrl, merchant, order, expiresAt, locale });
    return { payUrl, expiresAt: expiresAt * 1000 };
  }

  async events(
    { id, events }: Merchant,
    behind: EventPlace | undefined,
  ): Promise<Found<MerchantEventView, EventPlace> & Pick<EventListView, 'receiver'>> {
    const found = await findEvents(this.#parts.database, id, { behind, limit: PAGE_ITEMS });
    return { items: found.events, nextPlace: found.nextPlace, receiver: events?.url };
  }

  /** Those that the shop has not taken. */
  async untakenEvents({
    id,
    events,
  }: Merchant): Promise<Found<MerchantEventView, EventPlace> & Pick<EventListView, 'receiver'>> {
    const items = await findUntaken(this.#parts.database, id, PAGE_ITEMS);
    return { items, receiver: events?.url };
  }

  /** Sends an event again. @throws {AppError} 404 `event_not_found` */
  async redeliver(event: string, { merchant, actor }: MerchantRequest): Promise<void> {
    const { database, clock, onRedelivery } = this.#parts;
    await database.transaction('page:redeliver', async (tx) => {
      const own = sql`SELECT 1 FROM outbox_events WHERE id = ${event} AND merchant = ${merchant.id}`;
      if (!(await tx.get(own))) {
        throw new AppError(404, 'event_not_found', `There is no event "${event}".`);
      }
      await redeliverAndNote(tx, { ids: [event] }, { actor }, clock.now());
    });
    onRedelivery();
  }

  async setup(merchant: Merchant): Promise<SetupView> {
    const { database, config } = this.#parts;
    const { id, name, disabled, currency, origins, returnUrl, events, orderLookup, sdk } = merchant;
    return {
      merchant: id,
      name,
      isDisabled: disabled,
      server: config.publicUrl,
      ...{ currency, origins, returnUrl },
      receiver: events?.url,
      orderLookup: orderLookup?.url,
      sdk: sdk.navigates === true ? undefined : { url: sdk.url, integrity: sdk.integrity },
      secrets: await readSecrets(database, merchant, this.#parts),
    };
  }

  /** Adds a value beside those that are valid, or makes one for the platform to add. */
  async rotate(kind: SecretKind, by: MerchantRequest): Promise<NewSecretView> {
    await this.#actions.count(by.merchant.id);
    const made = await this.#changing(() => makeSecret(by.merchant, kind, this.#parts.entries));
    if (made.line === undefined) await this.#finish('rotate', kind, by);
    return made;
  }

  /** Removes all values but the newest. @throws {AppError} 409 `entry_not_changed` */
  async retire(kind: SecretKind, by: MerchantRequest): Promise<void> {
    const { entries } = this.#parts;
    await this.#changing(() => {
      if (!entries) throw new ConfigError('merchants', ['the platform keeps them elsewhere']);
      entries.retire(by.merchant.id, kind);
    });
    await this.#finish('retire', kind, by);
  }

  /** Sends a signed event of the type `test` to the receiver. @throws {AppError} 409 `no_receiver` */
  async testEvent({ id, events, signingSecret }: Merchant): Promise<CheckView> {
    if (!events) {
      throw new AppError(409, 'no_receiver', 'The entry has no receiver: read the feed instead.');
    }
    const timestamp = new Date(this.#parts.clock.now()).toISOString();
    const body = JSON.stringify({ type: 'test', timestamp, data: { merchant: id } });
    const message = { id: `msg_${randomUUID()}`, body };
    return this.#check('receiver', id, events.url, () =>
      this.#parts.shop.deliver({ signingSecret }, events, message, CHECK_SECONDS),
    );
  }

  /** Asks for the return page, as a shopper's browser would for an order that does not exist. */
  checkReturnPage({ id, returnUrl, events }: Merchant): Promise<CheckView> {
    const { shop, config } = this.#parts;
    const url = returnUrl
      .replaceAll('{order}', 'test')
      .replaceAll('{checkout}', 'test')
      .replaceAll('{kind}', 'return');
    const allowPrivateAddress =
      config.environment === 'sandbox' || events?.allowPrivateAddress === true;
    return this.#check('return-page', id, url, () =>
      shop.visit({ url, allowPrivateAddress }, CHECK_SECONDS),
    );
  }

  async #check(
    what: CheckView['what'],
    merchant: string,
    url: string,
    ask: () => Promise<number>,
  ): Promise<CheckView> {
    await this.#actions.count(merchant);
    try {
      const status = await ask();
      // A page may well have nothing to say of an order that does not exist.
      const isPage = what === 'return-page' && (status < 400 || status === 404);
      const text = `It answered ${String(status)}.`;
      return { what, url, isGood: status < 300 || isPage, text };
    } catch (error) {
      return { what, url, isGood: false, text: describeFailure(error) };
    }
  }

  /** @throws {AppError} 409 `entry_not_changed` when the file cannot be changed as it is now */
  async #changing<T>(change: () => T): Promise<T> {
    try {
      return await Promise.resolve(change());
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const text = 'The entry could not be changed. Try again, or ask your platform.';
      throw new AppError(409, 'entry_not_changed', text, { cause: error });
    }
  }

  /** Records what was done, and waits until this server has read the file: what it answers next is true. */
  async #finish(
    action: 'rotate' | 'retire',
    target: SecretKind,
    { merchant, actor }: MerchantRequest,
  ): Promise<void> {
    const { database, merchants, clock } = this.#parts;
    await database.transaction('page:note', (tx) =>
      recordAction(tx, { merchant: merchant.id, actor, action, target }, clock.now()),
    );
    for (let waits = 0; waits < READ_WAITS; waits += 1) {
      // A file that was read again has other entries.
      if ((await merchants.find(merchant.id)) !== merchant) return;
      await sleep(READ_WAIT_MS);
    }
  }
}

/** Why there was no answer, without the address: the page shows that. */
function describeFailure(error: unknown): string {
  const { name, code = '' } = error as NodeJS.ErrnoException;
  if (name === 'PrivateAddressError') return 'Its name leads into a private network.';
  if (name === 'TimeoutError') return `It did not answer within ${String(CHECK_SECONDS)} seconds.`;
  return code === '' ? 'It did not answer.' : `It cannot be reached (${code}).`;
}

function noSuchOrder(): AppError {
  return new AppError(404, 'order_not_found', 'There is no such order.');
}

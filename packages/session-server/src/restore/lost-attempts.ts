import { findAttemptsByReference } from '../checkouts/attempt-repository.js';
import { attemptRequest, priceOf } from '../checkouts/attempt-request.js';
import type { Clock } from '../clock.js';
import { AppError } from '../errors.js';
import { describeError, type Logger } from '../logger.js';
import type { Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import type { OrderLookup, ShopOrder } from '../orders/order-lookup.js';
import {
  keyOf,
  type ProviderMerchant,
  type TransactionList,
  type TransactionRow,
} from '../provider/gateway.js';
import { referencesOf } from '../reconciliation/matching.js';
import type { Database } from '../store/database.js';
import type { StepContext } from '../checkouts/checkout-transactions.js';
import type { HashReference } from '../webhooks/webhook-transactions.js';
import { adoptAttempt, type Loss, type OrderIdRange } from './repository.js';

export interface LostAttemptsOptions {
  /** What the store has lost; undefined when no backup was restored. */
  readonly loss: Loss | undefined;
  readonly database: Database;
  readonly context: StepContext;
  readonly merchants: MerchantSource;
  readonly lookUpOrder: OrderLookup;
  readonly hashReference: HashReference;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * How long an order that was not found is not asked for again, and no shop of a provider merchant
   * after one of them gave no answer. Polls come by the second, and payments wait for them.
   */
  readonly pauseMs: number;
}

/** A payment of a lost attempt whose order was not found. */
export interface LostPayment extends ProviderMerchant {
  readonly transaction: string;
  /** What the transaction calls the attempt. */
  readonly reference: string;
  /** The shop gave no answer, or may put the order again: trying again may find it. */
  readonly isTemporary: boolean;
}

/** What a transaction calls an attempt that may be lost. */
export interface LostName {
  readonly orderId: number;
  /** The value that names it. */
  readonly reference: string;
  /** Undefined when only the `order_id` is named, which says nothing about the order. */
  readonly order: string | undefined;
}

/** `MerchantReference` as we make it: the order, a dot, the `order_id`; or the `order_id` alone. */
const NAME = /^(?:([A-Za-z0-9][A-Za-z0-9._-]{0,63})\.)?([1-9]\d{0,14})$/;

/** Which lost attempt the values of a row name, preferring one with an order; undefined when none. */
export function parseLostName(
  references: readonly string[],
  { afterOrderId, toOrderId }: OrderIdRange,
): LostName | undefined {
  const names = references.flatMap((reference): LostName[] => {
    const [, order, digits] = NAME.exec(reference) ?? [];
    const orderId = Number(digits);
    return orderId > afterOrderId && orderId <= toOrderId ? [{ orderId, reference, order }] : [];
  });
  return names.find(({ order }) => order !== undefined) ?? names[0];
}

/**
 * Finds attempts that a backup has lost by the transactions that paid them: the transaction names
 * order and attempt, the shop its price. Once adopted, they are attempts like any other, and the usual
 * rules decide whether the transaction pays the order, once or twice.
 */
export class LostAttempts {
  readonly #options: LostAttemptsOptions;
  readonly #notFound = new Map<string, LostPayment>();
  /** Until when a reference or a provider merchant is not asked about again. */
  readonly #pausedUntil = new Map<string, number>();
  #adopted = 0;

  constructor(options: LostAttemptsOptions) {
    this.#options = options;
  }

  get adopted(): number {
    return this.#adopted;
  }

  /** Payments whose order was not found so far: a person must check them. */
  get notFound(): LostPayment[] {
    return [...this.#notFound.values()];
  }

  /** Whether trying again may find the order of a payment. */
  isRetrying(): boolean {
    return this.notFound.some(({ isTemporary }) => isTemporary);
  }

  /** Whether an attempt with this `order_id` may be among those that were lost. */
  mayHaveLost(orderId: number): boolean {
    const { loss } = this.#options;
    return loss !== undefined && orderId > loss.afterOrderId && orderId <= loss.toOrderId;
  }

  /** Stores each attempt that a row pays and only the provider knows. */
  async adopt(list: TransactionList, rows: readonly TransactionRow[]): Promise<void> {
    const { loss } = this.#options;
    if (!loss) return;
    const merchants = Map.groupBy(await this.#options.merchants.all(), keyOf);
    for (const row of rows) {
      const { account, providerMerchantId = row.merchantId } = list;
      if (providerMerchantId === undefined) continue;
      const at = { account, providerMerchantId };
      await this.#adoptRow(row, at, merchants.get(keyOf(at)) ?? [], loss);
    }
  }

  async #adoptRow(
    row: TransactionRow,
    at: ProviderMerchant,
    merchants: readonly Merchant[],
    loss: Loss,
  ): Promise<void> {
    const status = row.status ?? '';
    const paid = merchants.filter(({ evidence }) =>
      [...evidence.paidStatuses, ...evidence.refundedStatuses].includes(status),
    );
    const references = [...new Set(paid.flatMap(({ evidence }) => referencesOf(row, evidence)))];
    const name = parseLostName(references, loss);
    if (!name || (await this.#isKnown(at, references))) return;
    const { orderId, reference } = name;
    const { account, providerMerchantId } = at;
    const payment = { account, providerMerchantId, transaction: row.id ?? '', reference };
    if (this.#isPaused(reference)) return;
    if (this.#isPaused(keyOf(at))) {
      this.#noteNotFound({ ...payment, isTemporary: true });
      return;
    }
    try {
      const owner = name.order === undefined ? undefined : await this.#findOwner(paid, name.order);
      if (!owner) {
        this.#pause(reference);
        // A shop that puts its orders may put again what was lost.
        const isTemporary = name.order !== undefined && paid.some((one) => !one.orderLookup);
        this.#noteNotFound({ ...payment, isTemporary });
        return;
      }
      const { merchant, order } = owner;
      const request = attemptRequest(merchant, order, priceOf(order, merchant), {});
      const { database, context, hashReference } = this.#options;
      const found = { orderId, merchantReference: reference, createdAt: loss.since, request };
      await database.transaction('restore:adopt', (tx) =>
        adoptAttempt(tx, found, context, hashReference),
      );
      this.#adopted += 1;
      this.#notFound.delete(idOf(payment));
      this.#options.logger.info({ merchant: merchant.id, orderId }, 'a lost attempt was adopted');
    } catch (error) {
      const isTemporary = !(error instanceof AppError) || error.code === 'order_lookup_failed';
      this.#pause(isTemporary ? keyOf(at) : reference);
      this.#noteNotFound({ ...payment, isTemporary }, error);
    }
  }

  async #isKnown(at: ProviderMerchant, references: readonly string[]): Promise<boolean> {
    const { database } = this.#options;
    const known = await findAttemptsByReference(database, at, references);
    return known.length > 0;
  }

  /** The only merchant whose shop knows the order; several may share an id at the provider. */
  async #findOwner(
    merchants: readonly Merchant[],
    name: string,
  ): Promise<{ readonly merchant: Merchant; readonly order: ShopOrder } | undefined> {
    const owners = [];
    for (const merchant of merchants) {
      const order = await this.#options.lookUpOrder(merchant, name);
      if (order) owners.push({ merchant, order });
    }
    return owners.length === 1 ? owners[0] : undefined;
  }

  #pause(key: string): void {
    this.#pausedUntil.set(key, this.#options.clock.now() + this.#options.pauseMs);
  }

  #isPaused(key: string): boolean {
    return this.#options.clock.now() < (this.#pausedUntil.get(key) ?? 0);
  }

  #noteNotFound(payment: LostPayment, error?: unknown): void {
    const { isTemporary: _, ...fields } = payment;
    const isNew = !this.#notFound.has(idOf(payment));
    this.#notFound.set(idOf(payment), payment);
    if (!isNew) return;
    this.#options.logger.error(
      { ...fields, ...(error !== undefined && describeError(error)) },
      'a payment was made in the time that a backup has lost, and its order was not found',
    );
  }
}

/** Ids of transactions are unique at one account. */
function idOf({ account, transaction }: Pick<LostPayment, 'account' | 'transaction'>): string {
  return `${account} ${transaction}`;
}

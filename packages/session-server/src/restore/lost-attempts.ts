import type { CheckoutStore } from '../checkouts/repository.js';
import { attemptRequest, priceOf } from '../checkouts/service.js';
import type { Clock } from '../clock.js';
import { crashPoint } from '../crash-points.js';
import { AppError } from '../errors.js';
import { referencesOf, type TransactionRow } from '../reconciliation/matching.js';
import { describeError, type Logger } from '../logger.js';
import type { Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import type { OrderLookup, ShopOrder } from '../orders/order-lookup.js';
import { readLostName } from './lost-name.js';
import type { Loss, OrderIdRange } from './restore-store.js';

export interface LostAttemptsOptions {
  /** What the store has lost; undefined when it never was put back. */
  readonly loss: Loss | undefined;
  /** Ids that no attempt of the store has: one of them at the provider means that it lost some. */
  readonly unused?: OrderIdRange;
  readonly store: Pick<CheckoutStore, 'findAttemptsByReference' | 'adoptAttempt'>;
  readonly merchants: MerchantSource;
  readonly lookUpOrder: OrderLookup;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * For how long nobody is asked again for an order that was not found, nor any shop of a provider's
   * merchant after one of them gave no answer. Looks come by the second, and evidence waits for them.
   */
  readonly restMs: number;
}

/** A payment that names a lost attempt, of an order that could not be found. */
export interface LostPayment {
  readonly providerMerchantId: number;
  readonly transaction: string;
  /** What the transaction calls the attempt. */
  readonly reference: string;
  /** The shop could not be asked: trying again may find it. */
  readonly isTemporary: boolean;
}

/** Who an order belongs to, and what it costs. */
interface Owner {
  readonly merchant: Merchant;
  readonly order: ShopOrder;
}

/**
 * Finds attempts again that a backup has lost, by the transactions that paid them: the transaction
 * names order and attempt, the shop its price. From then on they are attempts like any other, and
 * the usual rules say whether the transaction pays the order, once or twice.
 */
export class LostAttempts {
  readonly #options: LostAttemptsOptions;
  readonly #notFound = new Map<string, LostPayment>();
  /** By what nobody is asked about before that time. */
  readonly #restsUntil = new Map<string, number>();
  #adopted = 0;
  #isSuspicious = false;

  constructor(options: LostAttemptsOptions) {
    this.#options = options;
  }

  /** How many attempts were found again. */
  get adopted(): number {
    return this.#adopted;
  }

  /** Payments whose order has not been found so far: a person must look at them. */
  get notFound(): LostPayment[] {
    return [...this.#notFound.values()];
  }

  /** Whether some shop could not be asked for its order. */
  isAsking(): boolean {
    return this.notFound.some(({ isTemporary }) => isTemporary);
  }

  /** Stores each attempt that a row of the list says was paid, and that only the provider knows. */
  async adopt(providerMerchantId: number, rows: readonly TransactionRow[]): Promise<void> {
    const { loss, unused } = this.#options;
    if (!loss && (!unused || this.#isSuspicious)) return;
    const merchants = (await this.#options.merchants.all()).filter(
      (merchant) => merchant.providerMerchantId === providerMerchantId,
    );
    for (const row of rows) {
      if (loss) await this.#adoptRow(row, providerMerchantId, merchants, loss);
      else if (unused) await this.#suspect(row, providerMerchantId, merchants, unused);
    }
  }

  /** A backup that somebody put back without a word is told of, once. */
  async #suspect(
    row: TransactionRow,
    providerMerchantId: number,
    merchants: readonly Merchant[],
    unused: OrderIdRange,
  ): Promise<void> {
    const { store, logger } = this.#options;
    const references = merchants.flatMap(({ evidence }) => referencesOf(row, evidence));
    const name = readLostName(references, unused);
    if (this.#isSuspicious || name?.order === undefined) return;
    const known = await store.findAttemptsByReference(providerMerchantId, references);
    if (known.length > 0) return;
    this.#isSuspicious = true;
    logger.error(
      { providerMerchantId, transaction: row.id, reference: name.reference },
      'the provider knows an attempt that this data file does not',
    );
  }

  async #adoptRow(
    row: TransactionRow,
    providerMerchantId: number,
    merchants: readonly Merchant[],
    loss: Loss,
  ): Promise<void> {
    const { store, logger } = this.#options;
    const status = row.status ?? '';
    const paid = merchants.filter(({ evidence }) =>
      [...evidence.paidStatuses, ...evidence.refundedStatuses].includes(status),
    );
    const references = [...new Set(paid.flatMap(({ evidence }) => referencesOf(row, evidence)))];
    const name = readLostName(references, loss);
    if (!name) return;
    const known = await store.findAttemptsByReference(providerMerchantId, references);
    if (known.length > 0) return;
    const { orderId, reference } = name;
    const transaction = row.id ?? '';
    const payment = { providerMerchantId, transaction, reference };
    if (this.#isResting(reference)) return;
    if (this.#isResting(String(providerMerchantId))) {
      this.#tell({ ...payment, isTemporary: true });
      return;
    }
    try {
      const owner = name.order === undefined ? undefined : await this.#findOwner(paid, name.order);
      if (owner) {
        const { merchant, order } = owner;
        const request = attemptRequest(merchant, order, priceOf(order, merchant), {});
        const createdAt = loss.since;
        await store.adoptAttempt({ orderId, merchantReference: reference, createdAt, request });
        crashPoint('restore:adopted');
        this.#adopted += 1;
        this.#notFound.delete(transaction);
        logger.info({ merchant: merchant.id, orderId }, 'a lost attempt was found again');
        return;
      }
      this.#rest(reference);
      this.#tell({ ...payment, isTemporary: false });
    } catch (error) {
      const isTemporary = !(error instanceof AppError) || error.code === 'order_lookup_failed';
      this.#rest(isTemporary ? String(providerMerchantId) : reference);
      this.#tell({ ...payment, isTemporary }, error);
    }
  }

  #rest(what: string): void {
    this.#restsUntil.set(what, this.#options.clock.now() + this.#options.restMs);
  }

  #isResting(what: string): boolean {
    return this.#options.clock.now() < (this.#restsUntil.get(what) ?? 0);
  }

  /** The one merchant whose shop knows the order: several may share an id at the provider. */
  async #findOwner(merchants: readonly Merchant[], name: string): Promise<Owner | undefined> {
    const found: Owner[] = [];
    for (const merchant of merchants) {
      const order = await this.#options.lookUpOrder(merchant, name);
      if (order) found.push({ merchant, order });
    }
    return found.length === 1 ? found[0] : undefined;
  }

  #tell(payment: LostPayment, error?: unknown): void {
    const isNew = !this.#notFound.has(payment.transaction);
    this.#notFound.set(payment.transaction, payment);
    if (!isNew) return;
    const { isTemporary: _again, ...fields } = payment;
    this.#options.logger.error(
      { ...fields, ...(error !== undefined && describeError(error)) },
      'a payment of the time that a backup has lost, of an order that was not found',
    );
  }
}

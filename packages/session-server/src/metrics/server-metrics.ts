import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type PrometheusContentType,
  Registry,
} from '@prometheus-io/client';
import { type AttentionCode, attentionAdded, type Checkout } from '../checkouts/state-machine.js';
import type {
  AnsweredRequest,
  IgnoredRows,
  Observer,
  ProviderCall,
  TransactionPoll,
  WebhookFlag,
} from '../observer.js';
import { VERSION } from '../version.js';

const REQUEST_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
const STORE_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 15];
const PROVIDER_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const ATTENTION_CODES: Readonly<Record<AttentionCode, true>> = {
  amount_mismatch: true,
  currency_mismatch: true,
  currency_missing: true,
  time_mismatch: true,
  paid_twice: true,
  price_changed: true,
  late_payment: true,
  paid_after_void: true,
  unconfirmed: true,
  price_changed_after_paid: true,
  status_changed: true,
};

/** One number of a histogram. */
interface Sample {
  readonly metricName?: string | undefined;
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly value: number;
}

let ofProcess: Registry | undefined;

/** What Node says of the process: measured once, by timers that never end, however many servers it starts. */
function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/**
 * Counts what the server does, for Prometheus. Labels are names of kinds from closed lists and of
 * provider accounts: no order, checkout, token, address or merchant is ever one.
 * `docs/observability.md` lists them all.
 */
export class ServerMetrics implements Observer {
  readonly registry = new Registry<PrometheusContentType>();
  readonly #registers = [this.registry];
  readonly #ofProcess = processMetrics();
  readonly #requests = new Histogram({
    name: 'pay_http_request_duration_seconds',
    help: 'Time to answer requests, by template of the route; long polls have a route of their own',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_BUCKETS,
    registers: this.#registers,
  });
  readonly #requested = this.#counter(
    'pay_checkouts_requested_total',
    'Requests for a checkout, by result or error code',
    'result',
  );
  readonly #transitions = this.#counter(
    'pay_checkout_transitions_total',
    'Checkouts that went from one state to another; a new one comes from "new"',
    'from',
    'to',
  );
  readonly #attention = this.#counter(
    'pay_attention_total',
    'Reasons raised for a person to check an order before shipping',
    'code',
  );
  readonly #refunds = this.#counter(
    'pay_refunds_total',
    'Paid checkouts of which money was given back, by how much of it',
    'refund',
  );
  readonly #provider = new Histogram({
    name: 'pay_provider_call_duration_seconds',
    help: 'Time of calls to the provider, by account and how they ended',
    labelNames: ['operation', 'account', 'outcome'],
    buckets: PROVIDER_BUCKETS,
    registers: this.#registers,
  });
  readonly #polls = new Histogram({
    name: 'pay_transaction_poll_duration_seconds',
    help: 'Time of polls of a list of transactions',
    labelNames: ['result'],
    buckets: PROVIDER_BUCKETS,
    registers: this.#registers,
  });
  readonly #completeReads = new Gauge({
    name: 'pay_transaction_list_last_complete_read_timestamp_seconds',
    help: 'When the last complete read of recent rows of an account’s list began, Unix time; 0 before the first',
    labelNames: ['account'],
    registers: this.#registers,
  });
  readonly #pages = this.#counter('pay_transaction_pages_total', 'Pages of transactions requested');
  readonly #incomplete = this.#counter(
    'pay_transaction_incomplete_pages_total',
    'Pages of transactions that did not say how to request the rest, counted each time',
  );
  readonly #unreadable = this.#counter(
    'pay_transaction_unreadable_rows_total',
    'Rows of transactions that could not be read, counted each time',
  );
  readonly #ignored = this.#counter(
    'pay_transaction_ignored_rows_total',
    'Rows of the list without a merchant that is known here, or not stored, by why, counted each time',
    'reason',
  );
  readonly #unknownOrderIds = this.#counter(
    'pay_unknown_order_ids_total',
    'Values of order_id in our range that a transaction names and no attempt has, counted each time',
  );
  readonly #received = this.#counter(
    'pay_webhooks_received_total',
    'Webhooks of the provider that were answered, by what they were',
    'result',
  );
  readonly #processed = this.#counter(
    'pay_webhooks_processed_total',
    'Webhooks of the provider that were processed',
    'result',
  );
  readonly #flags = this.#counter(
    'pay_webhook_flags_total',
    'What was found out about webhooks of the provider',
    'flag',
  );
  readonly #events = this.#counter(
    'pay_outbox_events_total',
    'Events stored for delivery to shops',
  );
  readonly #deliveries = this.#counter(
    'pay_outbox_deliveries_total',
    'Tries to deliver an event to its shop, by how they ended',
    'result',
  );
  readonly #store = new Histogram({
    name: 'pay_store_operation_duration_seconds',
    help: 'Time of reads outside a transaction, and of transactions with all of their runs',
    labelNames: ['operation'],
    buckets: STORE_BUCKETS,
    registers: this.#registers,
  });
  readonly #retries = this.#counter(
    'pay_store_transaction_retries_total',
    'Transactions that ran again, for a collision with another one or a lost connection',
    'reason',
  );

  constructor() {
    new Gauge({
      name: 'pay_build_info',
      help: 'Version of the session server; always 1',
      labelNames: ['version'],
      registers: this.#registers,
    }).set({ version: VERSION }, 1);
    // What is alerted on starts at 0: Prometheus sees no increase in a counter that appears at 1.
    for (const code of Object.keys(ATTENTION_CODES)) this.#attention.inc({ code }, 0);
    this.#transitions.inc({ from: 'returned', to: 'unconfirmed' }, 0);
    this.#received.inc({ result: 'refused' }, 0);
    this.#flags.inc({ flag: 'signature_refused' }, 0);
  }

  /** All that is counted, and the figures of the process, in the text format of Prometheus. */
  write(): Promise<string> {
    return Registry.merge([this.registry, this.#ofProcess]).metrics();
  }

  requestAnswered({ method, route, status, seconds }: AnsweredRequest): void {
    this.#requests.observe({ method, route, status }, seconds);
  }

  checkoutRequested(result: string): void {
    this.#requested.inc({ result });
  }

  checkoutChanged(before: Checkout | undefined, after: Checkout): void {
    if (before?.state !== after.state) {
      this.#transitions.inc({ from: before?.state ?? 'new', to: after.state });
    }
    if (!before) return;
    for (const code of attentionAdded(before, after)) this.#attention.inc({ code });
    if (before.refund !== after.refund && after.refund !== 'none')
      this.#refunds.inc({ refund: after.refund });
    this.#events.inc({}, after.sequence - before.sequence);
  }

  providerCalled({ operation, account, outcome, seconds }: ProviderCall): void {
    this.#provider.observe({ operation, account, outcome }, seconds);
  }

  /** The calls to the provider by operation; a quantile is the upper bound of its bucket, in seconds. */
  async providerCalls() {
    const values: readonly Sample[] = (await this.#provider.get()).values;
    const operations = new Set(values.map(({ labels }) => String(labels['operation'])));
    return [...operations].sort().map((operation) => {
      const own = values.filter(({ labels }) => labels['operation'] === operation);
      const sum = (of: typeof own) => of.reduce((total, { value }) => total + value, 0);
      const counts = own.filter(({ metricName }) => metricName?.endsWith('_count'));
      const calls = sum(counts);
      const quantile = (share: number) =>
        PROVIDER_BUCKETS.find(
          (bound) => sum(own.filter(({ labels }) => labels['le'] === bound)) >= calls * share,
        );
      const failed = sum(
        counts.filter(({ labels }) => !/^(ok|created)$/.test(String(labels['outcome']))),
      );
      return { operation, calls, failed, p50: quantile(0.5), p95: quantile(0.95) };
    });
  }

  polled(poll: TransactionPoll): void {
    const { account, completeAt, pages, incompletePages, unreadableRows, seconds, isOk } = poll;
    if (completeAt === undefined) this.#completeReads.inc({ account }, 0);
    else this.#completeReads.set({ account }, completeAt / 1000);
    this.#polls.observe({ result: isOk ? 'ok' : 'failed' }, seconds);
    this.#pages.inc({}, pages);
    this.#incomplete.inc({}, incompletePages);
    this.#unreadable.inc({}, unreadableRows);
  }

  rowsIgnored({ unknownMerchant = 0, noMerchant = 0, notStored = 0 }: Partial<IgnoredRows>): void {
    this.#ignored.inc({ reason: 'unknown_merchant' }, unknownMerchant);
    this.#ignored.inc({ reason: 'no_merchant' }, noMerchant);
    this.#ignored.inc({ reason: 'not_stored' }, notStored);
  }

  unknownOrderIdsSeen(count: number): void {
    this.#unknownOrderIds.inc({}, count);
  }

  webhookReceived(result: 'stored' | 'test' | 'refused'): void {
    this.#received.inc({ result });
  }

  webhookProcessed(
    result: 'processed' | 'unmatched' | 'repeated',
    flags: readonly WebhookFlag[],
  ): void {
    this.#processed.inc({ result });
    for (const flag of flags) this.#flags.inc({ flag });
  }

  deliveryAttempted(result: 'acknowledged' | 'refused' | 'silent'): void {
    this.#deliveries.inc({ result });
  }

  storeUsed(operation: 'read' | 'transaction', seconds: number): void {
    this.#store.observe({ operation }, seconds);
  }

  transactionRetried(reason: 'collision' | 'connection'): void {
    this.#retries.inc({ reason });
  }

  #counter<T extends string>(name: string, help: string, ...labelNames: T[]): Counter<T> {
    return new Counter({ name, help, labelNames, registers: this.#registers });
  }
}

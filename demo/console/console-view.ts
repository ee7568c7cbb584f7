/** What the partner console's back end answers to its pages. Money and numbers come as exact text. */

/** The fields of an object of the provider, in its order, each as text; nothing is dropped. */
export type ProviderFields = Readonly<Record<string, string>>;

/** What the team works with; suggestions for the forms. */
export interface KnownThings {
  readonly partners: readonly string[];
  readonly merchants: readonly { readonly id: number; readonly name: string }[];
  readonly reportSchedules: readonly string[];
  /** Where a checkout session can be paid, with `{session}` for its id. */
  readonly payPageUrl?: string;
}

/** Answer of `GET /api/transactions`. */
export interface TransactionsView {
  readonly rows: readonly ProviderFields[];
  /** How many rows a search has read; only of a search. */
  readonly searched?: number;
  /** How many rows came that are no objects, and are not among these. */
  readonly unreadable: number;
  /** The zone that days are counted in, as the provider says it. */
  readonly timezone?: string;
  /** More rows follow, or may follow; without `nextCursor` it is not known how to request them. */
  readonly hasMore: boolean;
  readonly nextCursor?: string;
  /** What else stood around the rows. */
  readonly others: ProviderFields;
}

/** Answer of `GET /api/transaction`. */
export interface TransactionView {
  readonly transaction: ProviderFields;
  /** Others of the same order among those that were searched, newest first. */
  readonly related: readonly ProviderFields[];
  /** The order in the operator's page of the session server. */
  readonly orderUrl?: string;
}

/** A number as a picture needs it, and exactly. */
export interface MetricBar {
  readonly label: string;
  /** For the length of the bar only. */
  readonly value: number;
  readonly text: string;
}

/** Several numbers that belong together. */
export interface MetricGroup {
  readonly name: string;
  /** A list of records, such as days, in the provider's order. */
  readonly isSeries: boolean;
  readonly bars: readonly MetricBar[];
}

/** Answer of `/api/operations/…`: its names are the provider's own. */
export interface AnswerView {
  /** Of `data`, where that is what was asked for. */
  readonly fields: ProviderFields;
  readonly groups: readonly MetricGroup[];
  /** The other fields next to `data`. */
  readonly others: ProviderFields;
  /** What was sent, as JSON. */
  readonly request: string;
}

/** Answer of `GET /api/avs`: what the address lines say, under the provider's names. */
export interface AvsView {
  readonly AvsHouseNumber?: string | undefined;
  readonly AvsPostcode?: string | undefined;
  readonly flat?: string | undefined;
}

/** Answer of `GET /api/schedule`: what a schedule says if it is a cron expression. */
export interface ScheduleView {
  readonly words?: string;
  /** In the zone that was chosen, with its offset. */
  readonly nextRuns?: readonly string[];
}

/** A transfer, and what its schedule says. */
export interface TransferView extends ScheduleView {
  readonly fields: ProviderFields;
}

/** Answer of `GET` and `POST /api/transfers`. */
export interface TransfersView {
  readonly transfers: readonly TransferView[];
}

/** A webhook whose key this console keeps. */
export interface KeptWebhook {
  readonly webhookId: string;
  /** The file with its key. */
  readonly keyFile: string;
  readonly url?: string | undefined;
  readonly description?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly createdAt?: string | undefined;
}

/** Answer of `GET /api/webhooks`. */
export interface KeptWebhooksView {
  readonly kept: readonly KeptWebhook[];
}

/** Answer of `POST /api/webhooks`. */
export interface CreatedWebhookView extends Pick<KeptWebhook, 'webhookId' | 'keyFile'> {
  /** The key that the provider generated: to be shown once, and kept by no page. */
  readonly hmacKey?: string;
  readonly others: ProviderFields;
}

/** What is known about the effect of a call that failed. */
export type CallOutcome = 'not_sent' | 'refused' | 'unknown';

/** Every error answer (RFC 9457 problem JSON). */
export interface ConsoleProblem {
  readonly status: number;
  readonly code: string;
  /** One sentence for a person. */
  readonly title: string;
  /** What is known of the cause. */
  readonly detail: string;
  /** What to do now. */
  readonly next: string;
  readonly outcome: CallOutcome;
  /** Each wrong field, and what was expected of it. */
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
  readonly retryAfterSeconds?: number;
  /** To quote to the provider. */
  readonly requestId?: string;
  /** The provider's own words; their shape is not shown. */
  readonly providerSaid?: string;
}

/** What a report of a day says, for the service and the operator's page. */

export type ReportKind =
  /** Listed, and pays or refunds an order. */
  | 'matched'
  /** Listed, and pays no order that is known here. */
  | 'unknown'
  /** Paid here, and not listed. */
  | 'missing';

/** One transaction of the day. Texts are the provider's. */
export interface ReportRow {
  readonly kind: ReportKind;
  readonly merchant: string;
  readonly account: string;
  readonly transaction: string;
  readonly transactionTime: string;
  readonly status: string;
  readonly amount: string;
  readonly currency: string;
  readonly serviceFee: string;
  /** The order that it pays, or names. */
  readonly order: string;
  readonly checkout: string;
}

export interface CountedAmount {
  readonly count: number;
  /** Decimal text. */
  readonly amount: string;
}

/** What a merchant's transactions of one currency come to. */
export interface ReportTotal {
  readonly merchant: string;
  readonly currency: string;
  readonly matched: CountedAmount;
  readonly unknown: CountedAmount;
  readonly missing: CountedAmount;
  /** What the listed rows of known orders say was refunded. */
  readonly refunded: string;
  /** Service fees of all listed rows. */
  readonly fees: string;
  /** Shares of the matched payments, by the rules of today where an order has none of its own. */
  readonly splits: readonly {
    readonly partnerMerchantId: number;
    readonly typeId: number;
    readonly amount: string;
  }[];
}

export interface ReportSummary {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  /** Whether the whole day was read. Otherwise nothing is said to be missing. */
  readonly isComplete: boolean;
  readonly problems: readonly string[];
  readonly pages: number;
  readonly totals: readonly ReportTotal[];
}

/** A report to look at: what it comes to, and the first transactions of each kind. */
export type ReportView = ReportSummary & {
  readonly [kind in ReportKind]: readonly ReportRow[];
};

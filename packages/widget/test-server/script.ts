/** One request that the element made. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: unknown;
}

/** What the server answers. A test sets any part of it at any time. */
export interface Script {
  /** Answers of `POST /v1/checkouts` in order; the last one repeats. */
  open?: { status: number; body: unknown }[];
  /** What a preview answers. Default: 503. */
  preview?: { status: number; body: unknown };
  /** Holds back the answers of previews until it is false again. */
  holdPreview?: boolean;
  /** The checkout that `GET /v1/checkouts` knows. */
  status?: { checkout: string; revision: number; [key: string]: unknown } | null;
  /** What `GET /v1/checkouts` answers instead. */
  statusReply?: { status: number; body: unknown } | null;
  /** More checkouts that it knows. */
  others?: { checkout: string; revision: number; [key: string]: unknown }[];
  config?: { status: number; body: unknown };
  /** Holds back the answers of `GET /v1/checkout-config` until it is false again. */
  holdConfig?: boolean;
  /** Whether it has its texts in other languages. */
  hasLanguages?: boolean;
  /** Holds back those texts until it is false again. */
  holdLanguages?: boolean;
  /** How many of the next requests of each kind end with a broken connection. */
  faults?: { open?: number; status?: number; sdk?: number; hints?: number };
  /** Holds back the answers of `POST /v1/checkouts` until it is false again. */
  holdOpen?: boolean;
  /** The same of `GET /v1/checkouts`, for questions that come from then on. */
  holdStatus?: boolean;
  /** What the SDK's address answers; by default the SDK, fine. */
  sdk?: 'fine' | 'missing' | 'failing' | 'empty' | 'silent';
  /** Whether pages of other origins may read the SDK's script. */
  sharesSdk?: boolean;
  /** Whether the page at `/page` forbids scripts of other origins than its own. */
  forbidsSdk?: boolean;
  /** The Content Security Policy of the page at `/loader`. */
  policy?: string;
  /** The same, but only to report what it would block. */
  reportOnlyPolicy?: string;
  /** Whether the hosted page answers nothing, so that a browser stays where it is. */
  keepsPage?: boolean;
  /** Holds back the answers of hints. */
  holdHints?: boolean;
  /** Answers a poll at once, even with an older revision than it names, as a lagging replica would. */
  lags?: boolean;
}

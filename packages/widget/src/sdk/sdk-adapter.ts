import type { HintKind } from '@pay-checkout/session-server/contract';

/** What an SDK needs in order to draw its form. */
export interface SdkOpenOptions {
  /** The `session_id` of spec 2.4. */
  readonly sessionId: string;
  /** An empty element in the page's own (light) DOM, with an id, to draw in. */
  readonly container: HTMLElement;
  /** BCP 47 tag, when the page says one. */
  readonly locale: string | undefined;
  /** Aborts when the form is no longer wanted. */
  readonly signal: AbortSignal;
  /** Tells what the SDK told. Each is a hint; `shown` means that the form can be used. */
  readonly report: (kind: HintKind) => void;
}

/** What is left of an open form: a way to take it down. */
export interface SdkHandle {
  destroy?(): unknown;
}

/**
 * A provider's client SDK, as the element uses it. The one that comes with the element follows the
 * server's `SdkDescription`; set the element's `adapter` to use another.
 */
export interface SdkAdapter {
  /** Makes the SDK available; called early and again before `open`, so the second call is cheap. */
  load(signal: AbortSignal): Promise<void>;
  /** Draws the form. Settles when it is drawn, unless `report('shown')` said so before. */
  open(options: SdkOpenOptions): Promise<SdkHandle | void>;
}

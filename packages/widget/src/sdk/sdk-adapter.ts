import type { HintKind } from '@pay-checkout/session-server/contract';

/** What an SDK needs to mount its form. */
export interface SdkOpenOptions {
  /** The `session_id` of spec 2.4. */
  readonly sessionId: string;
  /** An empty element in light DOM, with an id, for the form. */
  readonly container: HTMLElement;
  /** BCP 47 tag, when the page has one. */
  readonly locale: string | undefined;
  /** Aborts when the form is no longer wanted. */
  readonly signal: AbortSignal;
  /** Reports an event of the SDK. Each is a hint; `shown` means that the form can be used. */
  readonly report: (kind: HintKind) => void;
}

/** A mounted form. */
export interface SdkHandle {
  destroy?(): unknown;
}

/**
 * A provider's client SDK, as the element uses it. The one that comes with the element follows the
 * server's `SdkDescription`; set the element's `adapter` to use another.
 */
export interface SdkAdapter {
  /** Whether the form is shown once something is in the container, and not before. */
  readonly drawsInside?: boolean;
  /** Whether it reports `shown` on its own. */
  readonly reportsShown?: boolean;
  /** Makes the SDK available; called early and again before `open`, so the second call is cheap. */
  load(signal: AbortSignal): Promise<void>;
  /** Mounts the form. Settles when it is shown, unless `report('shown')` was called before. */
  open(options: SdkOpenOptions): Promise<SdkHandle | void>;
}

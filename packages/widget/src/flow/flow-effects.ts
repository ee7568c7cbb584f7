import type {
  CheckoutConfigReply,
  HintKind,
  CreateCheckoutReply,
  CreateCheckoutRequest,
  PreviewReply,
} from '@pay-checkout/session-server/contract';
import type { ReactiveControllerHost } from 'lit';
import { attempt, reportCause } from '../attempt.js';
import { coded, CodedError } from '../coded-error.js';
import { joinShared, pause } from '../pause.js';
import { adapterFor, hostedFrame } from '../sdk/configure-sdk.js';
import { mountForm, type FormHost } from '../sdk/mount-form.js';
import type { SdkAdapter } from '../sdk/sdk-adapter.js';
import {
  hasOnlyId,
  isRechecking,
  sessionOf,
  type FlowEvent,
  type FlowState,
  type OpenSession,
} from './checkout-flow.js';
import { isReasonToPoll } from './page.js';
import { isOnHostedPage, type Mode, type Presentation } from './presentation.js';
import {
  createCheckout,
  fetchConfig,
  fetchPreview,
  fetchStatuses,
  isRetryable,
  sendHint,
  serverSession,
  withTimeout,
  type CreateSession,
} from './session-api.js';
import type { StatusPoller, StatusUpdate } from './status-poller.js';

/** What the flow needs of the element that it drives. */
export interface FlowHost extends ReactiveControllerHost, FormHost {
  merchant: string | null | undefined;
  order: string | null | undefined;
  orderToken: string | null | undefined;
  autostart: boolean;
  returnParam: string | null | undefined;
  createSession: CreateSession | undefined;
  adapter: SdkAdapter | undefined;
  mode: Mode | null | undefined;
  /** Origin of the session server; empty when the tag may not use the one that it names, or none is known. */
  readonly serverUrl: string;
}

/** What the order costs, before its checkout exists: empty without an answer, null until then. */
export type Preview = Partial<PreviewReply>;

/** What effects may read of the flow. They change it through the events that they emit only. */
export interface FlowContext {
  readonly host: FlowHost;
  readonly state: FlowState;
  readonly preview: Preview | null | undefined;
  /** Where the payment happens. */
  readonly presentation: Presentation;
  /** Where it would happen if it started now. */
  readonly nextPresentation: Presentation;
  /** The server's page for this order, if it has one. */
  readonly hostedUrl: string | undefined;
  /** Whether the window with the form is still open. */
  readonly hasWindow: boolean;
  /** The window that was opened last. */
  readonly window: Window | null | undefined;
  /** Settles when the server has received the last hint; undefined once it has. */
  readonly pendingHint: Promise<void> | undefined;
  readonly poller: StatusPoller;
}

/** What effects emit: events of the flow, and what the controller makes such events of. */
export type EffectEvent =
  | FlowEvent
  | { readonly type: 'config-loaded'; readonly config: CheckoutConfigReply }
  | { readonly type: 'previewed'; readonly preview: Preview | null }
  | { readonly type: 'sdk-loaded' | 'became-visible' | 'unfollow' }
  | { readonly type: 'window-seen' | 'window-closed' }
  | { readonly type: 'page-hidden' | 'page-restored' | 'page-shown' }
  | {
      readonly type: 'checkout-created';
      readonly reply: CreateCheckoutReply;
      readonly order: string;
    }
  /** A hint for the server about the session that is shown. */
  | { readonly type: 'hint'; readonly kind: HintKind };

/** Runs while the flow is in a state, until `signal` aborts. Events that it emits later are ignored. */
export type Effect = (
  flow: FlowContext,
  emit: (event: EffectEvent) => void,
  signal: AbortSignal,
) => unknown;

/** How long a new form has the main thread for itself: no one can have paid in it yet. */
export const FORM_GRACE_MS = 1000;
/** An observer answers with the next frame, and has none while the page is hidden. */
const OBSERVER_TIMEOUT_MS = 1500;
/** A shopper is not declined twice in this time. */
const REPEAT_MS = 500;
/** There is no event for a closed window, so it is checked. */
const WINDOW_CHECK_MS = 500;
/** Between two requests while the shopper enters an address in the other window. */
const ADDRESS_CHECK_MS = 4000;

/**
 * Polls when the page becomes visible or online, or when a page of the server sends a message. Reports
 * when the page is hidden and restored.
 */
export const listenToPage: Effect = (flow, emit, signal) => {
  const poll = (): void => {
    if (!document.hidden) flow.poller.poll();
  };
  const onMessage = (event: MessageEvent<unknown>): void => {
    const { host, state, poller } = flow;
    if (event.source === flow.window) emit({ type: 'window-seen' });
    if (isReasonToPoll(event, host.serverUrl, state.known?.checkout)) poller.poll();
  };
  const on = (type: string, run: (event: never) => unknown): void =>
    addEventListener(type, run as EventListener, { signal });
  on('message', onMessage);
  on('online', poll);
  on('visibilitychange', () => {
    poll();
    if (!document.hidden) emit({ type: 'page-shown' });
  });
  on('pagehide', () => emit({ type: 'page-hidden' }));
  on('pageshow', ({ persisted }: PageTransitionEvent) => {
    if (persisted) emit({ type: 'page-restored' });
  });
};

/** Loads the configuration and the SDK before they are needed. An error is reported when it matters. */
export const preload: Effect = async (flow, emit, signal) => {
  const { host } = flow;
  const { adapter, createSession, serverUrl, merchant, mode } = host;
  if (isOnHostedPage(mode) || (createSession && !adapter)) return;
  try {
    let sdk;
    if (!adapter) {
      const config = await joinShared(fetchConfig(serverUrl, merchant ?? ''), signal);
      emit({ type: 'config-loaded', config });
      if (isOnHostedPage(flow.nextPresentation)) return;
      sdk = config.sdk;
    }
    await adapterFor(host, sdk).load(signal);
    emit({ type: 'sdk-loaded' });
  } catch {
    // Mounting the form tries again and reports the error.
  }
};

/** What the tag names. */
function requestOf({ merchant, order, orderToken }: FlowHost): CreateCheckoutRequest {
  return { merchant, order, orderToken: orderToken ?? undefined } as CreateCheckoutRequest;
}

/** Without a prototype, as replies are. */
const NO_PREVIEW = { __proto__: null } as Preview;

/**
 * Asks what the order costs, and what is known of it. Without an answer the shopper can pay all the same;
 * a refusal would refuse the payment too.
 */
export const previewOrder: Effect = async (flow, emit, signal) => {
  const { host } = flow;
  // In the frame that shows the button: nothing moves when the answer comes.
  if (!flow.preview) emit({ type: 'previewed', preview: null });
  try {
    const preview = await fetchPreview(host.serverUrl, requestOf(host), signal);
    emit({ type: 'previewed', preview });
  } catch (thrown) {
    const error = coded(thrown, 'session_failed');
    emit({ type: 'previewed', preview: NO_PREVIEW });
    if (!isRetryable(error)) emit({ type: 'unpayable', error });
  }
};

/**
 * Starts the payment once the element has come into view. A browser says at once whether it is in view: on
 * a page where none does, every tag is.
 */
export const startWhenVisible: Effect = async (flow, emit, signal) => {
  let isObserved = false;
  attempt(() => {
    const observer = new IntersectionObserver((entries) => {
      isObserved = true;
      if (entries.some((entry) => entry.isIntersecting)) emit({ type: 'became-visible' });
    });
    observer.observe(flow.host);
    signal.addEventListener('abort', () => observer.disconnect());
  });
  while (!isObserved && !signal.aborted) {
    await pause(OBSERVER_TIMEOUT_MS, signal);
    if (!isObserved && !document.hidden) emit({ type: 'became-visible' });
  }
};

/** Creates the checkout that the tag names. */
export const openCheckout: Effect = async (flow, emit, signal) => {
  const { host, presentation, hostedUrl, pendingHint } = flow;
  const { merchant, order, createSession, serverUrl } = host;
  const { renew, address } = flow.state as FlowState & { phase: 'opening' };
  const isElsewhere = isOnHostedPage(presentation);
  if (!serverUrl || !merchant || !order || (isElsewhere && !hostedUrl)) {
    emit({ type: 'failure', error: { code: serverUrl ? 'tag_incomplete' : 'server_refused' } });
    return;
  }
  const request = { ...requestOf(host), renew, avs: address?.input } as CreateCheckoutRequest;
  try {
    await pendingHint;
    while (!signal.aborted) {
      const { hasWindow } = flow;
      const create = createSession ?? serverSession(serverUrl);
      const reply = await createCheckout(create, request, signal);
      if (!('needs' in reply)) {
        emit({ type: 'checkout-created', reply, order });
        return;
      }
      if (!isElsewhere) {
        emit({ type: 'address-required', address: { request: reply, input: address?.input } });
        return;
      }
      // The hosted page asks the shopper for the address.
      if (!hasWindow) {
        emit({ type: 'window-closed' });
        return;
      }
      await pause(ADDRESS_CHECK_MS, signal);
    }
  } catch (thrown) {
    const error = coded(thrown, 'session_failed');
    const { code, requestId, fields, detail, unpaid, cause } = error;
    // What the page's own code threw. That of the network is in the console.
    if (code === 'session_failed' && cause) reportCause(cause);
    const rejected = fields?.filter((field) => field.startsWith('avs.'));
    if (address && rejected?.length) {
      emit({ type: 'address-required', address: { ...address, rejected } });
      return;
    }
    const recovery = isRetryable(error) ? 'open' : undefined;
    emit({ type: 'failure', error: { code, requestId, detail, unpaid, cause, recovery } });
  }
};

/** Has the SDK show the form of the session, and reports what the SDK reports. */
export const showForm: Effect = async (flow, emit, signal) => {
  const { sessionId, sdk } = sessionOf(flow.state) as OpenSession;
  const { host, presentation, hostedUrl } = flow;
  let latest: HintKind | undefined;
  let latestAt = 0;
  let hasSubmitted = false;
  const report = (reported: HintKind): void => {
    const { known, phase, isSubmitted } = flow.state;
    hasSubmitted ||= reported === 'submitted';
    // A form that was opened after the card was submitted says nothing of that card.
    const isOfOther = reported === 'expired' && isSubmitted && !hasSubmitted;
    const kind = isOfOther ? 'refused' : reported;
    // Some SDKs report the same thing in two ways.
    const now = Date.now();
    if (kind === latest && Math.abs(now - latestAt) < REPEAT_MS) return;
    latest = kind;
    latestAt = now;
    if (kind !== 'shown') {
      emit({ type: 'hint', kind });
      emit({ type: kind });
    } else if (known && phase === 'opening') {
      emit({ type: kind });
      const { serverUrl } = host;
      const { checkout } = known;
      // After the form's first second; of a form that goes before, when it goes.
      void pause(FORM_GRACE_MS, signal).then(() =>
        sendHint(serverUrl, checkout, { kind, sessionId }),
      );
    }
  };
  try {
    const isFramed = presentation === 'overlay' && hostedUrl && sdk && !sdk.container;
    const adapter = isFramed ? hostedFrame(hostedUrl, host.formLabel) : adapterFor(host, sdk);
    await withTimeout(adapter.load(signal), 'sdk_timeout', signal);
    // The slot has to be in the layout: some SDKs measure it.
    await host.updateComplete;
    if (!signal.aborted) await mountForm(adapter, sessionId, host, report, signal);
  } catch (thrown) {
    const { code, cause } = coded(thrown, 'sdk_load_failed');
    if (signal.aborted) return;
    if (cause) reportCause(cause);
    const isRefusal = code === 'sdk_configure_failed';
    if (isRefusal) emit({ type: 'hint', kind: 'refused' });
    emit({ type: 'failure', error: { code, cause, recovery: isRefusal ? 'renew' : 'mount' } });
  }
};

/** Cancels when the shopper closes the window with the form. */
export const watchWindow: Effect = async (flow, emit, signal) => {
  while (!signal.aborted && flow.hasWindow) await pause(WINDOW_CHECK_MS, signal);
  emit({ type: 'hint', kind: 'shown' });
  emit({ type: 'window-closed' });
};

/** Asks once whether a payment that is shown as received was refunded since. */
export const lookForRefund: Effect = async (flow, emit, signal) => {
  const { checkout = '', revision = 0 } = flow.state.known ?? {};
  const reply = await fetchStatuses(flow.host.serverUrl, [[checkout, revision]], 0, signal).catch(
    () => undefined,
  );
  for (const status of reply?.checkouts ?? []) emit({ type: 'status', status });
};

/** Polls the state of the checkout. */
export const pollStatus: Effect = async (flow, emit, signal) => {
  if (flow.state.phase === 'opening') await pause(FORM_GRACE_MS, signal);
  if (signal.aborted) return;
  if (!flow.host.serverUrl) {
    emit({ type: 'failure', error: { code: 'server_refused' } });
    return;
  }
  const checkout = flow.state.known?.checkout ?? '';
  const revision = (): number =>
    isRechecking(flow.state) ? 0 : Math.max(0, flow.state.known?.revision ?? 0);
  const onUpdate = ({ checkouts, error }: StatusUpdate): void => {
    const { merchant, order, orderToken, createSession } = flow.host;
    const status = checkouts.find((one) => one.checkout === checkout);
    const isOfTag =
      !status ||
      ((!merchant || status.merchant === merchant) && (!order || status.order === order));
    const isFirst = hasOnlyId(flow.state);
    // The server may have answered before it heard of a decline: the next answer is later.
    if (status?.submitted && flow.pendingHint && !flow.state.isSubmitted) return;
    if (status && (isOfTag || !isFirst)) emit({ type: 'status', status });
    // An error matters to a page that has seen no status yet, and to a shopper who asked.
    else if (isFirst || isRechecking(flow.state)) {
      const missing = isOfTag ? 'checkout_not_found' : 'checkout_mismatch';
      const recovery = isOfTag ? 'follow' : undefined;
      const { code, requestId, detail } = error ?? new CodedError(missing);
      // The page's address may name anything. What the tag names can be paid.
      if (isFirst && /^checkout_/.test(code) && (orderToken || createSession)) {
        emit({ type: 'unfollow' });
        return;
      }
      emit({ type: 'failure', error: { code, requestId, detail, recovery } });
    }
  };
  flow.poller.subscribe({ checkout, revision, onUpdate }, signal);
};

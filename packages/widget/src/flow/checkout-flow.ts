import type {
  AvsInput,
  CheckoutState,
  CheckoutStatus,
  HintKind,
  NeedsReply,
  CreateCheckoutReply,
  SdkDescription,
} from '@pay-checkout/session-server/contract';
import type { Presentation } from './presentation.js';
import { BUTTONS, phaseOf, type OutcomePhase } from './phases.js';

/** What the page knows about one checkout. */
export interface KnownCheckout extends Partial<
  Pick<
    CreateCheckoutReply,
    'amount' | 'currency' | 'environment' | 'refund' | 'requestId' | 'lineItems'
  >
> {
  readonly checkout: string;
  /** The latest one seen; `-1` while only the id is known, from the page's address. */
  readonly revision: number;
  readonly order: string | null;
  /** Whether the server answered that a card was submitted whose result is not known. */
  readonly submitted?: true | undefined;
}

/** What the client SDK is given. */
export interface OpenSession {
  readonly sessionId: string;
  readonly sdk?: SdkDescription | undefined;
  /** Whether its form failed before: another session may help then. */
  readonly hasFailed?: boolean;
}

/** The billing address that the server requires. */
export interface Address {
  readonly request: NeedsReply;
  /** What the shopper typed. Kept in memory only, until the checkout is open. */
  readonly input?: AvsInput | undefined;
  /** Names of the fields that were rejected, by the form or by the server. */
  readonly rejected?: readonly string[] | undefined;
}

/** What `retry` does after a {@link FlowError}; absent when trying again cannot help. */
export type Recovery = 'open' | 'renew' | 'mount' | 'follow';

/** A technical error, never the outcome of a payment. */
export interface FlowError {
  readonly code: string;
  readonly requestId?: string | undefined;
  /** The server's sentence about it. */
  readonly detail?: string | undefined;
  readonly recovery?: Recovery | undefined;
  /** Whether the server answered that nothing was paid for the order. */
  readonly unpaid?: boolean | undefined;
  /** What the SDK or the page's own code threw. */
  readonly cause?: unknown;
}

/** The state of the flow. Each phase carries only what it has. */
export type FlowState = (
  | {
      readonly phase: 'idle';
      readonly known?: KnownCheckout | undefined;
      /** Whether a submitted card turned out to have paid nothing. */
      readonly notFound?: boolean;
    }
  | {
      readonly phase: 'opening';
      readonly known?: KnownCheckout | undefined;
      /** Absent until the server has answered. */
      readonly session?: OpenSession | undefined;
      /** The session that the SDK refused. */
      readonly renew?: string | undefined;
      /** Whether the SDK said that the session before had expired. */
      readonly isRenewed?: boolean | undefined;
      readonly address?: Address | undefined;
    }
  | {
      readonly phase: 'address';
      readonly known?: KnownCheckout | undefined;
      readonly address: Address;
    }
  | {
      readonly phase: 'ready';
      readonly known: KnownCheckout;
      readonly session: OpenSession;
      /** Declines that the SDK reported since the shopper last submitted a card. */
      readonly declines: number;
      readonly isRenewed?: boolean | undefined;
      /** Whether the form is in a window of its own. */
      readonly inWindow?: boolean;
    }
  | { readonly phase: 'redirecting'; readonly url: string; readonly known?: undefined }
  | {
      readonly phase: 'confirming' | OutcomePhase;
      readonly known: KnownCheckout;
      /** Whether the shopper pressed “Check again” and no answer has come yet. */
      readonly checking?: boolean;
    }
  | {
      readonly phase: 'problem';
      readonly error: FlowError;
      readonly known?: KnownCheckout | undefined;
      readonly session?: OpenSession | undefined;
      /** Keeps what was typed, so that a bad connection does not make the shopper type it again. */
      readonly address?: Address | undefined;
      /** Whether no payment was started here. */
      readonly isUnstarted?: boolean;
    }
) & {
  /**
   * Whether the SDK, or the server for any page of the order, reported a submitted card and no decline
   * since, and the result is not known: money may be moving.
   */
  readonly isSubmitted?: boolean | undefined;
};

/** Intents of the page and the shopper, and facts from the server and the SDK. */
export type FlowEvent =
  | { readonly type: 'start' | 'retry' | 'close' | 'reset' | 'order-changed' | 'restored' }
  /** The shopper wants the form back in which a card was submitted: its challenge may be open. */
  | { readonly type: 'resume' }
  | { readonly type: 'redirect'; readonly url: string }
  | { readonly type: 'follow'; readonly checkout: string; readonly order: string | null }
  | {
      readonly type: 'created';
      readonly reply: CreateCheckoutReply;
      readonly order: string | null;
      /** Where the payment happens. */
      readonly presentation: Presentation;
    }
  /** What is known of the order before a payment starts here. */
  | { readonly type: 'known'; readonly known: KnownCheckout; readonly state: CheckoutState }
  /** The order that is not started yet cannot be paid. */
  | { readonly type: 'unpayable'; readonly error: FlowError }
  | { readonly type: 'address-required'; readonly address: Address }
  | {
      readonly type: 'address-entered';
      readonly input: AvsInput;
      /** Names of the fields that must not stay as they are. */
      readonly rejected?: readonly string[];
    }
  | { readonly type: HintKind }
  | { readonly type: 'status'; readonly status: CheckoutStatus }
  | { readonly type: 'failure'; readonly error: FlowError };

/** The initial state. A checkout opens automatically only in this state. */
export const IDLE = { __proto__: null, phase: 'idle' } as FlowState;

/** Events that remove the form. */
const FORM_REMOVERS: readonly FlowEvent['type'][] = ['refused', 'failure', 'close'];

/** Whether only the checkout's id is known, from the page's address, and no status has come yet. */
export function hasOnlyId(state: FlowState): boolean {
  return (state.known?.revision ?? 0) < 0;
}

/** Whether the shopper pressed “Check again” and waits for the answer. */
export function isRechecking(state: FlowState): boolean {
  return 'checking' in state;
}

/** Whether the request that creates the checkout is running. */
export function isCreating(state: FlowState): boolean {
  return state.phase === 'opening' && !state.session;
}

/** Whether the shopper is paying: in the page, in an overlay or in a window. */
export function isInProgress({ phase }: FlowState): boolean {
  return ['opening', 'address', 'ready'].includes(phase);
}

/** The session whose form is mounted, or is being mounted. */
export function sessionOf(state: FlowState): OpenSession | undefined {
  return state.phase === 'opening' || state.phase === 'ready' ? state.session : undefined;
}

/** Whether a payment may start: never while another may be in progress. */
export function canStart({ phase }: FlowState): boolean {
  return BUTTONS[phase] === 'pay' || phase === 'problem';
}

/** Whether the form in which a card was submitted may be shown again. */
export function canResume({ phase, isSubmitted }: FlowState): boolean {
  return phase === 'confirming' && Boolean(isSubmitted);
}

/**
 * The state after `event`. An event that `state` does not allow returns the same object, so a double
 * click, a late answer and a second start change nothing.
 */
export function transition(state: FlowState, event: FlowEvent): FlowState {
  const { phase, known, isSubmitted } = state;
  // Only the server knows the result of a card whose form is removed.
  if (known && sessionOf(state) && isSubmitted && FORM_REMOVERS.includes(event.type)) {
    return { phase: 'confirming', known, isSubmitted };
  }
  switch (event.type) {
    case 'start':
      return canStart(state) ? { phase: 'opening', known } : state;

    case 'resume':
      return canResume(state) ? { phase: 'opening', known, isSubmitted } : state;

    case 'redirect':
      return canStart(state) || canResume(state) || isCreating(state)
        ? { phase: 'redirecting', url: event.url }
        : state;

    case 'follow':
      return phase === 'idle' && !known
        ? {
            phase: 'confirming',
            known: { checkout: event.checkout, revision: -1, order: event.order },
          }
        : state;

    case 'created':
      return isCreating(state) ? created(state, event) : state;

    case 'known':
      return phase === 'idle' ? atKnown(event.known, event.state) : state;

    case 'unpayable':
      return phase === 'idle'
        ? { phase: 'problem', known, error: event.error, isUnstarted: true }
        : state;

    case 'address-required':
      return isCreating(state) ? { phase: 'address', known, address: event.address } : state;

    case 'address-entered': {
      if (phase !== 'address') return state;
      const { input, rejected } = event;
      const address = { ...state.address, input };
      return rejected?.length
        ? { ...state, address: { ...address, rejected } }
        : { phase: 'opening', known, address };
    }

    case 'shown':
      return phase === 'opening' && known && state.session
        ? {
            phase: 'ready',
            known,
            session: state.session,
            declines: 0,
            isRenewed: state.isRenewed,
            isSubmitted,
          }
        : state;

    case 'declined':
      return phase === 'ready'
        ? {
            ...state,
            declines: state.declines + 1,
            isSubmitted: false,
            // Of the next card the server has not heard yet.
            known: { ...state.known, submitted: undefined },
          }
        : state;

    case 'submitted': {
      // A submitted card proves that there is a form, even if the SDK never reported one.
      const ready = transition(state, { type: 'shown' });
      return ready.phase === 'ready' && !isSubmitted
        ? { ...ready, declines: 0, isRenewed: false, isSubmitted: true }
        : state;
    }

    case 'expired': {
      const session = sessionOf(state);
      return session && known
        ? { phase: 'opening', known, renew: session.sessionId, isRenewed: true }
        : state;
    }

    case 'refused':
      return sessionOf(state)
        ? withError(state, { code: 'session_refused', recovery: 'renew' })
        : state;

    case 'error':
      return phase === 'opening'
        ? withError(state, { code: 'sdk_configure_failed', recovery: 'renew' })
        : state;

    case 'failure':
      return withError(state, event.error);

    case 'status':
      return withStatus(state, event.status);

    case 'retry':
      if (phase === 'unconfirmed' && !isRechecking(state)) return { ...state, checking: true };
      return phase === 'problem' ? retried(state) : state;

    case 'close':
      return isStarted(state) ? { phase: 'idle', known } : state;

    case 'restored':
      // The shopper returned from where the page or its SDK navigated to: the form is gone.
      return phase === 'redirecting' || sessionOf(state)?.sdk?.navigates
        ? { phase: 'opening', known }
        : state;

    case 'reset':
      return phase === 'idle' && !known ? state : { phase: 'idle' };

    case 'order-changed':
      return IDLE;

    case 'cancelled':
      return state;
  }
}

function isStarted(
  state: FlowState,
): state is FlowState & { phase: 'opening' | 'address' | 'ready' | 'problem' } {
  return isInProgress(state) || state.phase === 'problem';
}

function created(
  { isSubmitted, isRenewed }: FlowState & { isRenewed?: boolean | undefined },
  { reply, order, presentation }: FlowEvent & { type: 'created' },
): FlowState {
  const { state, sessionId, sdk, ...facts } = reply;
  const { submitted } = reply;
  // As its own, whatever a script added to Object.prototype.
  const known: KnownCheckout = { ...facts, submitted, order };
  const found = atKnown(known, state);
  // Where a card was submitted, only the shopper's own press brings the form back.
  const isBack = submitted && isSubmitted && sessionId;
  if (found.phase !== 'idle' && !isBack) return found;
  if (presentation === 'redirect') return found;
  if (!sessionId) return { phase: 'problem', error: { code: 'session_missing' }, known };
  const session = { sessionId, sdk };
  return presentation === 'popup'
    ? { phase: 'ready', known, session, declines: 0, inWindow: true, isSubmitted: submitted }
    : { phase: 'opening', known, session, isRenewed, isSubmitted: submitted };
}

/** Whether the shopper came back from paying, or has paid. */
function isSettling(state: CheckoutState): state is 'paid' | 'returned' | 'unconfirmed' {
  return state === 'paid' || state === 'returned' || state === 'unconfirmed';
}

/** The state of a page on which no form is shown: paying is offered unless money may be moving. */
function atKnown(known: KnownCheckout, state: CheckoutState): FlowState {
  if (isSettling(state)) return { phase: phaseOf(state), known };
  return known.submitted
    ? { phase: 'confirming', known, isSubmitted: true }
    : { phase: 'idle', known };
}

function withError(state: FlowState, failed: FlowError): FlowState {
  const { known, isSubmitted } = state;
  // An error of the SDK has no request of its own: the one that created the checkout finds it in the log.
  const error = { ...failed, requestId: failed.requestId ?? known?.requestId };
  if (known && isRechecking(state)) return { phase: 'unconfirmed', known };
  const session = sessionOf(state);
  const address = state.phase === 'opening' ? state.address : undefined;
  return session || isCreating(state) || hasOnlyId(state)
    ? { phase: 'problem', error, known, session, address, isSubmitted }
    : state;
}

function withStatus(state: FlowState, status: CheckoutStatus): FlowState {
  const seen = state.known;
  if (!seen || seen.checkout !== status.checkout) return state;
  // A refund is all that happens to it.
  if (state.phase === 'paid' && status.state !== 'paid') return state;
  if (status.revision <= seen.revision) {
    return isRechecking(state) ? { phase: 'unconfirmed', known: seen } : state;
  }
  const { revision, order, refund, submitted, supersededBy } = status;
  const known: KnownCheckout = { ...seen, revision, order, refund, submitted };
  // The server does not know yet what was submitted here.
  const isUnheard = state.isSubmitted && !seen.submitted && !submitted;
  const isOpen = status.state === 'open';
  if (supersededBy && !isUnheard && status.state !== 'paid') {
    // Offers nothing until the state of the other one is known.
    return { phase: 'confirming', known: { checkout: supersededBy, revision: -1, order } };
  }
  if (submitted && !isSettling(status.state)) return withSubmitted(state, known);
  // Neither an open checkout nor an expired one says anything about a submitted card.
  if (isUnheard ? isOpen || status.state === 'expired' : isOpen && isStarted(state)) {
    return { ...state, known, isSubmitted: isUnheard };
  }
  if (!isOpen) return { phase: phaseOf(status.state), known };
  return { phase: 'idle', known, notFound: Boolean(state.isSubmitted) };
}

/** A card was submitted on some page of the order: on this one its form stays, on others it goes. */
function withSubmitted(state: FlowState, known: KnownCheckout): FlowState {
  // The reply that creates the checkout says so too.
  if (state.phase === 'opening' && !state.session) return { ...state, known };
  const isHere = state.isSubmitted || (state.phase === 'ready' && state.inWindow);
  return isHere && (state.phase === 'opening' || state.phase === 'ready')
    ? { ...state, known, isSubmitted: true }
    : { phase: 'confirming', known, isSubmitted: true };
}

function retried(state: FlowState & { phase: 'problem' }): FlowState {
  const { known, session, error, address } = state;
  const { recovery } = error;
  if (!recovery) return state;
  if (recovery === 'follow' && known) return { phase: 'confirming', known };
  const opening = { phase: 'opening', known, address, isSubmitted: state.isSubmitted } as const;
  if (recovery === 'open' || !session) return opening;
  if (recovery === 'mount') return { ...opening, session };
  // Each new session could be paid too: a form that failed is tried again in its own first.
  return error.code === 'session_refused' || session.hasFailed
    ? { ...opening, renew: session.sessionId }
    : { ...opening, session: { ...session, hasFailed: true } };
}

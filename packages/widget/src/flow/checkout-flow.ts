import type {
  AvsInput,
  CheckoutStatus,
  Environment,
  HintKind,
  NeedsReply,
  OpenCheckoutReply,
  SdkDescription,
} from '@pay-checkout/session-server/contract';
import type { Way } from './modes.js';
import { BUTTONS, phaseOf, type OutcomePhase } from './phases.js';

/** What has been learned of one checkout. */
export interface KnownCheckout {
  readonly checkout: string;
  /** The last one seen; `-1` while only the id is known, from the page's address. */
  readonly revision: number;
  readonly order: string | null;
  /** Decimal text; absent when this page did not open the checkout. */
  readonly amount?: string;
  readonly currency?: string;
  /** The amount as the server writes it for the shopper. */
  readonly amountText?: string;
  readonly environment?: Environment;
}

/** What the client SDK is given. */
export interface OpenSession {
  readonly sessionId: string;
  readonly sdk?: SdkDescription | undefined;
}

/** The address fields that the server asked for. */
export interface Address {
  readonly asked: NeedsReply;
  /** What the shopper typed. It is kept in no storage, and only until the checkout is open. */
  readonly given?: AvsInput | undefined;
  /** Names of the fields that the server refused. */
  readonly refused?: readonly string[] | undefined;
}

/** What `retry` does about a {@link Trouble}; absent when trying again cannot help. */
export type Remedy = 'open' | 'renew' | 'draw' | 'follow';

/** Technical trouble, never the outcome of a payment. */
export interface Trouble {
  readonly code: string;
  readonly requestId?: string | undefined;
  readonly remedy?: Remedy | undefined;
}

/** Where the element stands. Each state carries only what it has. */
export type FlowState = (
  | { readonly phase: 'idle'; readonly known?: KnownCheckout | undefined }
  | {
      readonly phase: 'opening';
      readonly known?: KnownCheckout | undefined;
      /** Absent until the server has answered. */
      readonly session?: OpenSession | undefined;
      /** The session that the SDK refused. */
      readonly renew?: string | undefined;
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
      /** How many declines the SDK told of since the shopper submitted last. */
      readonly declines: number;
      /** Whether the form is in a window of its own. */
      readonly inWindow?: boolean;
    }
  | { readonly phase: 'redirecting'; readonly url: string; readonly known?: undefined }
  | {
      readonly phase: 'confirming' | OutcomePhase;
      readonly known: KnownCheckout;
      /** Whether the shopper asked to look again and no answer has come yet. */
      readonly checking?: boolean;
    }
  | {
      readonly phase: 'problem';
      readonly trouble: Trouble;
      readonly known?: KnownCheckout | undefined;
      readonly session?: OpenSession | undefined;
      /** With what was typed, so that nobody types it twice because a line was bad. */
      readonly address?: Address | undefined;
    }
) & {
  /**
   * Whether the SDK told of a card that was sent, and of no decline since, and the server knows
   * nothing of it: money may be moving.
   */
  readonly isSent?: boolean | undefined;
};

/** Intents of the page and the shopper, and facts from the server and the SDK. */
export type FlowEvent =
  | { readonly type: 'start' | 'retry' | 'close' | 'reset' | 'renamed' | 'restored' }
  | { readonly type: 'leave'; readonly url: string }
  | { readonly type: 'follow'; readonly checkout: string; readonly order: string | null }
  | {
      readonly type: 'opened';
      readonly reply: OpenCheckoutReply;
      readonly order: string | null;
      /** Where the payment happens. */
      readonly way: Way;
    }
  | { readonly type: 'asked'; readonly address: Address }
  | { readonly type: 'given'; readonly given: AvsInput }
  | { readonly type: HintKind }
  | { readonly type: 'status'; readonly status: CheckoutStatus }
  | { readonly type: 'trouble'; readonly trouble: Trouble };

/** Before anything happened; only in this very state may a checkout open by itself. */
export const IDLE: FlowState = { phase: 'idle' };

/** What takes a form away. */
const ENDS: readonly FlowEvent['type'][] = ['refused', 'trouble', 'close'];

/** Whether only the id is known, from the page's address: the server has not said a word of it yet. */
export function isUnseen(state: FlowState): boolean {
  return (state.known?.revision ?? 0) < 0;
}

/** Whether the shopper asked to look again, and waits for the answer. */
export function isChecked(state: FlowState): boolean {
  return 'checking' in state;
}

/** Whether the server is being asked to open the checkout. */
export function isAsking(state: FlowState): boolean {
  return state.phase === 'opening' && !state.session;
}

/** Whether the shopper is at work: in the page, in an overlay, or in a window. */
export function isAtWork({ phase }: FlowState): boolean {
  return ['opening', 'address', 'ready'].includes(phase);
}

/** What the SDK is to draw, or has drawn. */
export function sessionOf(state: FlowState): OpenSession | undefined {
  return state.phase === 'opening' || state.phase === 'ready' ? state.session : undefined;
}

/** Whether a payment may begin: never while another may be on its way. */
export function mayStart({ phase }: FlowState): boolean {
  return BUTTONS[phase] === 'pay' || phase === 'problem';
}

/**
 * The state after `event`. An event that is not lawful in `state` returns the same object, so a
 * double click, a late answer and a second start are all nothing.
 */
export function transition(state: FlowState, event: FlowEvent): FlowState {
  const { phase, known, isSent } = state;
  // Only the server knows what becomes of a card whose form goes.
  if (phase === 'ready' && isSent && ENDS.includes(event.type)) {
    return { phase: 'confirming', known, isSent };
  }
  switch (event.type) {
    case 'start':
      return mayStart(state) ? { phase: 'opening', known } : state;

    case 'leave':
      return mayStart(state) || isAsking(state) ? { phase: 'redirecting', url: event.url } : state;

    case 'follow':
      return phase === 'idle' && !known
        ? {
            phase: 'confirming',
            known: { checkout: event.checkout, revision: -1, order: event.order },
          }
        : state;

    case 'opened':
      return isAsking(state) ? opened(event) : state;

    case 'asked':
      return isAsking(state) ? { phase: 'address', known, address: event.address } : state;

    case 'given':
      return phase === 'address'
        ? { phase: 'opening', known, address: { ...state.address, given: event.given } }
        : state;

    case 'shown':
      return phase === 'opening' && known && state.session
        ? { phase: 'ready', known, session: state.session, declines: 0 }
        : state;

    case 'declined':
      return phase === 'ready' ? { ...state, declines: state.declines + 1, isSent: false } : state;

    case 'submitted': {
      // Who sends a card has a form, whatever the SDK told of it.
      const ready = transition(state, { type: 'shown' });
      return ready.phase === 'ready' && !isSent ? { ...ready, declines: 0, isSent: true } : state;
    }

    case 'refused':
      return sessionOf(state)
        ? troubled(state, { code: 'session_refused', remedy: 'renew' })
        : state;

    case 'error':
      return phase === 'opening'
        ? troubled(state, { code: 'sdk_configure_failed', remedy: 'renew' })
        : state;

    case 'trouble':
      return troubled(state, event.trouble);

    case 'status':
      return informed(state, event.status);

    case 'retry':
      if (phase === 'unconfirmed' && !isChecked(state)) return { ...state, checking: true };
      return phase === 'problem' ? remedied(state) : state;

    case 'close':
      return isBegun(state) ? { phase: 'idle', known } : state;

    case 'restored':
      // Back from where the page, or an SDK in it, went to pay: there is no form here any more.
      return phase === 'redirecting' || sessionOf(state)?.sdk?.navigates
        ? { phase: 'opening', known }
        : state;

    case 'reset':
      return phase === 'idle' && !known ? state : { phase: 'idle' };

    case 'renamed':
      return IDLE;

    case 'cancelled':
      return state;
  }
}

/** Whether something is under way here, or went wrong. */
function isBegun(
  state: FlowState,
): state is FlowState & { phase: 'opening' | 'address' | 'ready' | 'problem' } {
  return isAtWork(state) || state.phase === 'problem';
}

function opened({ reply, order, way }: FlowEvent & { type: 'opened' }): FlowState {
  const { state, sessionId, sdk, ...facts } = reply;
  const known: KnownCheckout = { ...facts, order };
  if (state === 'paid' || state === 'returned' || state === 'unconfirmed') {
    return { phase: phaseOf(state), known };
  }
  if (way === 'redirect') return { phase: 'idle', known };
  if (!sessionId) return { phase: 'problem', trouble: { code: 'session_missing' }, known };
  const session = { sessionId, sdk };
  return way === 'popup'
    ? { phase: 'ready', known, session, declines: 0, inWindow: true }
    : { phase: 'opening', known, session };
}

function troubled(state: FlowState, trouble: Trouble): FlowState {
  const { known, isSent } = state;
  if (known && isChecked(state)) return { phase: 'unconfirmed', known };
  const session = sessionOf(state);
  const address = state.phase === 'opening' ? state.address : undefined;
  return session || isSent || isAsking(state) || isUnseen(state)
    ? { phase: 'problem', trouble, known, session, address, isSent }
    : state;
}

function informed(state: FlowState, status: CheckoutStatus): FlowState {
  const seen = state.known;
  if (!seen || seen.checkout !== status.checkout || state.phase === 'paid') return state;
  if (status.revision <= seen.revision) {
    return isChecked(state) ? { phase: 'unconfirmed', known: seen } : state;
  }
  const known: KnownCheckout = { ...seen, revision: status.revision, order: status.order };
  const told = status.state;
  const isOpen = told === 'open';
  // Neither an opening nor our own clock says anything of a card that was sent.
  if (state.isSent ? isOpen || told === 'expired' : isOpen && isBegun(state)) {
    return { ...state, known };
  }
  return isOpen ? { phase: 'idle', known } : { phase: phaseOf(told), known };
}

function remedied(state: FlowState & { phase: 'problem' }): FlowState {
  const { known, session, trouble, address } = state;
  const { remedy } = trouble;
  if (!remedy) return state;
  if (remedy === 'follow' && known) return { phase: 'confirming', known };
  return {
    phase: 'opening',
    known,
    address,
    session: remedy === 'draw' ? session : undefined,
    renew: remedy === 'renew' ? session?.sessionId : undefined,
  };
}

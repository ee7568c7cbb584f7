import type {
  CheckoutConfigReply,
  Environment,
  HintKind,
  SdkDescription,
} from '@pay-checkout/session-server/contract';
import type { ReactiveController } from 'lit';
import { PayRedirectEvent } from '../events/pay-redirect.js';
import {
  IDLE,
  isAsking,
  isAtWork,
  isUnseen,
  mayStart,
  sessionOf,
  transition,
  type FlowEvent,
  type FlowState,
  type Trouble,
} from './checkout-flow.js';
import { draw } from './drawing.js';
import { follow, stopWaiting } from './following.js';
import { listen } from './listening.js';
import { startWhenVisible } from './first-visible.js';
import type { FlowHost } from './flow-host.js';
import { FlowTeller, isOutcome } from './flow-teller.js';
import { closeWithWindow, openWindow } from './hosted-window.js';
import { chooseWay, type Way } from './modes.js';
import { askToOpen } from './opening.js';
import { cameByHistory, checkoutInAddress, removeFromAddress } from './page-address.js';
import { prepare } from './preparing.js';
import { sendHint } from './session-api.js';
import { statusFeed, type StatusFeed } from './status-feed.js';

/** Problems that end by themselves when the tag says more; an order is not found without its token. */
const TAG_PROBLEMS = ['order_token_expired', 'order_not_found', 'tag_incomplete'];

/** Three frames: nobody misses what is drawn after them. */
export const PREPARED_WITHIN_MS = 50;

/** Nobody has pressed anything: of a wait that is over sooner, there is nothing to say. */
export const FORM_WITHIN_MS = 200;

/** Something that goes on while its key is wanted, until its signal aborts. */
type Run = readonly [
  key: string | false | null | undefined,
  start: (flow: FlowController, signal: AbortSignal) => unknown,
];

/**
 * Drives one element through the flow: holds the state, runs what goes on in it, tells the page.
 *
 * What goes on follows from the state alone: `#runs` names it, each with a key. The same key changes
 * nothing, another one ends the old run and starts a new one, so only the newest may write, if each
 * looks at its signal before it does. Leaving the document stops what is seen and asked, keeps the
 * state, and lets an opening request end: coming back opens nothing twice.
 */
export class FlowController implements ReactiveController {
  state: FlowState = IDLE;
  /** Whether the page's address named the checkout, so that nothing needs to be opened here. */
  isFollowing: boolean | undefined;
  /** Known from the server's configuration, before anything is opened. */
  environment: Environment | undefined;
  /** The server's configuration, from when it was asked for. */
  configuration: Promise<CheckoutConfigReply> | undefined;
  /** What the server described last. */
  sdk: SdkDescription | undefined;
  /** Where the payment happens: chosen at the last start. */
  way: Way = 'inline';
  /** The window with the form, in mode `popup`. */
  window: Window | null | undefined;
  /** The language that the server was asked to write in, at the last opening. */
  askedLanguage: string | undefined;
  /** Settles when the server has heard the last hint. */
  lastHint: Promise<void> | undefined;
  /** Whether nobody has pressed anything since the shopper came back to this page. */
  isBack: boolean | undefined;
  /** Ends the wait of {@link prepared}: there is something to show. */
  show: () => void = () => undefined;
  readonly host: FlowHost;
  readonly teller: FlowTeller;
  readonly #running = new Map<string, AbortController>();
  #isPlaced: boolean | undefined;
  #isResting: boolean | undefined;
  #subject: string | undefined;
  #orderToken: string | null | undefined;
  #drawings = 0;

  constructor(host: FlowHost) {
    this.host = host;
    this.teller = new FlowTeller(host);
    host.addController(this);
  }

  /** The server's page for this order; a page with a `createSession` of its own has none. */
  get hostedUrl(): string | undefined {
    const { createSession, serverUrl, merchant, order, orderToken } = this.host;
    if (createSession || !merchant || !order || !orderToken) return undefined;
    return `${serverUrl}/v1/pay/${encodeURIComponent(merchant)}/${encodeURIComponent(orderToken)}`;
  }

  /** Whether there is a window with the form, still. */
  get hasWindow(): boolean {
    return this.way === 'popup' && this.window?.closed === false;
  }

  start(byItself?: boolean): void {
    this.isBack = byItself && cameByHistory();
    if (mayStart(this.state) && this.staysHere()) this.send({ type: 'start' });
  }

  /**
   * Chooses the way: opens the window if it asks for one, and leaves the page if it must. Nobody who
   * came Back is sent away again: the server is asked, and pay is offered.
   */
  staysHere(): boolean {
    const { hostedUrl, host } = this;
    this.way = this.choose();
    if (this.way === 'popup' && hostedUrl) {
      this.window = openWindow(hostedUrl, `${host.merchant} ${host.order}`);
      if (!this.window) this.way = 'redirect';
    }
    if (!hostedUrl || this.way !== 'redirect' || this.isBack) return true;
    this.leave(hostedUrl);
    return false;
  }

  close(): void {
    // Nobody can cancel a card that was sent: the server looks what became of it.
    this.hint(this.state.isSent ? 'shown' : 'cancelled');
    if (this.send({ type: 'close' })) this.window?.close();
  }

  /** Draws the form again, in the same session: a framework took it away with its own children. */
  readonly redraw = ({ target }: Event): void => {
    const slot = target as HTMLSlotElement;
    if (slot.name !== 'form' || slot.assignedElements().length) return;
    this.#drawings += 1;
    this.#sync();
  };

  /** Whether `event` was lawful. */
  send(event: FlowEvent): boolean {
    const previous = this.state;
    const state = transition(previous, event);
    if (state === previous) return false;
    // What some script gave all objects is no part of what is known.
    Object.setPrototypeOf(state.known ?? state, null);
    this.state = Object.setPrototypeOf(state, null) as FlowState;
    if (state.phase !== 'opening') this.show();
    // While it opens, nothing else is shown, and the SDK may be waiting for its turn.
    if (previous.phase !== 'opening' || state.phase !== 'opening') this.host.requestUpdate();
    if (isOutcome(state.phase)) removeFromAddress(this.#parameter, state.known?.checkout);
    this.teller.tell(previous, state, this.way);
    this.#sync();
    if (event.type === 'retry') this.feed.look();
    return true;
  }

  fail(trouble: Trouble): void {
    this.send({ type: 'trouble', trouble });
  }

  choose(): Way {
    const { mode, createSession } = this.host;
    const navigates = this.sdk?.navigates;
    const wanted = navigates && this.isBack ? 'redirect' : mode;
    const way = chooseWay(wanted, navigates);
    return createSession && way !== 'overlay' ? 'inline' : way;
  }

  leave(url: string): void {
    if (!this.send({ type: 'leave', url })) return;
    if (this.host.dispatchEvent(new PayRedirectEvent(url))) location.assign(url);
    else this.send({ type: 'reset' });
  }

  /** A hint about the session that is shown here; about none, there is nothing to tell. */
  hint(kind: HintKind): void {
    const { known } = this.state;
    const session = sessionOf(this.state);
    if (known && session) {
      const hint = { kind, sessionId: session.sessionId };
      this.lastHint = sendHint(this.host.serverUrl, known.checkout, hint);
    }
  }

  hostConnected(): void {
    this.#isPlaced = true;
    this.teller.connect();
    this.host.requestUpdate();
  }

  hostDisconnected(): void {
    this.#isPlaced = false;
    this.#sync();
  }

  hostUpdate(): void {
    if (!this.#isPlaced) return;
    this.#readTag();
    this.#sync();
  }

  /**
   * Asks for what a payment needs. Settles when nothing better may come of waiting: the configuration
   * is there, or the form of a payment that begins by itself, or either has had its time.
   */
  async prepared(): Promise<unknown> {
    this.hostUpdate();
    const byItself = this.#running.has('watch');
    const shown = new Promise<void>((resolve) => {
      this.show = resolve;
      setTimeout(resolve, byItself ? FORM_WITHIN_MS : PREPARED_WITHIN_MS);
    });
    return byItself ? shown : Promise.race([this.configuration, shown]).catch(() => undefined);
  }

  get #parameter(): string {
    return this.host.returnParam || 'checkout';
  }

  get feed(): StatusFeed {
    return statusFeed(this.host.serverUrl);
  }

  /**
   * Takes up the order that the tag names, or the checkout that the page's address names. What the
   * shopper began goes on with another order, and with what a problem asked of the tag; it never
   * leaves the page: nobody has just pressed.
   */
  #readTag(): void {
    const { merchant, order, orderToken } = this.host;
    const { state } = this;
    const subject = `${merchant} ${order}`;
    const isOther = subject !== this.#subject;
    const isNews = isOther || orderToken !== this.#orderToken;
    const waits = state.phase === 'problem' && TAG_PROBLEMS.includes(state.trouble.code);
    const goesOn = waits ? isNews : isOther && isAtWork(state);
    this.#orderToken = orderToken;
    if (isOther) {
      if (this.#subject) {
        this.window?.close();
        this.send({ type: 'renamed' });
      }
      this.#subject = subject;
      const checkout = checkoutInAddress(this.#parameter);
      this.isFollowing = Boolean(checkout);
      if (checkout) this.send({ type: 'follow', checkout, order: order ?? null });
    }
    if (!goesOn) return;
    // A window that is there has the old token in its address.
    if (this.hasWindow) this.staysHere();
    this.send({ type: 'start' });
  }

  /** What goes on in the state, here and now. */
  get #runs(): readonly Run[] {
    const { state } = this;
    const { merchant, order, orderToken, serverUrl, mode, autostart } = this.host;
    const isHere = this.#isPlaced && !this.#isResting;
    const isNamed = isHere && merchant && order;
    // As soon as it is seen; a window opens in a click only.
    const mayWatch = isNamed && autostart && mode !== 'popup' && state === IDLE;
    const checkout = state.known?.checkout;
    const session = sessionOf(state);
    const inWindow = state.phase === 'ready' && state.inWindow;
    const isRefused =
      state.phase === 'problem' && isUnseen(state) && /^checkout_/.test(state.trouble.code);
    const mayChange =
      isHere && checkout && !isRefused && !isAsking(state) && state.phase !== 'paid';
    const mayPrepare = isNamed && !this.isFollowing;
    return [
      [this.#isPlaced && 'listen', listen],
      [mayPrepare && `load ${serverUrl} ${merchant} ${mode}`, prepare],
      [mayWatch && 'watch', startWhenVisible],
      [!this.#isResting && isAsking(state) && `open ${orderToken}`, askToOpen],
      [
        this.#isPlaced && session && !inWindow && `draw ${session.sessionId} ${this.#drawings}`,
        draw,
      ],
      [isHere && inWindow && 'window', closeWithWindow],
      [mayChange && `follow ${checkout}`, follow],
      [isHere && state.phase === 'confirming' && state.isSent && 'wait', stopWaiting],
    ];
  }

  #sync(): void {
    const { state } = this;
    const runs = this.#runs;
    for (const [key, abort] of this.#running) {
      if (runs.some(([wanted]) => wanted === key)) continue;
      this.#running.delete(key);
      abort.abort();
    }
    for (const [key, start] of runs) {
      // What a run found at once has been seen to already.
      if (this.state !== state) return;
      if (!key || this.#running.has(key)) continue;
      const abort = new AbortController();
      this.#running.set(key, abort);
      start(this, abort.signal);
    }
  }

  /** A hidden page may be kept for the way back: it then holds and asks nothing, and keeps its form. */
  rest(isResting: boolean): void {
    this.#isResting = isResting;
    this.isBack = !isResting;
    if (this.isBack) this.send({ type: 'restored' });
    this.#sync();
  }
}

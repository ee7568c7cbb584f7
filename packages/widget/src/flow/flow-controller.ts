import type {
  Environment,
  HintKind,
  OpenCheckoutRequest,
  SdkDescription,
} from '@pay-checkout/session-server/contract';
import type { ReactiveController } from 'lit';
import { coded, CodedError } from '../coded-error.js';
import { PayDeclinedEvent } from '../events/pay-declined.js';
import { PayRedirectEvent } from '../events/pay-redirect.js';
import { scriptNonce } from '../script-origin.js';
import { drawForm } from '../sdk/draw-form.js';
import { hostedFrame } from '../sdk/hosted-frame.js';
import { ScriptSdk } from '../sdk/script-sdk.js';
import type { SdkAdapter } from '../sdk/sdk-adapter.js';
import {
  IDLE,
  isChecked,
  isPayable,
  isUnseen,
  knownOf,
  sessionOf,
  transition,
  type FlowEvent,
  type FlowState,
  type Trouble,
} from './checkout-flow.js';
import { Effect } from './effect.js';
import { liesOpen, whenFirstVisible } from './first-visible.js';
import type { FlowHost } from './flow-host.js';
import { FlowTeller, isOutcome } from './flow-teller.js';
import { HostedWindow } from './hosted-window.js';
import { chooseWay, surroundings, type Way } from './modes.js';
import { cameByHistory, checkoutInAddress, removeFromAddress } from './page-address.js';
import { readPageMessage } from './page-messages.js';
import { fetchConfig, isRetryable, openCheckout, sendHint, serverSession } from './session-api.js';
import { settlementOf, type Settlement } from './settlement.js';
import { statusFeed, type News, type StatusFeed } from './status-feed.js';
import { Stopwatch } from './stopwatch.js';

/** Problems that end by themselves when the tag says more. */
const TAG_PROBLEMS = ['order_token_expired', 'tag_incomplete'];

/**
 * Drives one element through the flow: holds the state, runs what goes on in it, tells the page.
 *
 * What goes on follows from the state alone: `#sync` names, for each {@link Effect}, the run that
 * belongs to the state, and may be called at any time. Leaving the document stops what is seen and
 * asked, keeps the state, and lets an opening request end: coming back opens nothing twice.
 */
export class FlowController implements ReactiveController {
  state: FlowState = IDLE;
  /** Whether the page's address named the checkout, so that nothing needs to be opened here. */
  isFollowing = false;
  /** Known from the server's configuration, before anything is opened. */
  environment: Environment | undefined;
  /** Where the payment happens: chosen at the last start. */
  way: Way = 'inline';
  readonly #host: FlowHost;
  readonly #teller: FlowTeller;
  readonly #stopwatch: Stopwatch;
  readonly #window = new HostedWindow();
  readonly #preparing = new Effect((signal) => this.#prepare(signal));
  readonly #watching = new Effect((signal) => this.#watch(signal));
  readonly #opening = new Effect((signal) => this.#open(signal));
  readonly #drawing = new Effect((signal) => this.#draw(signal));
  readonly #following = new Effect((signal) => this.#follow(signal));
  readonly #windowing = new Effect((signal) => this.#watchWindow(signal));
  #listening = new AbortController();
  #settlement = Promise.withResolvers<Settlement>();
  #subject: string | undefined;
  #orderToken: string | null | undefined;
  #isResting = false;
  #mayAutostart = true;
  #lastHint: Promise<void> | undefined;
  #sdk: SdkDescription | undefined;

  constructor(host: FlowHost) {
    this.#host = host;
    this.#teller = new FlowTeller(host);
    this.#stopwatch = new Stopwatch(host);
    this.#listening.abort();
    host.addController(this);
  }

  get whenSettled(): Promise<Settlement> {
    return this.#settlement.promise;
  }

  start(): void {
    this.#mayAutostart = false;
    if (!isPayable(this.state) && this.state.phase !== 'problem') return;
    const url = this.#hostedUrl;
    this.way = this.#choose();
    if (this.way === 'popup' && url && !this.#window.open(url)) this.way = 'redirect';
    if (this.way === 'redirect' && url) this.#leave(url);
    else this.send({ type: 'start' });
  }

  close(): void {
    const { state } = this;
    if (!this.send({ type: 'close' })) return;
    this.#hint(state, 'cancelled');
    this.#window.close();
  }

  /** The element has been drawn for the first time. */
  painted(): void {
    this.#stopwatch.tell('paint');
  }

  /** Brings the window with the form to the front. */
  showWindow(): void {
    this.#window.focus();
  }

  /** Draws the form again, in the same session: a framework took it away with its own children. */
  readonly redraw = ({ target }: Event): void => {
    if ((target as HTMLSlotElement).assignedElements().length) return;
    this.#drawing.run(false);
    this.#sync();
  };

  /** Whether `event` was lawful. */
  send(event: FlowEvent): boolean {
    const previous = this.state;
    const state = transition(previous, event);
    if (state === previous) return false;
    this.state = state;
    this.#host.requestUpdate();
    this.#settle(previous, state);
    this.#teller.tell(previous, state, this.way);
    this.#stopwatch.move(previous.phase, state.phase);
    this.#sync();
    if (isChecked(state)) this.#feed.look();
    return true;
  }

  hostConnected(): void {
    this.#stopwatch.connect();
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    const look = (): void => {
      if (document.visibilityState === 'visible') this.#feed.look();
    };
    addEventListener('message', (event) => this.#hear(event), { signal });
    addEventListener('online', look, { signal });
    document.addEventListener('visibilitychange', look, { signal });
    addEventListener('pagehide', () => this.#rest(true), { signal });
    addEventListener('pageshow', (event) => event.persisted && this.#rest(false), { signal });
    this.#host.requestUpdate();
  }

  hostDisconnected(): void {
    this.#listening.abort();
    this.#sync();
  }

  hostUpdate(): void {
    if (this.#listening.signal.aborted) return;
    const { merchant, order, orderToken } = this.#host;
    const subject = JSON.stringify([merchant, order]);
    if (subject !== this.#subject) {
      const isRebuilt = this.#subject !== undefined;
      this.#subject = subject;
      this.#take(isRebuilt);
    } else if (orderToken !== this.#orderToken && this.#waitsForTag()) this.#resume();
    this.#orderToken = orderToken;
    // Not a frame is lost where it can be seen that nobody need be waited for.
    if (this.#isWatching && this.#host.mode !== 'redirect' && liesOpen(this.#host)) this.start();
    this.#sync();
  }

  get #parameter(): string {
    return this.#host.returnParam || 'checkout';
  }

  /** The server's page for this order; a page with a `createSession` of its own has none. */
  get #hostedUrl(): string | undefined {
    const { createSession, serverUrl, merchant, order, orderToken } = this.#host;
    if (createSession || !merchant || !order || !orderToken) return undefined;
    return [`${serverUrl}/v1/pay`, ...[merchant, orderToken].map(encodeURIComponent)].join('/');
  }

  #choose(): Way {
    const { mode, createSession } = this.#host;
    const way = chooseWay(mode, surroundings(this.#sdk?.navigates));
    return createSession && way !== 'overlay' ? 'inline' : way;
  }

  /** Takes up the order that the tag names, or the checkout that the page's address names. */
  #take(isRebuilt: boolean): void {
    const { phase } = this.state;
    const wasPaying = phase === 'opening' || phase === 'ready' || this.#waitsForTag();
    const checkout = checkoutInAddress(this.#parameter);
    this.isFollowing = checkout !== undefined;
    if (isRebuilt) {
      this.#mayAutostart = true;
      this.send({ type: 'reset' });
    }
    if (checkout) this.send({ type: 'follow', checkout, order: this.#host.order ?? null });
    else if (isRebuilt && wasPaying) this.#resume();
  }

  /** Goes on with what the shopper began. It never leaves the page: nobody has just pressed. */
  #resume(): void {
    this.#mayAutostart = false;
    this.send({ type: 'start' });
  }

  #waitsForTag(): boolean {
    return this.state.phase === 'problem' && TAG_PROBLEMS.includes(this.state.trouble.code);
  }

  /** Whether the checkout opens as soon as it is seen. */
  get #isWatching(): boolean {
    const { merchant, order, autostart, mode } = this.#host;
    // A window opens in a click only, and nobody who came Back is sent away again.
    const mayStart = mode !== 'popup' && !(mode === 'redirect' && cameByHistory());
    const isNamed = Boolean(merchant && order);
    return autostart && isNamed && this.#mayAutostart && mayStart && this.state === IDLE;
  }

  #sync(): void {
    const { state } = this;
    const { merchant, order, serverUrl, mode } = this.#host;
    const isPlaced = !this.#listening.signal.aborted;
    const isHere = isPlaced && !this.#isResting;
    const isNamed = isHere && Boolean(merchant && order);
    const known = knownOf(state);
    const session = sessionOf(state);
    const isAsking = state.phase === 'opening' && !session;
    const isRefused = state.phase === 'problem' && isUnseen(state);
    const inWindow = state.phase === 'ready' && state.inWindow;
    this.#preparing.run(isNamed && !this.isFollowing && `${serverUrl} ${merchant} ${mode}`);
    this.#watching.run(isHere && this.#isWatching && 'visible');
    this.#opening.run(isAsking && !this.#isResting && 'open');
    this.#drawing.run(isPlaced && session !== undefined && !inWindow && session.sessionId);
    this.#windowing.run(isHere && inWindow === true && 'window');
    this.#following.run(
      isHere &&
        known !== undefined &&
        !isAsking &&
        !isRefused &&
        state.phase !== 'paid' &&
        known.checkout,
    );
  }

  #settle(previous: FlowState, state: FlowState): void {
    if (state.phase === previous.phase) return;
    if (isOutcome(previous.phase)) this.#settlement = Promise.withResolvers<Settlement>();
    const known = knownOf(state);
    if (!known || !isOutcome(state.phase)) return;
    this.#settlement.resolve(settlementOf(state.phase, known));
    if (checkoutInAddress(this.#parameter) === known.checkout) removeFromAddress(this.#parameter);
  }

  /** Loads what a payment will need, before anybody asks. What fails here is told when it matters. */
  async #prepare(signal: AbortSignal): Promise<void> {
    const { adapter, createSession, serverUrl, merchant, mode } = this.#host;
    if (mode === 'redirect' || mode === 'popup' || (!adapter && createSession)) return;
    try {
      if (!adapter) {
        const { sdk, environment } = await fetchConfig(serverUrl, merchant ?? '', signal);
        this.environment = environment;
        this.#sdk = sdk;
        this.#host.requestUpdate();
        if (this.#choose() === 'redirect') return;
        await this.#scriptSdk(sdk).load(signal);
      } else await adapter.load(signal);
      this.#stopwatch.tell('loader');
    } catch {
      return;
    }
  }

  #scriptSdk(sdk: SdkDescription): SdkAdapter {
    return new ScriptSdk(sdk, this.#host.nonce || scriptNonce);
  }

  #watch(signal: AbortSignal): void {
    whenFirstVisible(this.#host, signal, () => this.start());
  }

  async #open(signal: AbortSignal): Promise<void> {
    const { merchant, order, orderToken, language, createSession, serverUrl } = this.#host;
    const { renew, address } = this.state as FlowState & { phase: 'opening' };
    const elsewhere = ({ redirect: 'page', popup: 'window' } as const)[this.way as 'popup'];
    if (!merchant || !order || (elsewhere && !orderToken)) {
      this.#fail({ code: 'tag_incomplete' });
      return;
    }
    const request: OpenCheckoutRequest = {
      merchant,
      order,
      ...(orderToken && { orderToken }),
      ...(language && { locale: language }),
      ...(renew && { renew }),
      ...(address?.given && { avs: address.given }),
    };
    try {
      // Without one it goes at once, before anything is drawn.
      if (this.#lastHint) await this.#lastHint;
      const create = createSession ?? serverSession(serverUrl);
      const reply = await openCheckout(create, request, signal);
      if (signal.aborted) return;
      if ('needs' in reply) {
        this.send({ type: 'asked', address: { asked: reply, given: address?.given } });
        return;
      }
      this.#stopwatch.tell('session');
      this.#sdk = reply.sdk;
      const url = this.#hostedUrl;
      const isElsewhere = ['popup', 'redirect'].includes(this.#choose());
      if (isElsewhere && url && !elsewhere) this.#leave(url);
      else this.send({ type: 'opened', reply, order, elsewhere });
    } catch (error) {
      if (signal.aborted) return;
      const trouble = coded(error, 'session_failed');
      const { code, requestId, fields } = trouble;
      const refused = fields?.filter((field) => field.startsWith('avs.'));
      if (address && refused?.length) {
        this.send({ type: 'asked', address: { ...address, refused } });
      } else this.#fail({ code, requestId, remedy: isRetryable(trouble) ? 'open' : undefined });
    }
  }

  async #draw(signal: AbortSignal): Promise<void> {
    const session = sessionOf(this.state);
    if (!session) return;
    const { adapter, language, formLabel } = this.#host;
    try {
      const url = this.#hostedUrl;
      const isFramed = this.way === 'overlay' && url && session.sdk && !session.sdk.container;
      const sdk = adapter ?? (session.sdk && this.#scriptSdk(session.sdk));
      if (!sdk) throw new CodedError('sdk_missing');
      await drawForm(
        {
          adapter: isFramed ? hostedFrame(url) : sdk,
          sessionId: session.sessionId,
          locale: language,
          host: this.#host,
          label: formLabel,
          onReport: (kind) => this.#report(kind),
        },
        signal,
      );
    } catch (error) {
      if (signal.aborted) return;
      const { code } = coded(error, 'sdk_load_failed');
      const isRefusal = code === 'sdk_configure_failed';
      if (isRefusal) this.#hint(this.state, 'refused');
      this.#fail({ code, remedy: isRefusal ? 'renew' : 'draw' });
    }
  }

  /** What the SDK told: a hint for the server, and at most a notice here. */
  #report(kind: HintKind): void {
    const known = knownOf(this.state);
    if (!known) return;
    const { checkout, order } = known;
    this.#hint(this.state, kind);
    if (kind === 'shown') this.send({ type: 'drawn' });
    else if (kind === 'submitted') this.send({ type: 'submitted' });
    else if (kind === 'refused') this.#fail({ code: 'session_refused', remedy: 'renew' });
    else if (kind === 'declined' && this.send({ type: 'declined' })) {
      this.#host.dispatchEvent(new PayDeclinedEvent(checkout, order));
    } else if (kind === 'error' && this.state.phase === 'opening') {
      this.#fail({ code: 'sdk_configure_failed', remedy: 'renew' });
    }
  }

  /** A closed window tells nothing: the server looks, and what it knows comes as news. */
  async #watchWindow(signal: AbortSignal): Promise<void> {
    await this.#window.closed(signal);
    if (signal.aborted) return;
    this.#hint(this.state, 'shown');
    this.send({ type: 'close' });
  }

  #follow(signal: AbortSignal): void {
    const checkout = knownOf(this.state)?.checkout;
    if (!checkout) return;
    const revision = (): number =>
      isChecked(this.state) ? 0 : Math.max(0, knownOf(this.state)?.revision ?? 0);
    this.#feed.follow({ checkout, revision, hear: (news) => this.#learn(checkout, news) }, signal);
  }

  /** Trouble is told only of a checkout never seen here. */
  #learn(checkout: string, { checkouts, code, requestId }: News): void {
    const { merchant, order } = this.#host;
    const status = checkouts.find((one) => one.checkout === checkout);
    const isOurs =
      !status ||
      ((!merchant || status.merchant === merchant) && (!order || status.order === order));
    const isNew = isUnseen(this.state);
    if (status && (isOurs || !isNew)) this.send({ type: 'status', status });
    else if (isNew) {
      const found = isOurs ? 'checkout_not_found' : 'checkout_mismatch';
      this.#fail({ code: code ?? found, requestId, remedy: isOurs ? 'follow' : undefined });
    }
  }

  get #feed(): StatusFeed {
    return statusFeed(this.#host.serverUrl);
  }

  /** A hidden page may be kept for the way back: it then holds and asks nothing, and keeps its form. */
  #rest(isResting: boolean): void {
    this.#isResting = isResting;
    if (!isResting) this.send({ type: 'restored' });
    this.#sync();
  }

  #hear(event: MessageEvent<unknown>): void {
    const { origin } = new URL(this.#host.serverUrl);
    const checkout = knownOf(this.state)?.checkout;
    if (readPageMessage(event, origin, (named) => named === checkout)) this.#feed.look();
  }

  /** A hint about the session that `state` shows; about none, there is nothing to tell. */
  #hint(state: FlowState, kind: HintKind): void {
    const checkout = knownOf(state)?.checkout;
    const sessionId = sessionOf(state)?.sessionId;
    if (!checkout || !sessionId) return;
    this.#lastHint = sendHint(this.#host.serverUrl, checkout, { kind, sessionId });
  }

  #fail(trouble: Trouble): void {
    this.send({ type: 'trouble', trouble });
  }

  #leave(url: string): void {
    if (!this.send({ type: 'leave', url })) return;
    if (this.#host.dispatchEvent(new PayRedirectEvent(url))) location.assign(url);
    else this.send({ type: 'reset' });
  }
}

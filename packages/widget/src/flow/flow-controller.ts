import type { Environment, HintKind, SdkDescription } from '@pay-checkout/session-server/contract';
import type { ReactiveController } from 'lit';
import { PayRedirectEvent } from '../events.js';
import {
  canResume,
  canStart,
  hasOnlyId,
  IDLE,
  isCreating,
  isInProgress,
  sessionOf,
  transition,
  type FlowEvent,
  type FlowState,
} from './checkout-flow.js';
import {
  listenToPage,
  lookForRefund,
  openCheckout,
  pollStatus,
  preload,
  previewOrder,
  showForm,
  startWhenVisible,
  watchWindow,
  type Effect,
  type EffectEvent,
  type FlowContext,
  type FlowHost,
  type Preview,
} from './flow-effects.js';
import { FlowEvents } from './flow-events.js';
import {
  checkoutInAddress,
  isHistoryNavigation,
  leaveFor,
  openWindow,
  removeFromAddress,
} from './page.js';
import { isOutcome } from './phases.js';
import {
  choosePresentation,
  isInForeignFrame,
  isOnHostedPage,
  type Presentation,
} from './presentation.js';
import { sendHint } from './session-api.js';
import { statusPoller, type StatusPoller } from './status-poller.js';

/** Problems that end when the tag changes: an order is not found without its token. */
const TAG_PROBLEMS = [
  'order_token_expired',
  'order_token_missing',
  'order_not_found',
  'tag_incomplete',
  'server_refused',
];

/** An effect, when it should run, and the key that it runs under. */
interface KeyedEffect {
  readonly when: unknown;
  readonly key: string;
  readonly run: Effect;
}

/**
 * Drives one element through the flow: holds the state, runs its effects, sends its events.
 *
 * Which effects run follows from the state alone: `#effects` lists when each runs, and its key. The same
 * key keeps an effect running; another one aborts it and starts a new one, and only the newest may emit.
 * Leaving the document ends what is seen and polled, keeps the state, and lets a request that creates
 * a checkout end: coming back creates nothing twice.
 */
export class FlowController implements ReactiveController, FlowContext {
  state: FlowState = IDLE;
  presentation: Presentation = 'inline';
  preview: Preview | null | undefined;
  pendingHint: Promise<void> | undefined;
  /** Whether the page's address named the checkout, so that none needs to be created. */
  isFollowing = false;
  /** Known from the server's configuration before a checkout exists. */
  environment: Environment | undefined;
  readonly host: FlowHost;
  readonly events: FlowEvents;
  readonly #running = new Map<string, AbortController>();
  /** The window with the form, in mode `popup`. */
  window: Window | null | undefined = undefined;
  /** Whether that window has sent this page a message. */
  #isWindowSeen = false;
  /** Whether this page cannot see its windows: its own policy separates it from them (COOP). */
  #isBlind = false;
  /** The latest description from the server. */
  #sdk: SdkDescription | undefined;
  /** Whether the shopper came back to this page and has not pressed anything since. */
  #isBack = false;
  #isConnected = false;
  #isPageHidden = false;
  #subject: string | undefined;
  #orderToken: string | null | undefined;
  #mountCount = 0;
  /** How often the page came back into view. */
  #showCount = 0;

  constructor(host: FlowHost) {
    this.host = host;
    this.events = new FlowEvents(host);
    host.addController(this);
  }

  /** A page with a `createSession` of its own has no hosted page. */
  get hostedUrl(): string | undefined {
    const { createSession, serverUrl, merchant, order, orderToken, language } = this.host;
    if (createSession || !serverUrl || !merchant || !order || !orderToken) return undefined;
    const path = [merchant, orderToken].map(encodeURIComponent).join('/');
    const query = language ? `?locale=${encodeURIComponent(language)}` : '';
    return `${serverUrl}/v1/pay/${path}${query}`;
  }

  get hasWindow(): boolean {
    return this.presentation === 'popup' && this.window?.closed === false;
  }

  get nextPresentation(): Presentation {
    const { mode, createSession } = this.host;
    const sdk = this.#sdk;
    const wanted = sdk?.navigates && this.#isBack ? 'redirect' : mode;
    // An overlay frames the hosted page for an SDK without a container.
    const isRefused = mode === 'overlay' && sdk && !sdk.container && isInForeignFrame();
    const chosen = choosePresentation(wanted, sdk?.navigates || isRefused);
    if (createSession && chosen !== 'overlay') return 'inline';
    return chosen === 'popup' && this.#isBlind ? 'redirect' : chosen;
  }

  get poller(): StatusPoller {
    return statusPoller(this.host.serverUrl);
  }

  /** Whether the payment starts when the element is seen. A window opens in a click only. */
  get startsWhenVisible(): boolean {
    const { merchant, order, mode, autostart } = this.host;
    return Boolean(merchant && order && autostart && mode !== 'popup' && this.state === IDLE);
  }

  start(isAutomatic = false): void {
    this.#isBack = isAutomatic && Boolean(isHistoryNavigation());
    if (canStart(this.state) && this.#present()) this.send({ type: 'start' });
  }

  /** Brings the form back in which a card was submitted. */
  resume(): void {
    if (canResume(this.state) && this.#present()) this.send({ type: 'resume' });
  }

  close(): void {
    // A submitted card cannot be cancelled: the server finds out its outcome.
    this.#hint(this.state.isSubmitted ? 'shown' : 'cancelled');
    if (this.send({ type: 'close' })) this.window?.close();
  }

  focusWindow(): void {
    this.window?.focus();
  }

  /** Mounts the form again, in the same session. */
  remountForm(): void {
    this.#mountCount += 1;
    this.#runEffects();
  }

  /** Whether the state allowed `event`. */
  send(event: FlowEvent): boolean {
    const previous = this.state;
    const state = transition(previous, event);
    if (state === previous) return false;
    // Without prototypes, so that nothing that a script added to Object.prototype is part of the state.
    for (const part of [state, ...Object.values<unknown>(state)]) {
      if (Object(part) === part) Object.setPrototypeOf(part, null);
    }
    this.state = state;
    this.host.requestUpdate();
    if (isOutcome(state.phase)) removeFromAddress(this.#parameter, state.known?.checkout);
    this.events.publish(previous, state, this.presentation);
    this.#runEffects();
    if (event.type === 'retry') this.poller.poll();
    return true;
  }

  hostConnected(): void {
    this.#isConnected = true;
    this.events.connect();
    this.host.requestUpdate();
  }

  hostDisconnected(): void {
    this.#isConnected = false;
    this.#runEffects();
  }

  /** Lit calls it where there is one, be it one in Object.prototype. */
  hostUpdated(): void {
    // Nothing is left to do.
  }

  hostUpdate(): void {
    if (!this.#isConnected) return;
    this.#readTag();
    this.#runEffects();
  }

  get #parameter(): string {
    return this.host.returnParam || 'checkout';
  }

  /**
   * Chooses the presentation and opens its window, or leaves the page: then it is false. A shopper who
   * came Back is not sent away again.
   */
  #present(): boolean {
    const { hostedUrl, host } = this;
    this.presentation = this.nextPresentation;
    if (this.presentation === 'popup' && hostedUrl) {
      this.#isWindowSeen = false;
      this.window = openWindow(hostedUrl, `${host.merchant} ${host.order}`, this.window?.closed);
      if (!this.window) this.presentation = 'redirect';
    }
    if (!hostedUrl || this.presentation !== 'redirect' || this.#isBack) return true;
    if (this.send({ type: 'redirect', url: hostedUrl })) {
      if (!host.dispatchEvent(new PayRedirectEvent(hostedUrl))) this.send({ type: 'reset' });
      // The top page is left in a press only: the shopper is offered a link.
      else if (!isInForeignFrame()) leaveFor(hostedUrl);
    }
    return false;
  }

  /** Sends a hint about the session that is shown, if any. */
  #hint(kind: HintKind): void {
    const { known } = this.state;
    const session = sessionOf(this.state);
    if (!known || !session) return;
    const hint = { kind, sessionId: session.sessionId };
    const { serverUrl } = this.host;
    const sent = sendHint(serverUrl, known.checkout, hint, this.pendingHint).then(() => {
      if (this.pendingHint === sent) this.pendingHint = undefined;
    });
    this.pendingHint = sent;
  }

  /**
   * Takes up the order that the tag names, or the checkout that the page's address names. A payment in
   * progress continues with another order, and a problem of the tag ends when the tag changes; neither
   * leaves the page, because the shopper has not just pressed anything.
   */
  #readTag(): void {
    const { serverUrl, merchant, order, orderToken } = this.host;
    const { state } = this;
    const subject = `${serverUrl} ${merchant} ${order}`;
    const isOtherOrder = subject !== this.#subject;
    const isChanged = isOtherOrder || orderToken !== this.#orderToken;
    const hasTagProblem = state.phase === 'problem' && TAG_PROBLEMS.includes(state.error.code);
    const continues = hasTagProblem ? isChanged : isOtherOrder && isInProgress(state);
    this.#orderToken = orderToken;
    if (isOtherOrder) {
      if (this.#subject) {
        this.window?.close();
        this.window = undefined;
        this.send({ type: 'order-changed' });
      }
      this.#subject = subject;
      this.preview = undefined;
      const checkout = checkoutInAddress(this.#parameter);
      this.isFollowing = Boolean(checkout);
      if (checkout) this.send({ type: 'follow', checkout, order: order ?? null });
    }
    if (!continues) return;
    // The window's address has the old token.
    if (this.hasWindow && this.hostedUrl) this.window?.location.replace(this.hostedUrl);
    const isUnstarted = state.phase === 'problem' && state.isUnstarted;
    this.send({ type: isUnstarted ? 'reset' : 'start' });
  }

  #receive(event: EffectEvent): void {
    switch (event.type) {
      case 'config-loaded':
        this.environment = event.config.environment;
        this.#sdk = event.config.sdk;
        this.host.requestUpdate();
        break;
      case 'previewed':
        this.preview = event.preview;
        this.host.requestUpdate();
        this.#receiveKnown(event.preview);
        break;
      case 'unfollow':
        this.isFollowing = false;
        this.send({ type: 'reset' });
        break;
      case 'window-seen':
        this.#isWindowSeen = true;
        break;
      case 'window-closed':
        this.#isBlind = Boolean(this.window) && !this.#isWindowSeen;
        this.send({ type: 'close' });
        break;
      case 'page-shown':
        this.#showCount += 1;
        this.#runEffects();
        break;
      case 'sdk-loaded':
        this.events.measure('loader');
        break;
      case 'became-visible':
        this.start(true);
        break;
      case 'checkout-created':
        this.#receiveCheckout(event);
        break;
      case 'hint':
        this.#hint(event.kind);
        break;
      case 'page-hidden':
        // The browser may keep the page for the way back: it keeps its form and polls nothing.
        this.#isPageHidden = true;
        this.#isBack = false;
        this.#runEffects();
        break;
      case 'page-restored':
        this.#isPageHidden = false;
        this.#showCount += 1;
        this.#isBack = true;
        this.send({ type: 'restored' });
        this.#runEffects();
        break;
      default:
        this.send(event);
    }
  }

  #receiveKnown(preview: Preview | null): void {
    if (!preview) return;
    const { checkout, state, revision, submitted, shop: _, ...facts } = preview;
    if (!checkout || !state || revision === undefined) return;
    const { order = null } = this.host;
    this.send({ type: 'known', state, known: { ...facts, checkout, revision, submitted, order } });
  }

  #receiveCheckout({ reply, order }: EffectEvent & { type: 'checkout-created' }): void {
    this.events.measure('session');
    this.#sdk = reply.sdk;
    // The shopper's press may still open a window, if the SDK turns out to need one.
    const mayNavigate = !isOnHostedPage(this.presentation) && this.hostedUrl && reply.sessionId;
    if (mayNavigate && !this.#present()) return;
    const isSentBack = this.#isBack && reply.sdk?.navigates;
    const presentation = isSentBack ? 'redirect' : this.presentation;
    this.send({ type: 'created', reply, order, presentation });
  }

  get #effects(): readonly KeyedEffect[] {
    const { state } = this;
    const { merchant, order, orderToken, serverUrl, mode, createSession } = this.host;
    const isActive = this.#isConnected && !this.#isPageHidden;
    const checkout = state.known?.checkout;
    const session = sessionOf(state);
    const inWindow = state.phase === 'ready' && state.inWindow;
    const isRejected =
      state.phase === 'problem' && hasOnlyId(state) && /^checkout_/.test(state.error.code);
    const canChange = checkout && !isRejected && !isCreating(state) && state.phase !== 'paid';
    const hasTag = isActive && serverUrl && merchant && order;
    // A checkout that the page's address named says nothing of the order: it may be void by now.
    const canPreview = hasTag && (orderToken || !this.isFollowing) && !createSession;
    const hasButton = state.phase === 'idle' && !state.known?.amount && !this.startsWhenVisible;
    return [
      { when: this.#isConnected, key: 'listen', run: listenToPage },
      {
        when: hasTag && !this.isFollowing,
        key: `preload ${serverUrl} ${merchant} ${mode}`,
        run: preload,
      },
      {
        when: canPreview && hasButton,
        key: `preview ${this.#subject} ${orderToken} ${this.#showCount}`,
        run: previewOrder,
      },
      { when: isActive && this.startsWhenVisible, key: 'visible', run: startWhenVisible },
      {
        when: !this.#isPageHidden && isCreating(state),
        key: `open ${orderToken}`,
        run: openCheckout,
      },
      {
        when: this.#isConnected && session && !inWindow,
        key: `form ${session?.sessionId} ${this.#mountCount}`,
        run: showForm,
      },
      { when: isActive && inWindow, key: 'window', run: watchWindow },
      { when: isActive && canChange, key: `poll ${checkout}`, run: pollStatus },
      {
        when: isActive && state.phase === 'paid' && this.#showCount > 0,
        key: `refund ${this.#showCount}`,
        run: lookForRefund,
      },
    ];
  }

  #runEffects(): void {
    const { state } = this;
    const wanted = this.#effects.filter(({ when }) => when);
    for (const [key, abort] of this.#running) {
      if (wanted.some((effect) => effect.key === key)) continue;
      this.#running.delete(key);
      abort.abort();
    }
    for (const { key, run } of wanted) {
      // An effect that emitted at once has run the effects of the next state already.
      if (this.state !== state) return;
      if (this.#running.has(key)) continue;
      const abort = new AbortController();
      const { signal } = abort;
      this.#running.set(key, abort);
      const emit = (event: EffectEvent): void => {
        if (!signal.aborted) this.#receive(event);
      };
      run(this, emit, signal);
    }
  }
}

import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import {
  isAtWork,
  isChecked,
  isUnseen,
  type FlowState,
  type KnownCheckout,
} from '../flow/checkout-flow.js';
import { FlowController } from '../flow/flow-controller.js';
import type { FlowHost } from '../flow/flow-host.js';
import type { Mode } from '../flow/modes.js';
import { BUTTONS, type ButtonName, type Phase } from '../flow/phases.js';
import type { CreateSession } from '../flow/session-api.js';
import type { Settlement } from '../flow/settlement.js';
import { en } from '../labels/en.js';
import { scriptOrigin } from '../script-origin.js';
import type { SdkAdapter } from '../sdk/sdk-adapter.js';
import { readAddress, renderAddress } from './address-form.js';
import { formatMoney } from './money.js';
import { styles } from './pay-checkout.styles.js';

/** `auto` follows the page's `color-scheme`. */
export type Theme = 'auto' | 'light' | 'dark';

type Drawn = TemplateResult | typeof nothing;
/** What is known of the payment, whoever said it. */
type Facts = Partial<Pick<KnownCheckout, 'amount' | 'currency' | 'amountText' | 'environment'>>;

const REFLECTED = { reflect: true };

/** Paths of the icons, in a square of 24. */
const ICONS: Readonly<Partial<Record<Phase, string>>> = {
  address: 'M4 11l8-6 8 6M7 10v9h10v-9',
  paid: 'M5 12.5l5 5L19 7.5',
  failed: 'M7 7l10 10M17 7L7 17',
  cancelled: 'M6 12h12',
  left: 'M6 12h12',
  expired: 'M12 6v6l4 3',
  unconfirmed: 'M12 5v8m0 3v3',
  problem: 'M12 5v8m0 3v3',
};

/** What the focus moves to, the first of them that is there. */
const FOCUS_GOALS = ['[aria-invalid=true]', 'input', '.message', '.button'];

/**
 * Takes the payment of one order: opens the checkout, shows the provider's form, says what is known.
 *
 * `pay-paid` is for the eyes. Ship on the signed event that your back end receives.
 *
 * @tag pay-checkout
 * @slot form - The provider's form. The element fills it; leave it alone.
 * @slot pay - Words of the pay button, instead of “Pay”.
 *
 * @fires pay-statechange - One phase follows another: `phase`, `previous`, `mode`.
 * @fires pay-ready - The form can be used.
 * @fires pay-paid - The payment is certain. Once for a checkout.
 * @fires pay-declined - A card was declined; the form stays for another.
 * @fires pay-failed - The payment did not go through; certain.
 * @fires pay-unconfirmed - No evidence in time; it may still come.
 * @fires pay-cancel - The shopper cancelled.
 * @fires pay-back - The shopper went back.
 * @fires pay-expired - The checkout was open for too long.
 * @fires pay-error - Technical trouble: `code`, `retryable`, `requestId`.
 * @fires pay-metric - How long something took: `name`, `startTime`, `duration`.
 * @fires pay-redirect - The page is about to be left for `url`; cancelable.
 *
 * @csspart card - The whole.
 * @csspart header - The line with amount and badge.
 * @csspart amount - The amount.
 * @csspart badge - The mark of a test environment.
 * @csspart message - What the element says.
 * @csspart notice - A problem, or a decline.
 * @csspart overlay - The native dialog of mode `overlay`.
 * @csspart close - The button that closes it.
 * @csspart field - A label with its input, when the address is asked for.
 * @csspart input - The input.
 * @csspart button - The button or link.
 * @csspart reference - Order and checkout, for a shopper to quote.
 *
 * @cssproperty --pay-checkout-accent - Button, focus ring, spinner.
 * @cssproperty --pay-checkout-on-accent - Words on the button.
 * @cssproperty --pay-checkout-surface - Background of the card.
 * @cssproperty --pay-checkout-text - Words.
 * @cssproperty --pay-checkout-muted - Lesser words.
 * @cssproperty --pay-checkout-border - Line around the card.
 * @cssproperty --pay-checkout-good - Colour of a payment received.
 * @cssproperty --pay-checkout-bad - Colour of failure and problems.
 * @cssproperty --pay-checkout-radius - Corners. Default 12px.
 * @cssproperty --pay-checkout-gap - Space between the parts. Default 16px.
 *
 * @cssstate idle - And one for each other phase of `docs/states.md`.
 */
export class PayCheckout extends LitElement implements FlowHost {
  static override styles = styles;

  static override properties = {
    merchant: REFLECTED,
    order: REFLECTED,
    // Not reflected: recorders of pages keep attributes.
    orderToken: { attribute: 'order-token' },
    server: REFLECTED,
    mode: REFLECTED,
    autostart: { type: Boolean, reflect: true },
    locale: REFLECTED,
    theme: REFLECTED,
    returnParam: { attribute: 'return-param', reflect: true },
    createSession: { attribute: false },
    adapter: { attribute: false },
  };

  /** The merchant's id at the session server. */
  declare merchant: string | null | undefined;
  /** The shop's own name of the order. */
  declare order: string | null | undefined;
  /** The shop's signed word that this page may pay the order. */
  declare orderToken: string | null | undefined;
  /** Address of the session server. Default: the origin that this script came from. */
  declare server: string | null | undefined;
  /** Where the payment happens. Default `auto`: here, unless the SDK leaves the page. */
  declare mode: Mode | null | undefined;
  /** Opens when first visible, without a pay button. */
  autostart = false;
  /** BCP 47 tag. Default: the closest `lang`. */
  declare locale: string | null | undefined;
  /** Default `auto`. */
  declare theme: Theme | null | undefined;
  /** Name of the parameter of the page's address that names a checkout to follow. Default `checkout`. */
  declare returnParam: string | null | undefined;
  /** Opens the checkout instead of the session server's route; its answer has the same shape. */
  declare createSession: CreateSession | undefined;
  /** Another client SDK than the server describes. */
  declare adapter: SdkAdapter | undefined;

  readonly #flow = new FlowController(this);
  readonly #internals = this.attachInternals();
  readonly #submit = (event: SubmitEvent): void => {
    event.preventDefault();
    this.#flow.send({ type: 'given', given: readAddress(event.target as HTMLFormElement) });
  };
  /** The close button, or Escape: what belongs to it is done here, and not by the browser. */
  readonly #cancel = (event: Event): void => {
    event.preventDefault();
    this.close();
  };
  #wasPressed: boolean | undefined;
  #shownPhase: Phase | undefined;
  #movesFocus: boolean | undefined;

  /** What becomes of the payment: the latest outcome, or the next one. Never rejects. */
  get whenSettled(): Promise<Settlement> {
    return this.#flow.teller.whenSettled;
  }

  /** Opens the checkout, or leaves for the payment page. Does nothing while a payment is under way. */
  start(): void {
    this.#flow.start();
  }

  /** Repeats what failed, or asks the server again. */
  retry(): void {
    this.#flow.send({ type: 'retry' });
  }

  /** Takes the form down and tells the server that the shopper cancelled, unless a card was sent. */
  close(): void {
    this.#flow.close();
  }

  /** Forgets the checkout, without a word to the server. */
  reset(): void {
    this.#flow.send({ type: 'reset' });
  }

  get serverUrl(): string {
    const given = this.server || scriptOrigin();
    try {
      return new URL(given, this.baseURI).href.replace(/\/+$/, '');
    } catch {
      // What is no address is found to be unreachable.
      return given;
    }
  }

  get language(): string | undefined {
    // What lies in a shadow root cannot see further up than that.
    const closest = this.closest<HTMLElement>('[lang]') ?? document.documentElement;
    return this.locale || closest.lang || undefined;
  }

  get formLabel(): string {
    return en.form;
  }

  /** Moving the element with `moveBefore()` leaves the provider's form as it is. */
  connectedMoveCallback(): void {
    this.requestUpdate();
  }

  /** What is asked for goes first, and is a task of its own. */
  protected override async scheduleUpdate(): Promise<void> {
    if (!this.hasUpdated) await this.#flow.prepared();
    this.performUpdate();
  }

  protected override firstUpdated(): void {
    // Left by whoever copied an element with its form.
    for (const child of [...this.children]) if (child.slot === 'form') child.remove();
    this.renderRoot.addEventListener('slotchange', this.#flow.redraw);
    this.#flow.teller.measure('paint');
  }

  /** After the flow has read the tag, and before anything is drawn. */
  protected override update(changed: PropertyValues<this>): void {
    const { phase } = this.#flow.state;
    const isOther = phase !== this.#shownPhase;
    // What is said within a phase has to be spoken: no focus goes there.
    this.#movesFocus = isOther && this.#wasPressed && this.#hasFocusOrNobody();
    if (isOther) {
      try {
        this.#internals.states.clear();
        this.#internals.states.add(phase);
      } catch {
        // An older browser has no such states; a shopper can pay in it all the same.
      }
    }
    super.update(changed);
  }

  protected override updated(): void {
    const { phase } = this.#flow.state;
    const dialog = this.renderRoot.querySelector('dialog');
    if (dialog && dialog.matches(':modal') !== this.#isModal) {
      dialog.close();
      if (this.#isModal && this.isConnected) dialog.showModal();
    }
    if (phase === this.#shownPhase) return;
    this.#shownPhase = phase;
    if (!this.#movesFocus) return;
    const form = this.querySelector<HTMLElement>(':scope > [slot="form"]');
    if (phase === 'ready' && form) {
      // Not `:focus-within`: it does not see the focus in a frame of another site.
      const { activeElement } = this.getRootNode() as Document | ShadowRoot;
      // A tall form in an overlay would hide the amount and the way out above it.
      if (!form.contains(activeElement)) form.focus({ preventScroll: this.#isModal });
    } else {
      const find = (selector: string) => this.renderRoot.querySelector<HTMLElement>(selector);
      FOCUS_GOALS.map(find).find(Boolean)?.focus();
    }
  }

  protected override render(): TemplateResult {
    const { state } = this.#flow;
    const live = this.#movesFocus && 'off';
    const facts: Facts = (state.phase === 'address' ? state.address.asked : state.known) ?? {};
    const isTest = (facts.environment ?? this.#flow.environment) === 'sandbox';
    const badge = isTest ? html`<small class="badge" part="badge">${en.test}</small>` : nothing;
    const header = this.#header(state, facts, badge);
    return html`<dialog part="overlay" aria-label=${en.card} .oncancel=${this.#cancel}>
      <section part="card" lang=${en.locale} aria-label=${en.card}>
        ${header}
        <div role="status" aria-live=${live || 'polite'}>${this.#message(state)}</div>
        <div role="alert" aria-live=${live || 'assertive'}>${this.#notice(state)}</div>
        <slot name="form"></slot>
        ${state.phase === 'address' ? renderAddress(state.address, this.#submit) : nothing}
        ${this.#button(state)} ${header === nothing ? badge : nothing} ${this.#reference(state)}
        ${this.#isModal ? this.#closer() : nothing}
      </section>
    </dialog>`;
  }

  #closer(): TemplateResult {
    return html`<button class="close" part="close" aria-label=${en.close} .onclick=${this.#cancel}>
      ✕
    </button>`;
  }

  /** The line with the amount. While it opens, the message stands there: nothing below it moves. */
  #header({ phase }: FlowState, facts: Facts, badge: Drawn): Drawn {
    const { amount, currency, amountText } = facts;
    if (!amount || !currency || phase === 'opening') return nothing;
    // What the server wrote is of the language that the tag had then.
    const written = amountText && this.language === this.#flow.askedLanguage && amountText;
    return html`<header part="header">
      <span
        ><small>${en.amount}</small>
        <strong part="amount"
          >${written || formatMoney(amount, currency, this.language)}</strong
        ></span
      >
      ${badge}
    </header>`;
  }

  /** Whether the shopper is at work in a window, from the moment that it opens. */
  get #inWindow(): boolean {
    const { state, hasWindow } = this.#flow;
    return isAtWork(state) && hasWindow;
  }

  /** Whether it lies above the page. */
  get #isModal(): boolean {
    const { state, way } = this.#flow;
    return way === 'overlay' && isAtWork(state);
  }

  #message(state: FlowState): Drawn {
    const isChecking = isChecked(state) || (state.phase === 'confirming' && isUnseen(state));
    const words = isChecking ? en.checking : this.#inWindow ? en.inWindow : en.phases[state.phase];
    return words ? say('message', words, isChecking ? 'opening' : state.phase) : nothing;
  }

  #notice(state: FlowState): Drawn {
    if (state.phase === 'ready' && state.declines) {
      const words = say('notice', en.declined, 'problem');
      // The next decline is another element, so that it is spoken too.
      return state.declines % 2 ? words : html`${words}`;
    }
    if (state.phase !== 'problem') return nothing;
    const { code, requestId } = state.trouble;
    const quote = [code, requestId].filter(Boolean).join(' · ');
    return say('notice', html`${wordsOf(code)}<small>${quote}</small>`, 'problem');
  }

  #button(state: FlowState): Drawn {
    const name = this.#offers(state);
    if (!name) return nothing;
    const words = en.buttons[name];
    if (state.phase === 'redirecting') {
      return html`<a class="button" part="button" href=${state.url}>${words}</a>`;
    }
    return html`<button
      form="address"
      class="button"
      part="button"
      aria-disabled=${isChecked(state)}
      .onclick=${() => this.#press(name)}
    >
      ${name === 'pay' ? html`<slot name="pay">${words}</slot>` : words}
    </button>`;
  }

  /** What a shopper can quote; of a problem before anything is known, the order that the tag names. */
  #reference(state: FlowState): Drawn {
    const { phase } = state;
    const { order = this.order, checkout = '' } = state.known ?? {};
    const words = [order, checkout.slice(0, 8)].filter(Boolean).join(' · ');
    if (!words || phase === 'idle' || phase === 'opening' || phase === 'redirecting')
      return nothing;
    return html`<small class="reference" part="reference">${en.reference}: ${words}</small>`;
  }

  /** The button of the phase, when it can do something here. */
  #offers(state: FlowState): ButtonName | undefined {
    const button = BUTTONS[state.phase];
    if (this.#inWindow) return 'continue';
    if (state.phase === 'problem' && !state.trouble.remedy) return undefined;
    const mayOpen = this.orderToken || this.createSession || !this.#flow.isFollowing;
    if (button === 'pay' && !(this.merchant && this.order && mayOpen)) return undefined;
    return button;
  }

  #press(name: ButtonName): void {
    this.#wasPressed = true;
    if (name === 'pay') this.start();
    else if (name === 'continue') this.#flow.window?.focus();
    else if (name !== 'next') this.retry();
  }

  /** Whether moving the focus would take it from nothing else on the page. */
  #hasFocusOrNobody(): boolean {
    const { activeElement } = this.getRootNode() as Document | ShadowRoot;
    return !activeElement || activeElement === document.body || this.contains(activeElement);
  }
}

function wordsOf(code: string): string {
  return en.codes[code] ?? (/^sdk_|^session_refused/.test(code) ? en.sdkProblem : en.problem);
}

/** Words with the icon of a phase, or with a spinner. */
function say(part: string, words: string | TemplateResult, phase: Phase): TemplateResult {
  const path = ICONS[phase];
  return html`<div class="message" part=${part} tabindex="-1">
    ${
      path
        ? html`<svg class=${`icon ${phase}`} viewBox="0 0 24 24" aria-hidden="true">
            <path d=${path}></path>
          </svg>`
        : html`<span class="spinner"></span>`
    }<span>${words}</span>
  </div>`;
}

if (!customElements.get('pay-checkout')) customElements.define('pay-checkout', PayCheckout);

declare global {
  interface HTMLElementTagNameMap {
    'pay-checkout': PayCheckout;
  }
}

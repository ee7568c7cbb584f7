import type { CreateCheckoutReply } from '@pay-checkout/session-server/contract';
import {
  html,
  LitElement,
  nothing,
  type PropertyValues,
  type RenderOptions,
  type TemplateResult,
} from 'lit';
import { attempt } from '../attempt.js';
import {
  canResume,
  hasOnlyId,
  isInProgress,
  isRechecking,
  type FlowState,
} from '../flow/checkout-flow.js';
import { FlowController } from '../flow/flow-controller.js';
import type { FlowHost } from '../flow/flow-effects.js';
import type { Settlement } from '../flow/flow-events.js';
import { BUTTONS, isOutcome, type ButtonName, type Phase } from '../flow/phases.js';
import type { Mode } from '../flow/presentation.js';
import type { CreateSession } from '../flow/session-api.js';
import { en, type Labels } from '../labels/en.js';
import { labelsIn, mergeLabels, type LabelChanges } from '../labels/load-labels.js';
import { serverOrigin } from '../server-origin.js';
import type { SdkAdapter } from '../sdk/sdk-adapter.js';
import { readAddress, renderAddress } from './address-form.js';
import { styles } from './pay-checkout.styles.js';

/** `auto` follows the page's `color-scheme`. */
export type Theme = 'auto' | 'light' | 'dark';

type Rendered = TemplateResult | typeof nothing;
type Price = Partial<
  Pick<CreateCheckoutReply, 'amount' | 'currency' | 'environment' | 'lineItems'>
>;

/** Paths of the icons, in a square of 24. */
const ICONS: Readonly<Partial<Record<Phase, string>>> = {
  paid: 'M5 12.5l5 5L19 7.5',
  failed: 'M7 7l10 10M17 7L7 17',
};
/** The icon of the other phases. */
const MARK = 'M12 5v8m0 3v3';

/** Phases with a spinner. */
const BUSY: readonly Phase[] = ['opening', 'ready', 'redirecting', 'confirming'];

/** Problems whose own text says what is known of the money. */
const SAYING_MORE = ['order_already_paid', 'opening_timeout'];

/** What is not known yet. */
const BLANK = html`<span class="blank"></span>`;

/** The focus moves to the first of them that is rendered. */
const FOCUS_TARGETS = ['[aria-invalid=true]', 'input', '.message', '[part=button]'];

/**
 * Takes the payment of one order: creates the checkout, shows the provider's form, shows the outcome.
 *
 * Use `pay-paid` for display only. Ship on the signed event that your back end receives.
 *
 * @tag pay-checkout
 * @slot form - The provider's form. The element fills it; leave it alone.
 * @slot pay - Label of the pay button, instead of “Pay”.
 * @slot logo - The shop's logo, before its name.
 * @slot name - The shop's name, instead of the one that the server knows.
 *
 * @fires {PayStateChangeEvent} pay-statechange - One phase follows another: `phase`, `previous`, `mode`.
 * @fires {CheckoutEvent} pay-ready - The form can be used.
 * @fires {CheckoutEvent} pay-paid - The payment is certain. Once per checkout.
 * @fires {CheckoutEvent} pay-declined - A card was declined; the form stays for another.
 * @fires {CheckoutEvent} pay-failed - The payment did not go through; certain.
 * @fires {CheckoutEvent} pay-unconfirmed - No evidence in time; it may still arrive.
 * @fires {CheckoutEvent} pay-cancel - The shopper cancelled.
 * @fires {CheckoutEvent} pay-back - The shopper went back.
 * @fires {CheckoutEvent} pay-expired - The checkout has expired.
 * @fires {PayErrorEvent} pay-error - A technical error: `code`, `retryable`, `requestId`, `detail`, `cause`.
 * @fires {PayMetricEvent} pay-metric - How long something took: `name`, `startTime`, `duration`.
 * @fires {PayRedirectEvent} pay-redirect - The page is about to be left for `url`; cancelable.
 *
 * @csspart card - The whole element.
 * @csspart header - The line with logo, shop, amount and badge.
 * @csspart name - The shop's name.
 * @csspart amount - The amount.
 * @csspart items - The lines of the order, below the amount.
 * @csspart badge - The label of a test environment.
 * @csspart message - The status.
 * @csspart notice - A problem, or a decline.
 * @csspart icon - The icon of a status or problem.
 * @csspart spinner - The sign that something is going on, in the place of an icon.
 * @csspart code - Code and request of a problem.
 * @csspart overlay - The native dialog of mode `overlay`.
 * @csspart close - The button that closes the overlay.
 * @csspart field - A label with its input, when an address is required.
 * @csspart input - The input of a field.
 * @csspart error - What is wrong with a field.
 * @csspart button - The button or link.
 * @csspart secondary - The button that cancels, below another one.
 * @csspart reference - Order and checkout, for a shopper to quote.
 *
 * @cssproperty --pay-checkout-accent - Button, focus ring, spinner.
 * @cssproperty --pay-checkout-on-accent - Text on the button.
 * @cssproperty --pay-checkout-surface - Background of the card.
 * @cssproperty --pay-checkout-text - Text.
 * @cssproperty --pay-checkout-muted - Secondary text, borders of fields.
 * @cssproperty --pay-checkout-border - Line around the card, placeholders.
 * @cssproperty --pay-checkout-good - Colour of a payment received.
 * @cssproperty --pay-checkout-bad - Colour of failure and problems.
 * @cssproperty --pay-checkout-test - Colour of the badge.
 * @cssproperty --pay-checkout-font - Font family. Default: that of the page.
 * @cssproperty --pay-checkout-radius - Corners of the card; those of buttons and fields follow. Default 12px.
 * @cssproperty --pay-checkout-max-width - Largest width of the element. Default 560px.
 * @cssproperty --pay-checkout-gap - Space between the parts. Default 16px.
 * @cssproperty --pay-checkout-control-height - Height of buttons and fields. Default 48px.
 *
 * @cssstate idle - Before the checkout is created.
 * @cssstate opening - The checkout is being created.
 * @cssstate address - The shopper's address is required.
 * @cssstate ready - The form can be used.
 * @cssstate redirecting - The page is about to be left.
 * @cssstate confirming - No evidence of the payment yet.
 * @cssstate paid - The payment is certain.
 * @cssstate failed - The payment did not go through; certain.
 * @cssstate cancelled - The shopper cancelled.
 * @cssstate left - The shopper went back.
 * @cssstate expired - The checkout has expired.
 * @cssstate unconfirmed - No evidence in time; it may still arrive.
 * @cssstate problem - A technical error.
 * @cssstate declined - In `ready`: the last card was declined.
 * @cssstate submitted - In `ready`: a card was submitted.
 * @cssstate checking - In `confirming` or `unconfirmed`: the server has not answered yet.
 * @cssstate refunded - The payment was refunded in full.
 * @cssstate notFound - In `idle`: a submitted card turned out to have paid nothing.
 * @cssstate renewed - In `ready`: the form replaces one that had expired.
 */
export class PayCheckout extends LitElement implements FlowHost {
  static override styles = styles;

  // Options without a prototype, here and below: nothing that a script added to Object.prototype is one.
  static override shadowRootOptions = { __proto__: null, mode: 'open' } as ShadowRootInit;
  /** @internal */
  override readonly renderOptions = { __proto__: null, host: this } as RenderOptions;

  static override properties = {
    // None is reflected: session recorders store attributes, and a page that morphs its HTML takes away those
    // that its server did not write.
    merchant: {},
    order: {},
    orderToken: { attribute: 'order-token' },
    server: { attribute: false },
    serverAttribute: { attribute: 'server' },
    mode: {},
    autostart: { type: Boolean },
    locale: {},
    theme: {},
    returnParam: { attribute: 'return-param' },
    createSession: { attribute: false },
    adapter: { attribute: false },
    labels: { attribute: false },
    isFormEmpty: { state: true },
  };

  static {
    for (const options of Object.values(this.properties)) Object.setPrototypeOf(options, null);
  }

  /** The merchant's id at the session server. */
  declare merchant: string | null | undefined;
  /** The shop's own id of the order. */
  declare order: string | null | undefined;
  /** The shop's signed permission for this page to pay the order. */
  declare orderToken: string | null | undefined;
  /** Origin of the session server. Default: that of `configure()`, or the one that this script came from. */
  declare server: string | null | undefined;
  /** The attribute `server`: chooses one of the servers that code named. */
  declare serverAttribute: string | null | undefined;
  /** Where the payment happens. Default `auto`: here, unless the SDK navigates. */
  declare mode: Mode | null | undefined;
  /** Opens when first visible, without a pay button. */
  autostart = false;
  /** BCP 47 tag. Default: the closest `lang`. */
  declare locale: string | null | undefined;
  /** Default `auto`. */
  declare theme: Theme | null | undefined;
  /** Name of the query parameter that names a checkout to follow. Default `checkout`. */
  declare returnParam: string | null | undefined;
  /** Creates the checkout instead of the session server's route; its reply has the same shape. */
  declare createSession: CreateSession | undefined;
  /** Replaces the client SDK that the server describes. */
  declare adapter: SdkAdapter | undefined;
  /** Replaces texts: plain text, any of them. Default: those of the language. */
  declare labels: LabelChanges | null | undefined;

  /** @internal */
  declare isFormEmpty: boolean | undefined;

  readonly #flow = new FlowController(this);
  readonly #internals = attempt(() => this.attachInternals());
  readonly #submit = (event: SubmitEvent): void => {
    event.preventDefault();
    this.#flow.send({
      type: 'address-entered',
      ...readAddress(event.target as HTMLFormElement),
    });
    void this.updateComplete.then(() => this.#find('[aria-invalid=true]')?.focus());
  };
  /** The close button or Escape. The element closes the dialog, not the browser. */
  readonly #cancel = (event: Event): void => {
    event.preventDefault();
    this.close();
  };
  readonly #languages = attempt(
    () =>
      new MutationObserver(() => {
        this.requestUpdate();
      }),
  );
  readonly #find = (selector: string): HTMLElement | null =>
    this.renderRoot.querySelector(selector);
  /** As custom states. Not in `update()`: what waits there for words would retain the tag. */
  readonly #showState = (): void => {
    const { state } = this.#flow;
    const { states } = this.#internals as ElementInternals;
    states.clear();
    const detail = detailOf(state);
    states.add(state.phase);
    if (detail) states.add(detail);
  };
  /** The texts of the language, and what `labels` makes of them. */
  #ofLanguage = en;
  #labels = en;
  #isReworded = false;
  #wasPressed: boolean | undefined;
  #shownPhase: Phase | undefined;

  /** The outcome of the payment: the latest, or the next one. Never rejects. */
  get whenSettled(): Promise<Settlement> {
    return this.#flow.events.whenSettled;
  }

  /** Creates the checkout, or leaves for the payment page. Does nothing while a payment is in progress. */
  start(): void {
    this.#flow.start();
  }

  /** Repeats what failed, or polls the server again. */
  retry(): void {
    this.#flow.send({ type: 'retry' });
  }

  /** Removes the form and reports a cancel to the server, unless a card was submitted. */
  close(): void {
    this.#flow.close();
  }

  /** Forgets the checkout without reporting anything to the server. */
  reset(): void {
    this.#flow.send({ type: 'reset' });
  }

  get serverUrl(): string {
    return serverOrigin(this.server, this.serverAttribute);
  }

  get language(): string | undefined {
    // `closest()` ends at a shadow root. An SVG has the attribute without the property.
    const closest = this.closest('[lang]') ?? document.documentElement;
    const locale = this.locale || closest.getAttribute('lang');
    return locale?.replaceAll('_', '-') || undefined;
  }

  get formLabel(): string {
    return this.#labels.form;
  }

  /**
   * Without the form: what morphs or hydrates a page would remove a child that its server did not write.
   *
   * @internal
   */
  override get firstChild(): ChildNode | null {
    const first = super.firstChild;
    return (first as Partial<Element> | null)?.slot === 'form'
      ? (first?.nextSibling ?? null)
      : first;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const changes = { subtree: true, attributeFilter: ['lang'] };
    for (const root of [this.ownerDocument, this.getRootNode()]) {
      attempt(() => this.#languages?.observe(root, changes));
    }
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    attempt(() => this.#languages?.disconnect());
  }

  // Moving the element with `moveBefore()` leaves the provider's form as it is.
  connectedMoveCallback(): void {
    this.requestUpdate();
  }

  protected override firstUpdated(): void {
    // The form of an element that a script cloned.
    for (const child of [...this.children]) if (child.slot === 'form') child.remove();
    this.renderRoot.addEventListener('slotchange', ({ target }) => {
      const slot = target as HTMLSlotElement;
      // A framework removed the form with the tag's children.
      if (slot.name === 'form' && !slot.assignedElements().length) this.#flow.remountForm();
    });
    this.#flow.events.measure('paint');
  }

  /** Runs after the flow has read the tag. */
  protected override update(changed: PropertyValues<this>): void {
    attempt(this.#showState);
    const { serverUrl, language = '', labels } = this;
    // The request is shared: while it is pending it must not retain a tag that was removed.
    const tag = new WeakRef(this);
    const ofLanguage = labelsIn(serverUrl, language, () => tag.deref()?.requestUpdate());
    this.#isReworded = ofLanguage !== this.#ofLanguage || changed.has('labels');
    if (this.#isReworded) {
      this.#ofLanguage = ofLanguage;
      this.#labels = mergeLabels(ofLanguage, labels);
      if (this.#form) this.#form.ariaLabel = this.#labels.form;
    }
    super.update(changed);
  }

  protected override updated(): void {
    const { phase } = this.#flow.state;
    const isNewPhase = phase !== this.#shownPhase;
    this.#shownPhase = phase;
    // An overlay focuses what is first in it, which is read out like any other focus.
    const hadFocus = this.shadowRoot?.activeElement;
    this.#placeCard();
    this.#setLive(this.#isReworded && !isNewPhase);
    // A change within a phase is announced by its live region and moves no focus.
    if (isNewPhase && this.#wasPressed && this.#ownsFocus()) this.#moveFocus(hadFocus);
  }

  /** Moves the card into the dialog of an overlay, or back into the page. */
  #placeCard(): void {
    const dialog = this.#find('dialog') as HTMLDialogElement;
    const card = this.#find('section') as HTMLElement;
    if (dialog.matches(':modal') === this.#isModal) return;
    dialog.close();
    dialog.before(card);
    if (!this.#isModal || !this.isConnected) return;
    dialog.append(card);
    dialog.showModal();
    // Otherwise WebKit scrolls in a later task, to what has the focus by then: a tall form.
    dialog.scrollTo(0, 0);
  }

  /** Silences the live regions that hold `silent`, or all of them: what they say is read out already. */
  #setLive(silent: boolean | Element): void {
    for (const region of this.renderRoot.querySelectorAll('[role]')) {
      const isSilent = silent === true || (silent && region.contains(silent));
      region.ariaLive = isSilent ? 'off' : null;
    }
  }

  /** The focus follows the shopper: into the form, or to what there is to read or to do. */
  #moveFocus(hadFocus: Element | null | undefined): void {
    const form = this.#form;
    if (this.#shownPhase === 'ready' && form) {
      // Not `:focus-within`: it does not see the focus in a frame of another site.
      const { activeElement } = this.getRootNode() as Document | ShadowRoot;
      // A tall form in an overlay would hide the amount and the way out above it.
      if (!form.contains(activeElement)) form.focus({ preventScroll: this.#isModal });
      return;
    }
    const target = FOCUS_TARGETS.map(this.#find).find(Boolean);
    if (!target || target === hadFocus) return;
    target.focus();
    // What receives the focus is read out for that, and its live region would read it out again.
    this.#setLive(target);
  }

  get #form(): HTMLElement | null {
    return this.querySelector(':scope > [slot="form"]');
  }

  protected override render(): TemplateResult {
    const { state } = this.#flow;
    const { locale, dir, card, close } = this.#labels;
    const label = this.#isModal ? nothing : card;
    // As high as the card was, so that the page below an overlay does not move. After the section, which
    // moves: Lit takes what follows as the end of this part.
    const place = this.#isModal ? html`<svg width="0" height=${this.offsetHeight}></svg>` : nothing;
    // The last control: after a whole round, Firefox's Tab reaches no other of a dialog in a shadow root.
    const closeButton = this.#isModal
      ? html`<button part="close" aria-label=${close} .onclick=${this.#cancel}>
          ${icon('failed')}
        </button>`
      : nothing;
    return html`<dialog
        part="overlay"
        lang=${locale}
        aria-label=${card}
        .oncancel=${this.#cancel}
      ></dialog>
      <section
        class="${this.#layout} ${this.theme}"
        part="card"
        lang=${locale}
        dir=${dir}
        aria-label=${label}
      >
        ${this.#header(state)}
        <div role="status">${this.#message(state)}</div>
        <div role="alert">${this.#notice(state)}</div>
        <slot name="form"></slot>
        ${state.phase === 'address' ? renderAddress(state.address, this.#submit, this.#labels) : nothing}
        ${this.#offers(state).map((name) => this.#button(name, state))} ${this.#reference(state)}
        ${closeButton}
      </section>
      ${place}`;
  }

  /** Where the page's address names the checkout, nothing is known of its price. */
  #header(state: FlowState): Rendered {
    const { preview, isFollowing, environment } = this.#flow;
    // What a preview said may be another price than that of the checkout that is shown.
    const isShown = state.known?.amount || (state.known && state.phase !== 'idle');
    const known = isShown ? state.known : preview;
    const price: Price | null | undefined =
      state.phase === 'address' ? state.address.request : known;
    const amount = price?.amount;
    const currency = price?.currency;
    const hasPrice = amount && currency;
    if (preview === undefined && !hasPrice && isFollowing && !isInProgress(state)) return nothing;
    const isTest = (price?.environment ?? environment) === 'sandbox';
    const { amount: amountLabel, test } = this.#labels;
    // Its place stays empty without an answer: the button must not move when it is about to be pressed.
    const blank = price === null || this.#isOpening ? BLANK : nothing;
    return html`<header part="header">
      <slot name="logo"></slot>
      <span>
        <small part="name"
          ><slot name="name">${preview?.shop ?? (hasPrice ? amountLabel : nothing)}</slot></small
        >
        ${hasPrice ? this.#amount(amount, currency, price.lineItems) : blank}
      </span>
      ${isTest ? html`<small part="badge">${test}</small>` : nothing}
    </header>`;
  }

  /** The lines of the order fold below the amount on a narrow page, and wherever they would move the button. */
  #amount(
    amount: string,
    currency: string,
    lines: CreateCheckoutReply['lineItems'] = [],
  ): TemplateResult {
    const format = (text: string): string => formatAmount(text, currency, this.language);
    const total = html`<strong part="amount">${format(amount)}</strong>`;
    if (!lines[0]) return total;
    return html`<details part="items" ?open=${this.autostart && innerWidth > 600}>
      <summary>${total}</summary>
      ${lines.map(
        ({ name, quantity, amount }) =>
          html`<p>
            <span>${quantity > 1 ? `${quantity} × ${name}` : name}</span> ${format(amount)}
          </p>`,
      )}
    </details>`;
  }

  /** What opens once it is seen says so from its first frame, and is as high as it is then. */
  get #isOpening(): boolean {
    const { startsWhenVisible, state } = this.#flow;
    return startsWhenVisible || (state.phase === 'opening' && !this.#inWindow);
  }

  /** What the card is laid out for: a form that comes, or the end of a payment. */
  get #layout(): 'skeleton' | 'end' | '' {
    if (this.#isOpening) return 'skeleton';
    const { phase } = this.#flow.state;
    return phase === 'problem' || isOutcome(phase) ? 'end' : '';
  }

  /** Whether the shopper is paying in a window. */
  get #inWindow(): boolean {
    const { state, hasWindow } = this.#flow;
    return isInProgress(state) && hasWindow;
  }

  get #isModal(): boolean {
    const { state, presentation } = this.#flow;
    return presentation === 'overlay' && isInProgress(state);
  }

  #message(state: FlowState): Rendered {
    const labels = this.#labels;
    const detail = detailOf(state);
    if (this.#isOpening) {
      return html`${BLANK}${BLANK}${BLANK}${message('message', labels.phases.opening, 'opening')}`;
    }
    if (detail && detail !== 'declined') {
      const isBusy = detail === 'checking' || detail === 'submitted';
      return message('message', labels[detail], isBusy ? 'opening' : 'cancelled');
    }
    const { phase } = state;
    const words = this.#inWindow ? labels.inWindow : labels.phases[phase];
    if (!words) return nothing;
    const next = html`${words} <small>${labels.paidNext}</small>`;
    return message('message', phase === 'paid' ? next : words, phase);
  }

  #notice(state: FlowState): Rendered {
    if (state.phase === 'ready' && state.declines) {
      const words = message('notice', this.#labels.declined, 'problem');
      // A new element for each decline, so that each is announced.
      return state.declines % 2 ? words : html`${words}`;
    }
    if (state.phase !== 'problem') return nothing;
    const { code, requestId, unpaid } = state.error;
    const quote = [code, requestId].filter(Boolean).join(' · ');
    const { unpaid: nothingPaid, unknown } = this.#labels;
    const ofMoney = unpaid && !state.isSubmitted ? nothingPaid : unknown;
    const words = html`${errorText(code, this.#labels)}
      ${SAYING_MORE.includes(code) ? nothing : ofMoney} <small part="code">${quote}</small>`;
    return message('notice', words, 'problem');
  }

  #button(name: ButtonName, state: FlowState): TemplateResult {
    const words = this.#labels.buttons[name];
    if (state.phase === 'redirecting') {
      return html`<a part="button" href=${state.url} target="_top">${words}</a>`;
    }
    return html`<button
      form="address"
      part=${name === 'cancel' || name === 'resume' ? 'secondary' : 'button'}
      aria-disabled=${isRechecking(state)}
      .onclick=${() => this.#press(name)}
    >
      ${name === 'pay' ? html`<slot name="pay">${words}</slot>` : words}
    </button>`;
  }

  /** What a shopper can quote to the shop. */
  #reference(state: FlowState): Rendered {
    const { phase, known } = state;
    const words = [known ? known.order : this.order, known?.checkout.slice(0, 8)]
      .filter(Boolean)
      .join(' · ');
    if (!words || ['idle', 'opening', 'redirecting'].includes(phase)) return nothing;
    return html`<small part="reference">${this.#labels.reference} <bdi>${words}</bdi></small>`;
  }

  /** The buttons of the phase that can do something here. */
  #offers(state: FlowState): ButtonName[] {
    const button = BUTTONS[state.phase];
    if (this.#inWindow) return ['continue'];
    if (this.isFormEmpty && !state.isSubmitted) return ['again', 'cancel'];
    const isPayable =
      this.merchant &&
      this.order &&
      (this.orderToken || this.createSession || !this.#flow.isFollowing);
    if (canResume(state) && isPayable) return ['resume'];
    const isFinal = state.phase === 'problem' && !state.error.recovery;
    if (!button || isFinal || this.#flow.startsWhenVisible) return [];
    return button === 'pay' && !isPayable ? [] : [button];
  }

  #press(name: ButtonName): void {
    this.#wasPressed = true;
    if (name === 'pay') this.start();
    else if (name === 'continue') this.#flow.focusWindow();
    else if (name === 'again') this.#flow.remountForm();
    else if (name === 'cancel') this.close();
    else if (name === 'resume') this.#flow.resume();
    else if (name !== 'next') this.retry();
  }

  /** Whether no other element of the page has the focus. */
  #ownsFocus(): boolean {
    const { activeElement } = this.getRootNode() as Document | ShadowRoot;
    return !activeElement || activeElement === document.body || this.contains(activeElement);
  }
}

/** What more there is to say of a phase than its name. */
function detailOf(
  state: FlowState,
): 'refunded' | 'checking' | 'submitted' | 'declined' | 'notFound' | 'renewed' | undefined {
  const { phase, known } = state;
  if (known?.refund === 'full') return 'refunded';
  if (phase === 'idle' && state.notFound) return 'notFound';
  if (isRechecking(state) || (phase === 'confirming' && hasOnlyId(state))) return 'checking';
  if (phase !== 'ready') return undefined;
  if (state.isSubmitted) return 'submitted';
  if (state.declines) return 'declined';
  return state.isRenewed ? 'renewed' : undefined;
}

function errorText(code: string, { codes, sdkError, error }: Labels): string {
  return codes[code] ?? (/^sdk_|^session_refused/.test(code) ? sdkError : error);
}

/** A text with the icon of a phase, or with a spinner. */
function message(
  part: string,
  text: string | TemplateResult | undefined,
  phase: Phase,
): TemplateResult {
  return html`<div class="message ${phase}" part=${part} tabindex="-1">
    ${BUSY.includes(phase) ? html`<span part="spinner"></span>` : icon(phase)}<span>${text}</span>
  </div>`;
}

function icon(phase: Phase): TemplateResult {
  return html`<svg part="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d=${ICONS[phase] ?? MARK}></path>
  </svg>`;
}

/** Decimal text as people of `locale` write money, with exactly its fraction digits. */
function formatAmount(amount: string, currency: string, locale: string | undefined): string {
  const digits = amount.split('.')[1]?.length ?? 0;
  const format = (): string =>
    new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }).format(amount as Intl.StringNumericLiteral);
  // An unknown locale or currency code has none.
  return attempt(format) ?? `${amount} ${currency}`;
}

if (!customElements.get('pay-checkout')) customElements.define('pay-checkout', PayCheckout);

declare global {
  interface HTMLElementTagNameMap {
    'pay-checkout': PayCheckout;
  }
}

import { fixture, html } from '@open-wc/testing';
import { FORM_GRACE_MS } from '../flow/flow-effects.js';
import type { Phase } from '../flow/phases.js';
import { speedUpWait } from '../testing/until.js';
import type { TestServer } from '../testing/test-server.js';
import './pay-checkout.js';
import type { PayCheckout } from './pay-checkout.js';

/** Pages in which the form's first second is shortened. */
const shortened = new WeakSet<Window>();

/** What a shopper and the shop's page can do with the element and see of it. */
export class PayCheckoutHarness {
  readonly element: PayCheckout;
  readonly server: TestServer;
  readonly events: string[] = [];

  constructor(element: PayCheckout, server: TestServer) {
    this.element = element;
    this.server = server;
    const page = element.ownerDocument.defaultView;
    if (page && !shortened.has(page)) {
      shortened.add(page);
      speedUpWait(page, FORM_GRACE_MS);
    }
    for (const type of EVENTS) this.element.addEventListener(type, () => this.events.push(type));
  }

  /** A tag on the page, as a merchant would write it, with `changes` made before it is connected. */
  static async place(
    server: TestServer,
    changes: Partial<PayCheckout> = {},
  ): Promise<PayCheckoutHarness> {
    const element = document.createElement('pay-checkout');
    Object.assign(element, {
      merchant: 'corner-shop',
      order: 'A1001',
      orderToken: 'A1001.2000000000.c2lnbmF0dXJl',
      server: server.url,
      ...changes,
    });
    const harness = new PayCheckoutHarness(element, server);
    await fixture(html`<div>${element}</div>`);
    await element.updateComplete;
    return harness;
  }

  /** An element on the page with its form mounted. */
  static async ready(
    server: TestServer,
    changes: Partial<PayCheckout> = {},
  ): Promise<PayCheckoutHarness> {
    const harness = await PayCheckoutHarness.place(server, changes);
    await harness.during('ready', () => harness.element.start());
    return harness;
  }

  get phase(): Phase {
    const phase = PHASE_NAMES.find((name) => this.element.matches(`:state(${name})`));
    if (!phase) throw new Error('the element shows no phase');
    return phase;
  }

  get badge(): HTMLElement | null {
    return this.#part('badge');
  }

  get button(): HTMLElement | null {
    return this.#part('button');
  }

  /** The quieter button, below another one or instead of it. */
  get secondary(): HTMLElement | null {
    return this.#part('secondary');
  }

  get notice(): string {
    return this.#words('[role="alert"]');
  }

  /** What the status says, but for what happens next. */
  get announcement(): string {
    const words = this.#words('[role="status"]');
    return words.slice(0, words.length - this.next.length).trim();
  }

  /** What happens next, below the thank-you for a payment. */
  get next(): string {
    return this.#words('[role="status"] small');
  }

  get reference(): string {
    return this.#words('[part="reference"]');
  }

  get form(): HTMLElement | null {
    return this.element.querySelector('[slot="form"]');
  }

  press(): void {
    const { button } = this;
    if (!button) throw new Error('there is no button');
    button.click();
  }

  /** Runs `action`, then waits until the element is in `phase` and rendered. */
  async during(phase: Phase, action: () => unknown): Promise<void> {
    const arrived = this.arrives(phase);
    await action();
    await arrived;
  }

  async arrives(phase: Phase): Promise<void> {
    await new Promise<void>((resolve) => {
      this.element.addEventListener('pay-statechange', function listen(event) {
        if (event.phase !== phase) return;
        this.removeEventListener('pay-statechange', listen);
        resolve();
      });
    });
    await this.element.updateComplete;
  }

  /** Waits until the element is in `phase`. */
  async reaches(phase: Phase): Promise<void> {
    await this.element.updateComplete;
    if (this.phase !== phase) await this.arrives(phase);
  }

  /** The next event of a type that the element sends. */
  nextEvent<K extends keyof GlobalEventHandlersEventMap>(
    type: K,
  ): Promise<GlobalEventHandlersEventMap[K]> {
    return new Promise((resolve) => {
      this.element.addEventListener(type, resolve, { once: true });
    });
  }

  count(type: string): number {
    return this.events.filter((one) => one === type).length;
  }

  #part(name: string): HTMLElement | null {
    return this.element.renderRoot.querySelector(`[part="${name}"]`);
  }

  #words(selector: string): string {
    const found = this.element.renderRoot.querySelector(selector);
    return (found?.textContent ?? '').replace(/\s+/g, ' ').trim();
  }
}

const EVENTS = [
  'pay-statechange',
  'pay-ready',
  'pay-paid',
  'pay-declined',
  'pay-failed',
  'pay-unconfirmed',
  'pay-cancel',
  'pay-back',
  'pay-expired',
  'pay-error',
  'pay-redirect',
  'pay-metric',
] as const;

const PHASE_NAMES: readonly Phase[] = [
  'idle',
  'opening',
  'address',
  'ready',
  'redirecting',
  'confirming',
  'paid',
  'failed',
  'cancelled',
  'left',
  'expired',
  'unconfirmed',
  'problem',
];

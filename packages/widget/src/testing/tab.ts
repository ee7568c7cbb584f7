import type { Phase } from '../flow/phases.js';
import type { PayCheckout } from '../pay-checkout/pay-checkout.js';
import type { TestServer } from './test-server.js';

/** A page in a frame. To locks and channels it is another tab of the same browser. */
export class Tab {
  readonly page: Window & typeof globalThis;
  readonly element: PayCheckout;
  readonly events: string[] = [];
  readonly #frame: HTMLIFrameElement;

  private constructor(frame: HTMLIFrameElement, element: PayCheckout) {
    this.#frame = frame;
    this.page = frame.contentWindow as Window & typeof globalThis;
    this.element = element;
    for (const type of ['pay-paid', 'pay-statechange', 'pay-error', 'pay-failed'] as const) {
      element.addEventListener(type, () => this.events.push(type));
    }
  }

  /** Opens a page with one element; `prepare` may change the page before the element is in it. */
  static async open(
    server: TestServer,
    prepare: (page: Window & typeof globalThis) => void = () => undefined,
    address = '/packages/widget/test-server/page.html',
  ): Promise<Tab> {
    const frame = document.createElement('iframe');
    frame.src = address;
    const loaded = new Promise((resolve) => (frame.onload = resolve));
    document.body.append(frame);
    await loaded;
    const page = frame.contentWindow as Window & typeof globalThis;
    await page.customElements.whenDefined('pay-checkout');
    prepare(page);
    const element = page.document.createElement('pay-checkout');
    Object.assign(element, {
      merchant: 'corner-shop',
      order: 'A1001',
      orderToken: 'A1001.2000000000.c2lnbmF0dXJl',
      server: server.url,
    });
    const tab = new Tab(frame, element);
    page.document.body.append(element);
    await element.updateComplete;
    return tab;
  }

  /** Opens a page and the checkout in it. */
  static async ready(
    server: TestServer,
    prepare?: (page: Window & typeof globalThis) => void,
  ): Promise<Tab> {
    const tab = await Tab.open(server, prepare);
    tab.element.start();
    await tab.reaches('ready');
    return tab;
  }

  async reaches(phase: Phase): Promise<void> {
    await this.element.updateComplete;
    while (!this.element.matches(`:state(${phase})`)) {
      await new Promise((resolve) => {
        this.element.addEventListener('pay-statechange', resolve, { once: true });
      });
      await this.element.updateComplete;
    }
  }

  count(type: string): number {
    return this.events.filter((one) => one === type).length;
  }

  /** The browser hides the page and may keep it, or shows it again. */
  turn(type: 'pagehide' | 'pageshow'): void {
    const { page } = this;
    page.dispatchEvent(new page.PageTransitionEvent(type, { persisted: true }));
  }

  close(): void {
    this.#frame.remove();
  }
}

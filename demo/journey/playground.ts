import type { Frame, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { PaymentView } from '../shop/order-view.js';
import type { StackAddresses } from '../stack/stack.js';
import type { Journey } from './journey.js';
import type { Shopper } from './shopper.js';

declare global {
  interface Window {
    /** What the page copied last. */
    copied?: string;
  }
}

const PATIENCE = { timeout: 12_000 };

/** A person at the playground of the demo. */
export class Playground {
  readonly shopper: Shopper;
  readonly #page: Page;
  readonly #addresses: StackAddresses;
  readonly #isFramed: boolean;

  private constructor(shopper: Shopper, addresses: StackAddresses, isFramed: boolean) {
    this.shopper = shopper;
    this.#page = shopper.page;
    this.#addresses = addresses;
    this.#isFramed = isFramed;
  }

  /**
   * Opens it with these settings, by the names of its controls, and waits for the tag. Addresses
   * that match `unreachable` are.
   */
  static async open(
    journey: Journey,
    settings: Readonly<Record<string, string>> = {},
    unreachable?: RegExp,
  ): Promise<Playground> {
    const shopper = await journey.shopper();
    const playground = new Playground(shopper, journey.addresses, settings['isFramed'] === 'true');
    await shopper.page.addInitScript(() => {
      const writeText = (text: string): Promise<void> => {
        window.copied = text;
        return Promise.resolve();
      };
      Object.defineProperty(navigator, 'clipboard', { value: { writeText } });
      // A page opens windows soon after a press only; in a browser under test it always does.
      const open = window.open.bind(window);
      let pressedAt = -Infinity;
      addEventListener(
        'click',
        ({ isTrusted, timeStamp }) => isTrusted && (pressedAt = timeStamp),
        true,
      );
      window.open = (...given) => (performance.now() - pressedAt < 5000 ? open(...given) : null);
    });
    if (unreachable) await shopper.page.route(unreachable, (route) => route.abort());
    const query = new URLSearchParams(settings).toString();
    await shopper.page.goto(`${journey.addresses.shop}/playground?${query}`);
    await playground.isBuilt();
    return playground;
  }

  /** Waits until there is a tag, and the HTML of it. */
  async isBuilt(): Promise<void> {
    await this.#page.locator('#html', { hasText: 'order-token' }).waitFor();
  }

  /** A control of the form. */
  control(name: string): Locator {
    return this.#page.locator(`#settings [name="${name}"]`);
  }

  /** Chooses a brand, and waits until the tag has its tokens. */
  async chooseBrand(name: string): Promise<void> {
    await this.control('brand')
      .and(this.#page.locator(`[value="${name}"]`))
      .check();
    await this.#page.locator('#html', { hasText: '--pay-checkout-font' }).waitFor();
  }

  /** A button of the page, by its words; not one of the tag. */
  pageButton(name: string | RegExp): Locator {
    return this.#page.locator('#main').getByRole('button', { name, exact: true });
  }

  /** Presses a button of the page while a form on it may still be growing: the mouse might miss. */
  async press(name: string): Promise<void> {
    await this.pageButton(name).evaluate((button: HTMLElement) => {
      button.click();
    });
  }

  /** The tag, on the page that it is on. */
  get tag(): Locator {
    const page = this.#isFramed ? this.#page.frameLocator('#preview > iframe') : this.#page;
    return page.locator('pay-checkout');
  }

  /** A button of the tag, by its words. */
  tagButton(name: string | RegExp): Locator {
    return this.tag.getByRole('button', { name }).first();
  }

  /** A tag with `autostart` starts when it is seen. */
  async scrollToTag(): Promise<void> {
    await this.#page.locator('#preview').scrollIntoViewIfNeeded();
  }

  /** A clone with `autostart` starts when it comes into view, like any other tag. */
  async scrollToClone(): Promise<void> {
    await this.#page.locator('pay-checkout').last().scrollIntoViewIfNeeded();
  }

  /** Pays with a card in the provider's form, in whichever frame or window that is. */
  async pay(number: string): Promise<void> {
    const form = await this.#findForm();
    await form.getByLabel('Card number').fill(number);
    await form.getByLabel('Expiry date').fill('12/39');
    await form.getByLabel('Security code').fill('123');
    await form.getByLabel('Name on card').fill('Robin Sample');
    // The mouse misses while the page around the frame scrolls; no key reaches a frame in Firefox.
    await form.getByRole('button', { name: /^Pay/ }).evaluate((pay: HTMLElement) => {
      pay.click();
    });
  }

  /** Closes the window that the provider's form is in. */
  async closeForm(): Promise<void> {
    await (await this.#findForm()).page().close();
  }

  /** Waits until the page says this above the settings. */
  async isSaid(words: RegExp): Promise<void> {
    await this.#page.locator('#notice', { hasText: words }).waitFor();
  }

  /** Waits until the log has this event. */
  async hears(event: string | RegExp): Promise<void> {
    const hasText = typeof event === 'string' ? new RegExp(`^${event}$`) : event;
    await this.#page.locator('#log b', { hasText }).first().waitFor();
  }

  /** The events in the log, oldest first, each with its details as they stand there. */
  async log(): Promise<readonly { name: string; details: Readonly<Record<string, string>> }[]> {
    return this.#page.locator('#log li').evaluateAll((lines) =>
      lines.map((line) => ({
        name: line.querySelector('b')?.textContent ?? '',
        details: Object.fromEntries(
          [...line.querySelectorAll('.detail')].map((detail) => {
            const field = detail.querySelector('i')?.textContent ?? '';
            return [field, (detail.textContent ?? '').trim().slice(field.length).trim()];
          }),
        ),
      })),
    );
  }

  /** One of the facts next to the tag, such as `way` or `settled`. */
  async fact(name: string): Promise<string> {
    return (await this.#page.locator(`[data-fact="${name}"]`).textContent())?.trim() ?? '';
  }

  /** The order that the panel follows. */
  async order(): Promise<string> {
    return (await this.#page.locator('.break-things').getAttribute('data-order')) ?? '';
  }

  /** What the session server says of the order. */
  async payment(): Promise<PaymentView> {
    const path = `/api/orders/${await this.order()}/payment`;
    return this.#page.evaluate(
      async (url) => (await (await fetch(url)).json()) as PaymentView,
      path,
    );
  }

  /** Asserts that tag, shop and session server agree on one payment, in the last of so many sessions. */
  async isPaidOnce(sessions = 1): Promise<void> {
    await this.hears('pay-paid');
    await expect
      .poll(() => this.payment(), PATIENCE)
      .toEqual({ state: 'paid', certain: true, sessions, transactions: 1 });
    expect(await this.fact('settled')).toBe('paid, certain');
    const sees = (who: 'shop' | 'server') => this.#page.locator(`[data-panel=${who}]`);
    await sees('shop').getByText('checkout.paid: paid').waitFor();
    await sees('server').getByText('→ paid').first().waitFor();
  }

  /** The bars of what took how long, each with how wide it is on the screen. */
  async bars(): Promise<readonly { name: string; width: number }[]> {
    return this.#page.locator('#timings .bar').evaluateAll((bars) =>
      bars.map((bar) => ({
        name: (bar.querySelector('p > span')?.textContent ?? '').replace(/\s+/g, ' ').trim(),
        width: bar.querySelector('rect:not(.track)')?.getBoundingClientRect().width ?? 0,
      })),
    );
  }

  /** The test cards as a person reads them, each with what a press on it copies. */
  async cards(): Promise<readonly { number: string; description: string; copied: string }[]> {
    const cards = [];
    for (const card of await this.#page.locator('.cards li').all()) {
      const number = card.getByRole('button');
      await number.click();
      cards.push({
        number: (await number.textContent()) ?? '',
        description: (await card.locator('span').textContent()) ?? '',
        copied: (await this.#page.evaluate(() => window.copied)) ?? '',
      });
    }
    return cards;
  }

  /** The attributes of the tag on the page, and of the one in the HTML that the page copies. */
  async compareHtml(): Promise<{ readonly live: unknown; readonly copied: unknown }> {
    await this.pageButton('Copy').click();
    return this.#page.evaluate(() => {
      const parsed = new DOMParser().parseFromString(window.copied ?? '', 'text/html');
      const describe = (root: Document): unknown => {
        const tag = root.querySelector('pay-checkout');
        const words = tag?.querySelector(':scope > [slot="pay"]')?.textContent;
        return [...(tag?.attributes ?? [])]
          .map(({ name, value }) => [name, value])
          .concat([['', words ?? '']]);
      };
      return { live: describe(document), copied: describe(parsed) };
    });
  }

  async close(): Promise<void> {
    await this.shopper.close();
  }

  async #findForm(): Promise<Frame> {
    const findOnce = async (): Promise<Frame | undefined> => {
      const frames = this.#page
        .context()
        .pages()
        .flatMap((page) => page.frames());
      for (const frame of frames.filter((one) => one.url().startsWith(this.#addresses.sandbox))) {
        const isThere = await frame
          .getByLabel('Card number')
          .isVisible()
          .catch(() => false);
        if (isThere) return frame;
      }
      return undefined;
    };
    let found: Frame | undefined;
    await expect.poll(async () => (found = await findOnce()) !== undefined, PATIENCE).toBe(true);
    // Its script has run by then: a form without it would send the fields nowhere.
    await found!.waitForLoadState('load');
    return found!;
  }
}

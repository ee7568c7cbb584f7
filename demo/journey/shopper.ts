import type { BrowserContext, Cookie, FrameLocator, Locator, Page } from 'playwright-core';
import type { StackAddresses } from '../stack/stack.js';
import type { OrderView, PlacedOrder } from '../shop/order-view.js';

/** Cards of the sandbox, by what they do. */
export const CARDS = {
  approved: '9000000000000001',
  declined: '9000000000000019',
  challenged: '9000000000000027',
  listedLate: '9000000000000035',
  neverReturns: '9000000000000043',
  expired: '9000000000000084',
} as const;

/** The shop knows no such page, so it has nothing on it of its own. */
export const BARE_PAGE = '/bare';

/** The first shop makes its tokens without asking. */
export type PayableOrder = Required<PlacedOrder>;

/** An order of one thing, as a page of a shop sends it. */
const orderOf = (sku: string, postcode: string, country: string) => ({
  items: [{ sku, quantity: 1 }],
  customer: { firstName: 'Robin', lastName: 'Sample', email: 'robin@example.test' },
  address: { address1: 'Flat 3, 12 Sample Street', town: 'Sampleton', postcode, country },
});

export const ONE_CUP = orderOf('two-tone-cup', 'ZZ1 1ZZ', 'United Kingdom');
export const ONE_COFFEE = orderOf('cardamom-noon', '13001', 'الكويت');

/** Orders on a page of a shop. */
export async function placeOrder(order: ReturnType<typeof orderOf>): Promise<PayableOrder> {
  const response = await fetch('/api/orders', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
  });
  return (await response.json()) as PayableOrder;
}

type NamedValue = Pick<Cookie, 'name' | 'value'>;

const asCookieHeader = (cookies: readonly NamedValue[]): string =>
  cookies.map(({ name, value }) => `${name}=${value}`).join('; ');

/**
 * What an order looks like to the shop, with the cookies of a browser. Node does not resolve names under
 * `localhost`.
 */
export async function readOrderView(
  { shopApi }: StackAddresses,
  order: string,
  cookies: readonly NamedValue[],
): Promise<OrderView> {
  const response = await fetch(`${shopApi}/api/orders/${order}`, {
    headers: { cookie: asCookieHeader(cookies) },
  });
  return (await response.json()) as OrderView;
}

/** A shopper with a browser of their own, who says what they do and what they read. */
export class Shopper {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly #addresses: StackAddresses;

  constructor(page: Page, addresses: StackAddresses) {
    this.page = page;
    this.#context = page.context();
    this.#addresses = addresses;
  }

  /** Orders one thing without a page of the shop; the browser gets its cookie. */
  async order(): Promise<PayableOrder> {
    const { shop, shopApi } = this.#addresses;
    const response = await fetch(`${shopApi}/api/orders`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        cookie: asCookieHeader(await this.#context.cookies(shop)),
      },
      body: JSON.stringify(ONE_CUP),
    });
    const [name = '', value = ''] = response.headers.get('set-cookie')?.split(/[=;]/) ?? [];
    await this.#context.addCookies([{ name, value, url: shop, httpOnly: true, sameSite: 'Lax' }]);
    return (await response.json()) as PayableOrder;
  }

  /** Orders, and goes to the payment page. */
  async orderAndGoToPayment(mode?: 'redirect'): Promise<PayableOrder> {
    const placed = await this.order();
    await this.goToPayment(placed.order, mode);
    return placed;
  }

  async goToPayment(order: string, mode?: 'redirect'): Promise<void> {
    const query = mode === undefined ? '' : `&mode=${mode}`;
    await this.page.goto(`${this.#addresses.shop}/pay?order=${order}${query}`);
  }

  /** Another tab of the same browser. */
  async tab(): Promise<Shopper> {
    return new Shopper(await this.#context.newPage(), this.#addresses);
  }

  /** A page of the shop's origin with one tag, which has only `attributes`. */
  async goToBarePage(
    attributes: Readonly<Record<string, string>>,
    search: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    await this.#addTag(this.page, attributes);
    await this.visitBarePage(search);
  }

  /** Puts a tag on every {@link BARE_PAGE} of this browser, however the shopper comes there. */
  async putTagOnBarePages(attributes: Readonly<Record<string, string>>): Promise<void> {
    await this.#addTag(this.#context, attributes);
  }

  async visitBarePage(search: Readonly<Record<string, string>> = {}): Promise<void> {
    const query = new URLSearchParams(search).toString();
    await this.page.goto(`${this.#addresses.shop}${BARE_PAGE}?${query}`);
  }

  async #addTag(
    to: Pick<Page, 'addInitScript'>,
    attributes: Readonly<Record<string, string>>,
  ): Promise<void> {
    await to.addInitScript(
      ({ script, path, attributes: wanted }) => {
        if (location.pathname !== path) return;
        addEventListener('DOMContentLoaded', () => {
          const loader = document.createElement('script');
          loader.src = script;
          const tag = document.createElement('pay-checkout');
          for (const [name, value] of Object.entries(wanted)) tag.setAttribute(name, value);
          document.body.replaceChildren(loader, tag);
        });
      },
      { script: `${this.#addresses.pay}/v1/pay-checkout.js`, path: BARE_PAGE, attributes },
    );
  }

  /** The element's own button, by its words. */
  button(name: string | RegExp): Locator {
    return this.page.locator('pay-checkout').getByRole('button', { name });
  }

  /** The provider's form, inside its frame inside the element. */
  get form(): FrameLocator {
    return this.page.frameLocator('pay-checkout iframe');
  }

  async fillCard(number: string): Promise<void> {
    await this.form.getByLabel('Card number').fill(number);
    await this.form.getByLabel('Expiry date').fill('12/39');
    await this.form.getByLabel('Security code').fill('123');
    await this.form.getByLabel('Name on card').fill('Robin Sample');
  }

  async payWith(number: string): Promise<void> {
    await this.fillCard(number);
    await this.form.getByRole('button', { name: /^Pay/ }).click();
  }

  async enterCode(code: string): Promise<void> {
    await this.form.getByLabel('Code from your bank').fill(code);
    const confirm = this.form.getByRole('button', { name: 'Confirm' });
    await confirm.click({ trial: true });
    // The mouse misses when the frame shrinks to the new form around it.
    await confirm.evaluate((button: HTMLElement) => {
      button.click();
    });
  }

  /** Waits until the element says these words. */
  async reads(words: string | RegExp): Promise<void> {
    const tag = this.page.locator('pay-checkout');
    try {
      await tag.getByText(words).first().waitFor();
    } catch (cause) {
      const said = await tag.evaluateAll((tags) =>
        tags.map((one) => `${one.shadowRoot?.textContent ?? ''} ${one.outerHTML}`),
      );
      const framed = await this.form
        .locator('body')
        .innerText({ timeout: 1000 })
        .catch(() => 'nothing');
      const found = `${said.join('\n')}\nand in its frame: ${framed}`;
      throw new Error(`never read ${String(words)}, but: ${found}`, { cause });
    }
  }

  /** What this browser's order looks like to the shop. */
  async orderView(order: string): Promise<OrderView> {
    return readOrderView(this.#addresses, order, await this.#context.cookies(this.#addresses.shop));
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}

export const PAID = 'Payment received. Thank you.';
export const RENEWED = 'The payment form had expired. Please enter your details again.';
export const CONFIRMING =
  'We are checking your payment. This can take a few minutes. Please do not pay again.';

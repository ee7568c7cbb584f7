import type { StackAddresses } from '../stack/stack.js';
import { collectComplaints } from './complaints.js';
import type { Journey } from './journey.js';
import type { Shopper } from './shopper.js';

declare global {
  interface Window {
    /** What the element reported to the strict page. */
    heard?: string[];
  }
}

const PATH = '/strict';
/** Of the page's script tag. */
export const NONCE = 'cjRuZDBtLW5vbmNlLTEyMzQ1Ng';

/** The strictest policy that a merchant's page can have and still take payments. */
export function strictPolicy({ pay, sandbox }: StackAddresses): string {
  return [
    `default-src 'none'`,
    `script-src 'nonce-${NONCE}'`,
    `connect-src ${pay}`,
    `frame-src ${pay} ${sandbox}`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
    `trusted-types lit-html pay-checkout-sdk`,
  ].join('; ');
}

/** A page of the shop under {@link strictPolicy}, with only one tag. */
export class StrictPage {
  readonly shopper: Shopper;
  readonly #complaints: readonly string[];
  readonly #consoleErrors: string[] = [];

  private constructor(shopper: Shopper, address: string, complaints: readonly string[]) {
    this.shopper = shopper;
    this.#complaints = complaints;
    shopper.page.on('console', (message) => {
      if (!shopper.page.url().startsWith(address)) return;
      if (['error', 'warning'].includes(message.type())) this.#consoleErrors.push(message.text());
    });
  }

  /** Orders something and opens the page with its tag, which has `attributes` and the fallback link. */
  static async open(
    shopper: Shopper,
    { addresses, stack }: Journey,
    attributes: Readonly<Record<string, string>> = {},
    policy = strictPolicy(addresses),
  ): Promise<StrictPage> {
    const { order, orderToken } = await shopper.order();
    const { page } = shopper;
    const address = `${addresses.shop}${PATH}`;
    const strict = new StrictPage(shopper, address, await collectComplaints(page, address));
    const link = `${addresses.pay}/v1/pay/${stack.merchant}/${orderToken}`;
    const tag = Object.entries({ merchant: stack.merchant, order, 'order-token': orderToken })
      .concat(Object.entries(attributes))
      .map(([name, value]) => `${name}="${value}"`)
      .join(' ');
    // A page that a test answers comes from no network, and some browsers ask before such a page may
    // reach this machine's servers; the others do not know the question.
    await page
      .context()
      .grantPermissions(['local-network-access'])
      .catch(() => undefined);
    await page.route(`${address}**`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        headers: { 'content-security-policy': policy },
        body: `<!doctype html><html lang="en"><title>A strict page</title>
          <script nonce="${NONCE}" src="${addresses.pay}/v1/pay-checkout.js" async crossorigin></script>
          <body><pay-checkout ${tag}><a href="${link}">Pay on the payment page</a></pay-checkout>`,
      }),
    );
    await page.addInitScript((path) => {
      if (location.pathname !== path) return;
      const heard: string[] = (window.heard = []);
      addEventListener('pay-statechange', ({ phase }) => heard.push(phase));
    }, PATH);
    await page.goto(address);
    return strict;
  }

  /** Phases, in order, as the element reported them. */
  async phases(): Promise<readonly string[]> {
    return (await this.shopper.page.evaluate(() => window.heard)) ?? [];
  }

  /** Violations and uncaught errors of this page, and errors and warnings in its console. */
  complaints(): readonly string[] {
    return [...this.#complaints, ...this.#consoleErrors];
  }

  /** Elements with a `style` attribute, in the page and in the element's shadow, but for the SDK's own. */
  styledElements(): Promise<readonly string[]> {
    return this.shopper.page.evaluate(() => {
      const root = document.querySelector('pay-checkout')?.shadowRoot;
      const ours = [document, ...(root ? [root] : [])].flatMap((one) => [
        ...one.querySelectorAll('[style], style'),
      ]);
      return ours.filter((one) => !one.closest('iframe')).map((one) => one.outerHTML);
    });
  }
}

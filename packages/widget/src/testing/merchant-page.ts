import { PayCheckoutHarness } from '../pay-checkout/pay-checkout.harness.js';
import type { PayCheckout } from '../pay-checkout/pay-checkout.js';
import type { SdkSeen, TestServer } from './test-server.js';

type Page = Window & typeof globalThis & { complaints: string[] };

/** Of every script on a page of a test. */
export const NONCE = 'cjRuZDBt';

/** The strictest policy that a page can have and still take payments. */
export const STRICT_POLICY = [
  "default-src 'none'",
  `script-src 'nonce-${NONCE}'`,
  `connect-src 'self' http://*.localhost:${location.port}`,
  `frame-src 'self' http://*.localhost:${location.port}`,
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html pay-checkout-sdk',
].join('; ');

/** What a merchant's page has besides the script and the tag. */
export interface PageParts {
  readonly policy?: string;
  /** Attributes of `<html>`. */
  readonly root?: string;
  /** A script that runs before ours. */
  readonly before?: string;
  /** Markup before the tag. */
  readonly body?: string;
  /** Markup after the tag. */
  readonly after?: string;
  /** Style rules of the page. */
  readonly css?: string;
  /** More attributes of the tag; an empty one takes a default away. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Markup inside the tag. */
  readonly inside?: string;
  /** Leaves our script out, for a test that lets it come later. */
  readonly isWithoutScript?: boolean;
  readonly width?: number;
}

/** Records what the page's browser reports, from the start. */
const LISTENER = `
  const complaints = (window.complaints = []);
  const log = (word) => complaints.push(String(word));
  document.addEventListener('securitypolicyviolation', (event) =>
    log(event.effectiveDirective + ' ' + event.blockedURI + ' ' + event.sample));
  addEventListener('error', ({ message }) => log(message));
  addEventListener('unhandledrejection', ({ reason }) => log(reason));
  console.error = console.warn = log;`;

const PATH = '/packages/widget/dist/pay-checkout.js';

/** A merchant's page in a frame, with the single file and one tag in its HTML. */
export class MerchantPage {
  readonly page: Page;
  readonly #frame: HTMLIFrameElement;
  readonly #server: TestServer;

  private constructor(frame: HTMLIFrameElement, server: TestServer) {
    this.#frame = frame;
    this.page = frame.contentWindow as unknown as Page;
    this.#server = server;
  }

  static async open(server: TestServer, parts: PageParts = {}): Promise<MerchantPage> {
    const { policy, width = 400 } = parts;
    const address = `/pages/${crypto.randomUUID()}`;
    const body = JSON.stringify({ policy, html: htmlOf(server, parts) });
    await fetch(address, { method: 'POST', body });
    const frame = document.createElement('iframe');
    frame.width = String(width);
    frame.height = '700';
    frame.src = address;
    const loaded = new Promise((resolve) => (frame.onload = resolve));
    document.body.append(frame);
    await loaded;
    return new MerchantPage(frame, server);
  }

  /** Opens the page, and gives its element to a harness. */
  static async place(
    server: TestServer,
    parts?: PageParts,
  ): Promise<[PayCheckoutHarness, MerchantPage]> {
    const page = await MerchantPage.open(server, parts);
    await page.element.updateComplete;
    return [new PayCheckoutHarness(page.element, server), page];
  }

  /** Our script comes, as it does behind a slow network, and has defined the element. */
  async bringScript(): Promise<void> {
    const { document, customElements } = this.page;
    const script = document.createElement('script');
    script.src = this.#server.url + PATH;
    document.head.append(script);
    await customElements.whenDefined('pay-checkout');
  }

  get element(): PayCheckout {
    return this.page.document.querySelector('pay-checkout') as PayCheckout;
  }

  get complaints(): readonly string[] {
    return this.page.complaints;
  }

  /** What the page sees of the SDK that its server serves. */
  get sdk(): SdkSeen {
    const { global } = this.#server.sdkDescription;
    return (this.page as unknown as Record<string, SdkSeen>)[global] as SdkSeen;
  }

  /** What is styled by an attribute or a `<style>` of ours. */
  get styledInline(): readonly string[] {
    const roots: ParentNode[] = [this.element, this.element.renderRoot];
    const found = roots.flatMap((root) => [...root.querySelectorAll('[style], style')]);
    return found.map((one) => one.outerHTML);
  }

  /** Style rules of the page, in place of those that it had. */
  set css(rules: string) {
    const { document } = this.page;
    const style = document.querySelector('head > style') ?? document.createElement('style');
    style.textContent = rules;
    document.head.append(style);
  }

  close(): void {
    this.#frame.remove();
  }
}

function htmlOf(server: TestServer, parts: PageParts): string {
  const { root = 'lang="en"', before = '', body = '', after = '', css, inside = '' } = parts;
  const attributes = {
    merchant: 'corner-shop',
    order: 'A1001',
    'order-token': 'A1001.2000000000.c2lnbmF0dXJl',
    ...parts.attributes,
  };
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== '')
    .map(
      ([name, value]) => `${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`,
    );
  return `<!doctype html><html ${root}><meta charset="utf-8"><title>A page of a merchant</title>
    ${css === undefined ? '' : `<style>${css}</style>`}
    <script nonce="${NONCE}">${LISTENER}${before}</script>
    <body>${body}
    ${parts.isWithoutScript ? '' : `<script nonce="${NONCE}" src="${server.url}${PATH}"></script>`}
    <pay-checkout ${written.join(' ')}>${inside}</pay-checkout>${after}`;
}

import { expect, vi } from 'vitest';
import { startWebKit, type WebKit } from '../../scripts/webkit.mjs';
import type { OrderView } from '../shop/order-view.js';
import type { StackAddresses } from '../stack/stack.js';
import { BARE_PAGE, ONE_CUP, placeOrder, type PayableOrder, readOrderView } from './shopper.js';

/** WebDriver's name of an element. */
type Found = Readonly<Record<string, string>>;

/** The page, or the provider's form inside its frame inside the element. */
type Place = 'page' | 'form';

const PATIENCE = { timeout: 30_000 };

/** The element that a script gets in the place of its name. */
const asElement = (found: Found): HTMLInputElement => found as unknown as HTMLInputElement;

/** In a page: the field, button or link that a person knows by these words, in the element's root too. */
function findControl(words: string): Element | null {
  const tags = [...document.querySelectorAll('pay-checkout')];
  const roots = [document, ...tags.map(({ shadowRoot }) => shadowRoot ?? document)];
  const all = roots.flatMap((root) => [
    ...[...root.querySelectorAll('label')].map((label) => ({ label, control: label.control })),
    ...[...root.querySelectorAll('button, a[href]')].map((one) => ({ label: one, control: one })),
  ]);
  const usable = all.filter(
    ({ control }) => control?.checkVisibility() && !control.matches(':disabled'),
  );
  const nameOf = ({ label }: { label: Element }): string => label.textContent.trim();
  const found =
    usable.find((one) => nameOf(one) === words) ??
    usable.find((one) => nameOf(one).startsWith(words));
  return found?.control ?? null;
}

/** In a page: its words and those in the element. */
function readWords(): string {
  const tags = [...document.querySelectorAll('pay-checkout')];
  return [document.body.innerText, ...tags.map((tag) => tag.shadowRoot?.textContent)].join('\n');
}

/** A shopper with a WebKitGTK of their own. Playwright drives none, so this one speaks WebDriver. */
export class WebKitShopper {
  readonly #webKit: WebKit;
  readonly #addresses: StackAddresses;
  readonly #window: string;

  private constructor(webKit: WebKit, addresses: StackAddresses, window: string) {
    this.#webKit = webKit;
    this.#addresses = addresses;
    this.#window = window;
  }

  /** With Intelligent Tracking Prevention, as people have it. */
  static async start(addresses: StackAddresses): Promise<WebKitShopper> {
    const webKit = await startWebKit(['--enable-itp']);
    const handle = (await webKit.send('GET', 'window')) as string;
    return WebKitShopper.#inTallWindow(webKit, addresses, handle);
  }

  /** In a window with the focus, in which every page is in sight: WebKit scrolls none to a frame's button. */
  static async #inTallWindow(
    webKit: WebKit,
    addresses: StackAddresses,
    handle: string,
  ): Promise<WebKitShopper> {
    await webKit.send('POST', 'window', { handle });
    await webKit.send('POST', 'window/rect', { x: 0, y: 0, width: 1024, height: 3000 });
    return new WebKitShopper(webKit, addresses, handle);
  }

  /** Another window of the same browser, next to this one: a tab would be hidden. */
  async secondWindow(): Promise<WebKitShopper> {
    const { handle } = (await this.#webKit.send('POST', 'window/new', { type: 'window' })) as {
      handle: string;
    };
    return WebKitShopper.#inTallWindow(this.#webKit, this.#addresses, handle);
  }

  /** The window that `act` opens. */
  async window(act: () => Promise<void>): Promise<WebKitShopper> {
    const before = await this.#windows();
    await act();
    const handle = await vi.waitFor(async () => {
      const [opened] = (await this.#windows()).filter((one) => !before.includes(one));
      if (opened === undefined) throw new Error('No window has been opened.');
      return opened;
    }, PATIENCE);
    return WebKitShopper.#inTallWindow(this.#webKit, this.#addresses, handle);
  }

  async isClosed(): Promise<boolean> {
    return !(await this.#windows()).includes(this.#window);
  }

  async closeWindow(): Promise<void> {
    await this.#enter('page');
    await this.#webKit.send('DELETE', 'window');
  }

  async goTo(url: string): Promise<void> {
    await this.#enter('page');
    await this.#webKit.send('POST', 'url', { url });
  }

  async reload(): Promise<void> {
    await this.#enter('page');
    await this.#webKit.send('POST', 'refresh', {});
  }

  async arrivesAt(address: string): Promise<void> {
    await expect.poll(() => this.run(() => location.href), PATIENCE).toContain(address);
  }

  /** Runs a function in the page, which knows only its arguments. */
  async run<Args extends unknown[], Result>(
    code: (...args: Args) => Result,
    ...args: Args
  ): Promise<Awaited<Result>> {
    await this.#enter('page');
    return this.#runHere(code, ...args);
  }

  /** Orders one thing without walking through the shop; the browser gets its cookie. */
  async order(): Promise<PayableOrder> {
    await this.goTo(`${this.#addresses.shop}/`);
    return this.run(placeOrder, ONE_CUP);
  }

  /** Orders, and goes to the payment page. */
  async orderAndGoToPayment(mode?: 'redirect'): Promise<PayableOrder> {
    const placed = await this.order();
    await this.goToPayment(placed.order, mode);
    return placed;
  }

  async goToPayment(order: string, mode?: 'redirect'): Promise<void> {
    const query = mode === undefined ? '' : `&mode=${mode}`;
    await this.goTo(`${this.#addresses.shop}/pay?order=${order}${query}`);
  }

  /** A page of the shop's origin with one tag, which has only `attributes`. */
  async goToBarePage(attributes: Readonly<Record<string, string>>): Promise<void> {
    await this.goTo(`${this.#addresses.shop}${BARE_PAGE}`);
    await this.run(
      (script, wanted) => {
        const loader = document.createElement('script');
        loader.src = script;
        const tag = document.createElement('pay-checkout');
        for (const [name, value] of Object.entries(wanted)) tag.setAttribute(name, value);
        document.body.replaceChildren(loader, tag);
      },
      `${this.#addresses.pay}/v1/pay-checkout.js`,
      attributes,
    );
  }

  /** Waits until a field, button or link of this name can be used. */
  async sees(words: string, place: Place = 'page'): Promise<void> {
    await this.#find(words, place);
  }

  /** The names of the buttons that the element has now. */
  async buttons(): Promise<string[]> {
    return this.run(() => {
      const root = document.querySelector('pay-checkout')?.shadowRoot;
      const buttons = root?.querySelectorAll('[part="button"]') ?? [];
      return [...buttons].map(({ textContent }) => textContent.trim());
    });
  }

  async press(words: string, place: Place = 'page'): Promise<void> {
    await this.#send(await this.#find(words, place), 'click');
  }

  async fill(words: string, text: string, place: Place = 'page'): Promise<void> {
    // The driver gives the focus to no field in a frame of another site; a press does.
    await this.press(words, place);
    const field = await this.#find(words, place);
    await this.#runHere((one) => one.select(), asElement(field));
    await this.#send(field, 'value', { text });
  }

  async fillCard(number: string): Promise<void> {
    await this.fill('Card number', number, 'form');
    await this.fill('Expiry date', '12/39', 'form');
    await this.fill('Security code', '123', 'form');
    await this.fill('Name on card', 'Robin Sample', 'form');
  }

  async payWith(number: string): Promise<void> {
    await this.fillCard(number);
    await this.press('Pay', 'form');
  }

  async enterCode(code: string): Promise<void> {
    await this.fill('Code from your bank', code, 'form');
    await this.press('Confirm', 'form');
  }

  /** Waits until the page or the element says these words. */
  async reads(words: string): Promise<void> {
    await expect.poll(() => this.run(readWords), PATIENCE).toContain(words);
  }

  /** What this browser's order looks like to the shop. */
  async orderView(order: string): Promise<OrderView> {
    await this.#enter('page');
    const cookies = (await this.#webKit.send('GET', 'cookie')) as { name: string; value: string }[];
    return readOrderView(this.#addresses, order, cookies);
  }

  /** Ends the browser. */
  stop(): Promise<void> {
    return this.#webKit.stop();
  }

  async #windows(): Promise<string[]> {
    return (await this.#webKit.send('GET', 'window/handles')) as string[];
  }

  async #enter(place: Place): Promise<void> {
    await this.#webKit.send('POST', 'window', { handle: this.#window });
    await this.#webKit.send('POST', 'frame', { id: null });
    if (place === 'page') return;
    const frame = await this.#runHere(() => document.querySelector('pay-checkout iframe'));
    await this.#webKit.send('POST', 'frame', { id: frame });
  }

  async #runHere<Args extends unknown[], Result>(
    code: (...args: Args) => Result,
    ...args: Args
  ): Promise<Awaited<Result>> {
    const script = `return (${String(code)})(...arguments);`;
    return (await this.#webKit.send('POST', 'execute/sync', { script, args })) as Awaited<Result>;
  }

  #find(words: string, place: Place): Promise<Found> {
    return vi.waitFor(async () => {
      await this.#enter(place);
      const found = (await this.#runHere(findControl, words)) as Found | null;
      if (found === null) {
        throw new Error(`There is no "${words}", but: ${await this.#runHere(readWords)}`);
      }
      return found;
    }, PATIENCE);
  }

  async #send(element: Found, command: string, body: object = {}): Promise<void> {
    await this.#webKit.send('POST', `element/${Object.values(element)[0] ?? ''}/${command}`, body);
  }
}

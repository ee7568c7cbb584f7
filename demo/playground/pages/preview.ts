/** The preview: builds the tag that the settings ask for, and shows what it does. */
import { readOrder } from '../../shop/pages/shop-api.js';
import { ACTIONS, type ActionName, type PayTag, type Places } from './actions.js';
import type { EventLog } from './event-log.js';
import { shortenToken, writeMarkup, type MarkupParts } from './markup.js';
import { placePlaygroundOrder } from './playground-api.js';
import { type Settings, attributesFor, cssFor, type TagOrder } from './settings.js';
import { TagWatch } from './tag-watch.js';

export interface PreviewOptions {
  readonly host: HTMLElement;
  readonly html: HTMLElement;
  readonly phases: HTMLElement;
  readonly timings: HTMLElement;
  readonly log: EventLog;
  /** Shows what the servers know of the order that is written on it. */
  readonly panel: HTMLElement;
  /** The session server, as browsers see it. */
  readonly server: string;
}

/** What an order was placed with; one that fits is used again. */
type Wish = Pick<Settings, 'amount' | 'asksAddress'> & { readonly merchant: string };

/** A return from a payment page. */
export interface Return {
  readonly order: string;
  /** What the address says of it. */
  readonly kind: string;
  /** The query of the page that the tag is on, which names the checkout. */
  readonly search: string;
}

export class Preview {
  readonly #options: PreviewOptions;
  #order: (TagOrder & { readonly wish: string }) | undefined;
  #isOver = false;
  #builds = 0;
  #current: { tag: PayTag; places: Places; watch: TagWatch; settings: Settings } | undefined;
  #observer: MutationObserver | undefined;

  constructor(options: PreviewOptions) {
    this.#options = options;
  }

  /** Builds the tag. The order stays while it fits and is not paid; `isNew` asks for another. */
  async build(settings: Settings, merchant: string, isNew = false): Promise<void> {
    const build = (this.#builds += 1);
    const { amount, asksAddress } = settings;
    const wish: Wish = { merchant, amount, asksAddress };
    if (isNew || this.#isOver || this.#order?.wish !== JSON.stringify(wish)) {
      const placed = await placePlaygroundOrder(wish);
      if (build !== this.#builds) return;
      this.#order = { ...placed, wish: JSON.stringify(wish) };
      this.#isOver = false;
    }
    if (this.#order !== undefined) await this.#show(settings, this.#order, build);
  }

  /** Shows a tag for the order that a person came back with. Its merchant, if it is known here. */
  async resume(settings: Settings, { order, kind, search }: Return): Promise<string | undefined> {
    const build = (this.#builds += 1);
    const view = await readOrder(order);
    if (view === undefined || build !== this.#builds) return undefined;
    const { merchant, orderToken = '', amount } = view;
    const wish: Wish = { merchant, amount, asksAddress: settings.asksAddress };
    this.#order = { merchant, order, orderToken, wish: JSON.stringify(wish) };
    this.#isOver = view.state === 'paid';
    await this.#show(settings, this.#order, build, { order, kind, search });
    return merchant;
  }

  run(name: ActionName): void {
    if (this.#current === undefined) return;
    const { watch } = this.#current;
    ACTIONS[name]({
      ...this.#current,
      onClone: (clone) => {
        watch.watchClone(clone);
      },
      note: (words) => {
        watch.note(words);
      },
    });
  }

  /** The HTML as it is to be copied: with the whole token. */
  get markup(): string {
    const parts = this.#markupParts();
    return parts === undefined ? '' : writeMarkup(parts);
  }

  async #show(settings: Settings, order: TagOrder, build: number, back?: Return): Promise<void> {
    const { host, log, phases, timings, panel, server } = this.#options;
    this.#current?.watch.stop();
    this.#current?.tag.remove();
    const { isFramed, lang, dir } = settings;
    const css = cssFor(settings);
    const search = back?.search ?? '';
    const places = await makePlaces({ host, isFramed, search, lang, dir, css });
    if (build !== this.#builds) return;

    const tag = places.document.createElement('pay-checkout');
    for (const [name, value] of attributesFor(settings, order, server)) {
      tag.setAttribute(name, value);
    }
    if (settings.words !== '') {
      const words = places.document.createElement('span');
      words.slot = 'pay';
      words.textContent = settings.words;
      tag.append(words);
    }
    log.clear();
    const watch = new TagWatch(tag, {
      log,
      phasesHost: phases,
      timingsHost: timings,
      onEvent: ({ type }) => {
        this.#isOver ||= type === 'pay-paid';
      },
    });
    this.#current = { tag, places, watch, settings };
    if (back !== undefined) watch.note('came back', [['kind', back.kind]]);
    this.#followAttributes(tag);
    places.first.append(tag);
    panel.dataset['order'] = order.order;
  }

  #followAttributes(tag: PayTag): void {
    this.#observer?.disconnect();
    this.#observer = new MutationObserver(() => {
      this.#writeHtml();
    });
    this.#observer.observe(tag, { attributes: true });
    this.#writeHtml();
  }

  #writeHtml(): void {
    const parts = this.#markupParts();
    if (parts === undefined) return;
    const attributes = shortenToken(parts.attributes);
    this.#options.html.textContent = writeMarkup({ ...parts, attributes });
  }

  /** Read from the tag itself, so that what is shown is what is there. */
  #markupParts(): MarkupParts | undefined {
    if (this.#current === undefined) return undefined;
    const { tag, settings } = this.#current;
    const { lang, dir } = settings;
    return {
      script: `${this.#options.server}/v1/pay-checkout.js`,
      css: cssFor(settings),
      lang,
      dir,
      attributes: [...tag.attributes].map(({ name, value }) => [name, value] as const),
      words: tag.querySelector(':scope > [slot="pay"]')?.textContent ?? '',
    };
  }
}

export interface PlacesOptions {
  readonly host: HTMLElement;
  readonly isFramed: boolean;
  /** The query of the framed page. */
  readonly search: string;
  readonly lang: string;
  readonly dir: string;
  readonly css: string;
}

/** An overlay in a frame has only the frame's height. */
const MIN_FRAME_PX = 620;

/** Clears the preview and makes new places for the tag. */
export async function makePlaces(options: PlacesOptions): Promise<Places> {
  const { host, isFramed, search, lang, dir, css } = options;
  host.replaceChildren();
  const page = isFramed ? await openFrame(host, search) : document;
  const root = page.createElement('div');
  root.className = 'places';
  root.lang = lang;
  root.dir = dir;
  const addPlace = (name: string): HTMLElement => {
    const place = page.createElement('div');
    place.dataset['place'] = name;
    root.append(place);
    return place;
  };
  const places = { first: addPlace('first'), second: addPlace('second'), copy: addPlace('copy') };
  (isFramed ? page.body : host).append(root);
  dress(page, css);
  return { ...places, document: page };
}

/** A style sheet made by script needs no inline style, which our policy forbids. */
function dress(page: Document, css: string): void {
  const view = page.defaultView ?? window;
  const sheet = new view.CSSStyleSheet();
  sheet.replaceSync(css);
  page.adoptedStyleSheets = [sheet];
}

async function openFrame(host: HTMLElement, search: string): Promise<Document> {
  const frame = document.createElement('iframe');
  frame.title = 'A page in a frame';
  frame.src = `/playground-frame${search}`;
  frame.height = String(MIN_FRAME_PX);
  host.append(frame);
  await new Promise((resolve) => {
    frame.addEventListener('load', resolve, { once: true });
  });
  const page = frame.contentDocument;
  if (page === null) throw new Error('The frame shows no page of ours.');
  new ResizeObserver(() => {
    frame.height = String(Math.max(MIN_FRAME_PX, page.body.scrollHeight));
  }).observe(page.body);
  return page;
}

/** The workbench: builds the tag that the settings ask for, and shows what comes of it. */
import { readOrder } from '../parts/shop-api.js';
import { ACTS, type ActName, type PayTag } from './acts.js';
import type { EventLog } from './event-log.js';
import { shortenToken, writeMarkup, type MarkupParts } from './markup.js';
import { placePlaygroundOrder } from './playground-api.js';
import type { ServerTruth } from './server-truth.js';
import type { Settings } from './settings.js';
import { setStage, type Places } from './stage.js';
import { attributesFor, cssFor, type TagOrder } from './tag-attributes.js';
import { TagWatch } from './tag-watch.js';

export interface BenchOptions {
  readonly stage: HTMLElement;
  readonly html: HTMLElement;
  readonly phases: HTMLElement;
  readonly timings: HTMLElement;
  readonly log: EventLog;
  readonly truth: ServerTruth;
  /** The session server, as browsers see it. */
  readonly server: string;
}

/** What an order was placed with; one that fits is used again. */
type Wish = Pick<Settings, 'amount' | 'asksAddress'> & { readonly merchant: string };

/** Somebody is back from a payment page. */
export interface Return {
  readonly order: string;
  /** What the address says of it. */
  readonly kind: string;
  /** The query of the page that the tag is on, which names the checkout. */
  readonly search: string;
}

export class Bench {
  readonly #options: BenchOptions;
  #order: (TagOrder & { readonly wish: string }) | undefined;
  #isOver = false;
  #builds = 0;
  #scene: { tag: PayTag; places: Places; watch: TagWatch; settings: Settings } | undefined;
  #observer: MutationObserver | undefined;

  constructor(options: BenchOptions) {
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

  /** Shows a tag for the order that somebody came back with. Its merchant, if it is known here. */
  async resume(settings: Settings, { order, kind, search }: Return): Promise<string | undefined> {
    const build = (this.#builds += 1);
    const view = await readOrder(order);
    if (view === undefined || build !== this.#builds) return undefined;
    const { merchant, orderToken, amount } = view;
    const wish: Wish = { merchant, amount, asksAddress: settings.asksAddress };
    this.#order = { merchant, order, orderToken, wish: JSON.stringify(wish) };
    this.#isOver = view.state === 'paid';
    await this.#show(settings, this.#order, build, { order, kind, search });
    return merchant;
  }

  act(name: ActName): void {
    if (this.#scene === undefined) return;
    const { watch } = this.#scene;
    ACTS[name]({
      ...this.#scene,
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
    const { stage, log, phases, timings, truth, server } = this.#options;
    this.#scene?.watch.stop();
    this.#scene?.tag.remove();
    const { isFramed, lang, dir } = settings;
    const css = cssFor(settings);
    const search = back?.search ?? '';
    const places = await setStage({ host: stage, isFramed, search, lang, dir, css });
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
        truth.lookNow();
      },
    });
    this.#scene = { tag, places, watch, settings };
    if (back !== undefined) watch.note('came back', [['kind', back.kind]]);
    this.#followAttributes(tag);
    places.first.append(tag);
    truth.follow(order.order);
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
    if (this.#scene === undefined) return undefined;
    const { tag, settings } = this.#scene;
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

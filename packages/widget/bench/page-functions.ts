/** What runs inside a page of the bench. Each function is sent there as text and must be self-contained. */

declare global {
  /** When the SDK was configured last, by the page's clock. */
  var configuredAt: number | undefined;
  /** When the first form could be used. */
  var firstReady: Promise<number> | undefined;
  /** Milliseconds of each long task. */
  var longTasks: number[] | undefined;
  /** How far the page has moved, and when. */
  var shifts: { at: number; value: number }[] | undefined;
  /** The heights that the tag has had. */
  var heights: number[] | undefined;
}

/** How long things took since the tag was on the page, in milliseconds. */
export interface Timing {
  /** Until the tag's content was painted first. */
  readonly paintMs: number;
  /** Until the request that opens the checkout left. */
  readonly askedMs: number;
  readonly configureMs: number;
  readonly readyMs: number;
  /** Until the form was painted. */
  readonly doneMs: number;
}

export interface TagOptions {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Puts a tag on the page and waits until its form can be used and is painted. */
export async function placeAndAwaitForm({ tag, attributes }: TagOptions): Promise<Timing> {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  const ready = new Promise((resolve) => element.addEventListener('pay-ready', resolve));
  const nextPaint = (): Promise<number> =>
    new Promise((resolve) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now());
        port2.postMessage(null);
      });
    });
  const placedAt = performance.now();
  document.querySelector('main')?.append(element);
  const firstPaint = (async () => {
    for (;;) {
      const paintedAt = await nextPaint();
      if (element.shadowRoot?.querySelector('section')?.offsetHeight) return paintedAt;
    }
  })();
  await ready;
  const readyAt = performance.now();
  const doneAt = await nextPaint();
  const asked = performance
    .getEntriesByType('resource')
    .find(({ name }) => name.endsWith('/v1/checkouts'));
  return {
    paintMs: (await firstPaint) - placedAt,
    askedMs: (asked?.startTime ?? NaN) - placedAt,
    configureMs: (globalThis.configuredAt ?? NaN) - placedAt,
    readyMs: readyAt - placedAt,
    doneMs: doneAt - placedAt,
  };
}

/** Waits until the SDK is there and some frames have been painted since. */
export async function settle(): Promise<void> {
  const nextFrames = (): Promise<unknown> =>
    new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const isThere = (): boolean => 'BenchSdk' in globalThis;
  for (let calm = 0; calm < 5; calm = isThere() ? calm + 1 : 0) await nextFrames();
}

/** Puts tags on the page, each with an order of its own and a pay button. */
export function placeMany(options: { tag: string; count: number; server: string }): void {
  const { tag, count, server } = options;
  const tags = Array.from({ length: count }, (_, at) => {
    const element = document.createElement(tag);
    const attributes = { merchant: 'bench', order: `A${at}`, 'order-token': 't', server };
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  });
  document.querySelector('main')?.append(...tags);
}

/** Loads a script as a page's tag does. */
export async function loadScript(src: string): Promise<void> {
  const script = Object.assign(document.createElement('script'), { src, crossOrigin: 'anonymous' });
  const loaded = new Promise((resolve) => (script.onload = resolve));
  document.head.append(script);
  await loaded;
}

/**
 * How long the slower of session and SDK takes without any element: the same requests, at the moment
 * when a tag would be there.
 */
export async function loadWithoutElement(server: string): Promise<number> {
  const startedAt = performance.now();
  const session = fetch(`${server}/v1/checkouts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    credentials: 'omit',
  }).then((response) => response.json());
  const config = await fetch(`${server}/v1/checkout-config?merchant=bench`, {
    credentials: 'omit',
  });
  const { sdk } = (await config.json()) as { sdk: { url: string } };
  const script = Object.assign(document.createElement('script'), { src: sdk.url });
  const loaded = new Promise((resolve) => (script.onload = resolve));
  document.head.append(script);
  await Promise.all([session, loaded]);
  return performance.now() - startedAt;
}

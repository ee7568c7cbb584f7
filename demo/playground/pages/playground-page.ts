/** The playground: a form on one side, the tag that it describes on the other, and everything that it reports. */
import { find } from '../../shared/pages/find.js';
import { ShopApiError } from '../../shop/pages/shop-api.js';
import type { PlaygroundMerchantView } from '../playground-routes.js';
import { isAction } from './actions.js';
import { BRANDS } from './brands.js';
import { EventLog } from './event-log.js';
import { Preview } from './preview.js';
import { readPlayground } from './playground-api.js';
import { readSettings, rememberSettings, restoreSettings } from './settings.js';
import '../../shop/pages/basket-link.js';
import './drawer.js';

const NO_PLAYGROUND = 'This shop has no playground at the moment. Reload the page to try again.';
const USUAL_PARAMETER = 'checkout';
/** Where the form stands above the tag, and should not hide it. */
const NARROW = '(max-width: 48rem)';

const form = find(document, '#settings', HTMLFormElement);
const shape = find(form, '#shape', HTMLSelectElement);
const notice = find(document, '#notice', HTMLElement);
const copied = find(document, '#copied', HTMLElement);
const htmlHost = find(document, '#html', HTMLElement);
const preview = new Preview({
  host: find(document, '#preview', HTMLElement),
  html: htmlHost,
  phases: find(document, '#phases', HTMLElement),
  timings: find(document, '#timings', HTMLElement),
  log: new EventLog(find(document, '#log', HTMLElement)),
  panel: find(document, '.break-things', HTMLElement),
  server: find(document, '.workspace', HTMLElement).dataset['server'] ?? '',
});

let merchants: readonly PlaygroundMerchantView[] = [];

// Back from a payment page that was left for from inside the frame: the page around it goes on.
if (parent === window) {
  void start();
} else parent.location.replace(location.href);

async function start(): Promise<void> {
  try {
    ({ merchants } = await readPlayground());
  } catch {
    say(NO_PLAYGROUND);
    return;
  }
  if (matchMedia(NARROW).matches) {
    for (const group of form.querySelectorAll('details')) group.open = false;
  }
  fillShapes();
  restoreSettings(form, location.search);
  describeShape();
  listen();
  const query = new URLSearchParams(location.search);
  const order = query.get('order');
  if (order !== null && (await comeBack(order, query))) return;
  await build();
}

/** Back from a payment page: the tag follows the checkout that the address names. */
async function comeBack(order: string, query: URLSearchParams): Promise<boolean> {
  const settings = readSettings(form);
  const checkout = query.get(USUAL_PARAMETER);
  const parameter = settings.returnParam || USUAL_PARAMETER;
  const search = checkout === null ? '' : `?${parameter}=${encodeURIComponent(checkout)}`;
  // The tag reads the address of the page that it is on; the merchant entry names one parameter.
  history.replaceState(null, '', `/playground${settings.isFramed ? '' : search}`);
  const kind = query.get('kind') ?? 'unknown';
  const merchant = await preview.resume(settings, { order, kind, search }).catch(() => undefined);
  if (merchant === undefined) {
    say('This browser does not have the order in the address. Here is a new one.');
    return false;
  }
  shape.value = merchants.find((entry) => entry.merchant === merchant)?.shape ?? shape.value;
  describeShape();
  return true;
}

function listen(): void {
  form.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement && target.name === 'brand') applyBrand(target.value);
    describeShape();
    void rebuild();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void rebuild();
  });
  find(form, '#new-order', HTMLButtonElement).addEventListener('click', () => {
    void rebuild(true);
  });
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('button') : null;
    const { action, copy } = button?.dataset ?? {};
    if (isAction(action)) preview.run(action);
    if (copy !== undefined && button !== null) void copyText(copy, button, copied);
  });
  find(document, '#copy-html', HTMLButtonElement).addEventListener('click', () => {
    void copyText(preview.markup, htmlHost, copied);
  });
}

/** What was said of the tag before is over when the person asks for another one. */
async function rebuild(isNew = false): Promise<void> {
  notice.hidden = true;
  await build(isNew);
}

async function build(isNew = false): Promise<void> {
  if (!checkForm()) return;
  const settings = readSettings(form);
  const merchant = merchants.find((entry) => entry.shape === settings.shape);
  if (merchant === undefined) return;
  rememberSettings(settings);
  if (location.search !== '') history.replaceState(null, '', '/playground');
  try {
    await preview.build(settings, merchant.merchant, isNew);
  } catch (error) {
    say(describeError(error));
  }
}

/** The browser says what is wrong at the control, which it cannot do in a group that is folded. */
function checkForm(): boolean {
  for (const group of form.querySelectorAll<HTMLDetailsElement>('details:has(:invalid)')) {
    group.open = true;
  }
  return form.reportValidity();
}

function fillShapes(): void {
  const makeGroup = (label: string, works: boolean): HTMLOptGroupElement => {
    const group = document.createElement('optgroup');
    group.label = label;
    const entries = merchants.filter((merchant) => merchant.works === works);
    group.append(...entries.map((merchant) => new Option(merchant.shape, merchant.shape)));
    return group;
  };
  shape.replaceChildren(makeGroup('That work', true), makeGroup('Broken on purpose', false));
}

function describeShape(): void {
  const chosen = merchants.find((merchant) => merchant.shape === shape.value);
  find(form, '#shape-what', HTMLElement).textContent = chosen?.what ?? '';
}

/** A brand comes with the language of its shop. */
function applyBrand(name: string): void {
  const { lang, dir } = BRANDS[name] ?? { lang: 'en-GB', dir: 'ltr' };
  find(form, '#lang', HTMLSelectElement).value = lang;
  find(form, '#dir', HTMLSelectElement).value = dir;
}

function describeError(error: unknown): string {
  if (!(error instanceof ShopApiError)) return 'We could not reach the shop. Try again.';
  const { errors = [], detail } = error.problem;
  return errors.map(({ message }) => `${message}.`).join(' ') || detail;
}

function say(words: string): void {
  notice.textContent = words;
  notice.hidden = false;
}

const VISIBLE_MS = 3000;

let timer: ReturnType<typeof setTimeout> | undefined;

/** `shown` is the element that shows the text, or is to show it when only a person can copy. */
export async function copyText(text: string, shown: HTMLElement, says: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showBriefly(says, 'Copied.');
  } catch {
    shown.textContent = text;
    getSelection()?.selectAllChildren(shown);
    showBriefly(says, 'Press Ctrl+C, or Cmd+C, to copy what is selected.');
  }
}

function showBriefly(host: HTMLElement, words: string): void {
  host.textContent = words;
  host.classList.add('is-shown');
  clearTimeout(timer);
  timer = setTimeout(() => {
    host.classList.remove('is-shown');
  }, VISIBLE_MS);
}

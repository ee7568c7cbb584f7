/**
 * "Break things", a drawer below the pages of an order and a part of the playground: plays scenarios and
 * faults on the order of the page, and shows who sees what.
 */
import { html, render, type TemplateResult } from 'lit';
import { describeEvent, EVENT_NAMES } from './event-log.js';
import { find } from '../../shared/pages/find.js';
import { askShop, ShopApiError } from '../../shop/pages/shop-api.js';
import type { BreakView, BrokenOrderView, PlayedView } from '../break-view.js';
import { describeShop, lineOf, wordsOf, type Line } from './drawer-words.js';
import './drawer.css';

const PAUSE_MS = 1000;
const MAX_HEARD = 30;
/** What a person may set on the tag of a shop's page; the playground has them all in its form. */
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  mode: ['auto', 'inline', 'overlay', 'popup', 'redirect'],
  theme: ['auto', 'light', 'dark'],
  locale: ['en-GB', 'de-DE', 'fr-FR', 'ja-JP', 'ar-EG'],
};

const words = wordsOf(document.documentElement.lang);
const panel = find(document, '.break-things', HTMLElement);
const drawer = find(panel, 'details', HTMLDetailsElement);
const host = find(drawer, 'div', HTMLElement);
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

let about: BreakView | undefined;
let seen: BrokenOrderView | undefined;
/** What came of what was played last. */
let answer = '';
/** Why nothing could be read; empty once it can be again. */
let problem = '';
let isFollowing = false;
const heard: Line[] = [];

// The playground has a log of its own.
const hasLog = document.querySelector('#log') !== null;
for (const name of EVENT_NAMES.filter((each) => !hasLog && each !== 'pay-metric')) {
  document.addEventListener(name, (event) => {
    const fields = describeEvent(event, 0).details.map((field) => field.join(' '));
    heard.push({ at: new Date(), words: [name, ...fields].join(', ') });
    heard.splice(0, heard.length - MAX_HEARD);
    draw();
  });
}

drawer.addEventListener('toggle', () => void follow());
void follow();

async function follow(): Promise<void> {
  if (isFollowing) return;
  isFollowing = true;
  draw();
  while (drawer.open) {
    if (document.visibilityState === 'visible') await look();
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  isFollowing = false;
}

/** The playground writes its order on the panel; a shop has it in the query. */
function readOrder(): string {
  return panel.dataset['order'] ?? new URLSearchParams(location.search).get('order') ?? '';
}

function orderPath(): string {
  return `/api/break/orders/${encodeURIComponent(readOrder())}`;
}

async function look(): Promise<void> {
  try {
    about ??= (await askShop('/api/break')) as BreakView;
    if (readOrder() !== '') seen = (await askShop(orderPath())) as BrokenOrderView;
    problem = '';
  } catch (error) {
    problem = problemOf(error);
  }
  draw();
}

/** Plays something, says what came of it, and looks at once. */
async function play(path: string, body?: object, method = 'POST'): Promise<void> {
  answer = words.playing;
  draw();
  try {
    const played = await askShop(path, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    answer = `${words.done}: ${(played as PlayedView).outcome}`;
  } catch (error) {
    answer = problemOf(error);
  }
  await look();
}

function problemOf(error: unknown): string {
  return error instanceof ShopApiError ? error.message : words.unreachable;
}

function draw(): void {
  if (!drawer.open) return;
  render(about === undefined ? problem || words.loading : renderDrawer(about), host);
}

function renderDrawer({ scenarios, faults }: BreakView): TemplateResult {
  const groups = [...new Set(scenarios.map(({ group }) => group))];
  return html`<div class="break-controls">
      <form @submit=${playScenario}>
        <label for="break-scenario">${words.scenario}</label>
        <select id="break-scenario" name="scenario" lang="en" dir="ltr">
          ${groups.map(
            (group) =>
              html`<optgroup label=${group}>
                ${scenarios
                  .filter((scenario) => scenario.group === group)
                  .map(({ name, title }) => html`<option value=${name}>${title}</option>`)}
              </optgroup>`,
          )}
        </select>
        <button>${words.play}</button>
      </form>
      ${renderPairs('fault', faults, playFault, words.play)}
      ${
        hasLog || document.querySelector('pay-checkout') === null
          ? ''
          : renderPairs('attribute', ATTRIBUTES, setAttribute, words.set)
      }
      <div>
        <button type="button" @click=${() => void play(`${orderPath()}/refund`)}>
          ${words.refund}
        </button>
        <button type="button" @click=${() => void play('/api/break/faults', undefined, 'DELETE')}>
          ${words.clear}
        </button>
      </div>
    </div>
    <p class="break-answer" role="status">${problem || answer}</p>
    <div class="break-panels">
      ${renderPanel('shopper', shopperSees(), heard)}
      ${renderPanel('shop', seen && describeShop(seen.shop), seen?.shop.events.map(lineOf) ?? [])}
      ${renderPanel('server', seen && describeFaults(seen.faults), seen?.server.map(lineOf) ?? [])}
    </div>`;
}

/** A form that chooses one of the values of each name. */
function renderPairs(
  field: 'fault' | 'attribute',
  values: Readonly<Record<string, readonly string[]>>,
  onSubmit: (event: SubmitEvent) => void,
  button: string,
): TemplateResult {
  return html`<form @submit=${onSubmit}>
    <label for="break-${field}">${words[field]}</label>
    <select id="break-${field}" name=${field} lang="en" dir="ltr">
      ${Object.entries(values).map(([name, each]) =>
        each.map((value) => html`<option value="${name} ${value}">${name}: ${value}</option>`),
      )}
    </select>
    <button>${button}</button>
  </form>`;
}

function renderPanel(
  name: 'shopper' | 'shop' | 'server',
  summary: string | undefined,
  lines: readonly Line[],
): TemplateResult {
  return html`<section data-panel=${name} aria-labelledby="break-${name}">
    <h2 id="break-${name}">${words[name]}</h2>
    <p ?hidden=${!summary} dir="auto">${summary}</p>
    <ol lang="en" dir="ltr">
      ${lines
        .toReversed()
        .map(
          ({ at, words: said }) =>
            html`<li><time datetime=${at.toISOString()}>${clock.format(at)}</time> ${said}</li>`,
        )}
    </ol>
  </section>`;
}

function describeFaults(faults: readonly string[]): string {
  return faults.length === 0 ? '' : `${words.waiting}: ${faults.join(', ')}`;
}

/** What the page says to the shopper now: the tag's own words, or those of the page. */
function shopperSees(): string {
  const root = document.querySelector('pay-checkout')?.shadowRoot ?? document.querySelector('main');
  const said = [...(root?.querySelectorAll('[role=status], [role=alert]') ?? [])]
    .map(({ textContent }) => textContent.trim().replaceAll(/\s+/g, ' '))
    .filter((text) => text !== '');
  return said.join(' ') || words.silent;
}

function playScenario(event: SubmitEvent): void {
  const { scenario } = read(event);
  void play(`${orderPath()}/play`, { scenario });
}

function playFault(event: SubmitEvent): void {
  const [operation, fault] = read(event)['fault']?.split(' ') ?? [];
  void play('/api/break/faults', { operation, fault });
}

function setAttribute(event: SubmitEvent): void {
  const [name = '', value = ''] = read(event)['attribute']?.split(' ') ?? [];
  document.querySelector('pay-checkout')?.setAttribute(name, value);
  answer = `${words.isSet}: ${name}="${value}"`;
  draw();
}

function read(event: SubmitEvent): Partial<Record<string, string>> {
  event.preventDefault();
  const form = event.currentTarget as HTMLFormElement;
  return Object.fromEntries(new FormData(form)) as Record<string, string>;
}

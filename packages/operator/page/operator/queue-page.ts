import { linkTo } from '@pay-checkout/page-kit/address';
import { type Cell, renderTable } from '@pay-checkout/page-kit/parts';
import { html, nothing, type TemplateResult } from 'lit';
import { type Queue, QUEUES, type QueueItem, type QueueView } from '../../src/page-view.js';
import { count, time } from '../frame/formatting.js';
import { type Action, page, type PageActions } from '../frame/page.js';
import { orderLink, renderMore, words } from '../frame/parts.js';

const NAMES: Readonly<Record<Queue, string>> = {
  attention: 'Attention',
  unconfirmed: 'Unconfirmed',
  'price-changed': 'Price changed',
  'paid-twice': 'Paid twice',
  'dead-letters': 'Dead letters',
  'unmatched-webhooks': 'Unmatched webhooks',
};

const TEXTS: Readonly<Record<Queue, string>> = {
  attention: 'Orders that a person should check before shipping.',
  unconfirmed: 'The shopper came back from paying, but no transaction is listed. Polling goes on.',
  'price-changed': 'Paid at a price that the order no longer has.',
  'paid-twice': 'Paid more than once. Refund the extra payments at the provider.',
  'dead-letters': 'Events that the shop did not acknowledge in three days.',
  'unmatched-webhooks':
    'Webhooks for which no attempt was found. They prove nothing, and are deleted after some days.',
};

/** The queues, newest first. */
export const queuePage = page<QueueView>({
  path: 'queues/:queue',
  nav: 'Queues',
  navPath: 'queues/attention',
  title: ({ queue }) => NAMES[queueOf(queue)],
  read: ({ queue, merchant, cursor }) =>
    `queues/${queueOf(queue)}?${String(
      new URLSearchParams({ ...(merchant && { merchant }), ...(cursor && { cursor }) }),
    )}`,
  draw: ({ queue, counts, items, next }, { merchant, cursor }, actions) =>
    html`<nav aria-label="Queues">
        <ul>
          ${QUEUES.map(
            (each) =>
              html`<li>
                <a
                  href=${linkTo(`queues/${each}`, { merchant })}
                  aria-current=${each === queue ? 'page' : nothing}
                  >${NAMES[each]} ${renderCount(counts[each])}</a
                >
              </li>`,
          )}
        </ul>
      </nav>
      <p>${TEXTS[queue]}</p>
      ${renderFilter(queue, merchant)}
      ${
        items.length === 0
          ? html`<p>
              ${
                cursor === undefined
                  ? merchant
                    ? 'This queue has nothing of this merchant.'
                    : 'This queue is empty.'
                  : 'There is nothing older.'
              }
            </p>`
          : renderItems(queue, items, actions)
      }
      ${renderMore(`queues/${queue}`, { merchant, cursor }, next)}`,
});

/** The counts are of all merchants. */
function renderFilter(queue: Queue, merchant = ''): TemplateResult {
  const show = (event: SubmitEvent): void => {
    event.preventDefault();
    const wanted = new FormData(event.target as HTMLFormElement).get('merchant') as string;
    location.hash = linkTo(`queues/${queue}`, { merchant: wanted.trim() });
  };
  return html`<form @submit=${show}>
    <fieldset role="group">
      <input
        name="merchant"
        aria-label="Merchant"
        placeholder="all merchants"
        autocomplete="off"
        .value=${merchant}
      />
      <button class="outline">Show</button>
    </fieldset>
  </form>`;
}

function renderCount(value: number): TemplateResult {
  return value > 0 ? html`<mark>${count(value)}</mark>` : html`<small>0</small>`;
}

function queueOf(text: string | undefined): Queue {
  return QUEUES.find((queue) => queue === text) ?? 'attention';
}

function renderItems(
  queue: Queue,
  items: readonly QueueItem[],
  actions: PageActions,
): TemplateResult {
  switch (queue) {
    case 'dead-letters':
      return renderSelectable(
        queue,
        ['Order', 'Event', 'Note', 'Stored', 'Action'],
        items,
        (item) => [
          orderLink(item.merchants[0] ?? '', item.order ?? ''),
          html`${item.type}<br /><code>${item.id}</code>`,
          renderNote(item),
          time(item.at),
          renderRedeliver(item.id, `${item.type ?? ''} of ${item.order ?? ''}`, actions),
        ],
        actions,
      );
    case 'unmatched-webhooks':
      return renderTable(
        NAMES[queue],
        ['Webhook', 'Endpoint of', 'Received'],
        items.map((item) => [
          html`${item.id}`,
          html`${item.merchants.join(', ') || 'a removed merchant'}`,
          time(item.at),
        ]),
      );
    case 'attention':
    case 'unconfirmed':
    case 'price-changed':
    case 'paid-twice':
      return renderSelectable(
        queue,
        ['Order', 'State', 'Attention', 'Note', 'Created'],
        items,
        (item) => [
          orderLink(item.merchants[0] ?? '', item.order ?? ''),
          html`${item.state}`,
          html`${item.attention?.map(words).join(', ')}`,
          renderNote(item),
          time(item.at),
        ],
        actions,
      );
  }
}

function renderNote({ note }: QueueItem): Cell {
  if (!note) return '–';
  return html`<div class="note">
    ${note.target ? html`<strong>for ${note.target}:</strong> ` : ''}${note.note ?? '–'}
    <br /><small>${note.actor}, ${time(note.at)}</small>
  </div>`;
}

/** What a person is asked for before attention is resolved. */
export const RESOLVE: NonNullable<Action['ask']> = {
  title: 'Resolve',
  text: 'This removes it from the queues. The shop still sees its attention.',
  button: 'Resolve',
  note: 'required',
};

/** A table of which several rows can be chosen, and dealt with at once. */
function renderSelectable(
  queue: Queue,
  columns: readonly string[],
  items: readonly QueueItem[],
  cellsOf: (item: QueueItem) => readonly Cell[],
  actions: PageActions,
): TemplateResult {
  if (!actions.may('act')) return renderTable(NAMES[queue], columns, items.map(cellsOf));
  const isOfEvents = queue === 'dead-letters';
  const act = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const ids = new Set(new FormData(form).getAll('item'));
    const chosen = items.filter(({ id }) => ids.has(id));
    if (chosen.length === 0) {
      actions.say('Choose some of them first.');
      return;
    }
    void actions.act({
      each: chosen.map(({ id, attention = [] }) =>
        isOfEvents
          ? { path: `events/${encodeURIComponent(id)}/redeliver` }
          : { path: `checkouts/${encodeURIComponent(id)}/resolve`, body: { attention } },
      ),
      done: isOfEvents
        ? `${String(chosen.length)} events are being delivered again.`
        : `${String(chosen.length)} resolved. They come back when there is new attention.`,
      ...(!isOfEvents && { ask: { ...RESOLVE, title: `Resolve ${String(chosen.length)}` } }),
    });
  };
  const choose = ({ id, order = id, type = '' }: QueueItem): Cell =>
    html`<input type="checkbox" name="item" value=${id} aria-label="Choose ${type} ${order}" />`;
  return html`<form @submit=${act}>
    ${renderTable(
      NAMES[queue],
      ['Choose', ...columns],
      items.map((item) => [choose(item), ...cellsOf(item)]),
      items.map(({ id }) => id),
    )}
    <button class="outline">
      ${isOfEvents ? 'Redeliver what is chosen' : 'Resolve what is chosen …'}
    </button>
  </form>`;
}

/** The event keeps its id, so a shop that has processed it ignores it. */
export function renderRedeliver(
  event: string,
  described: string,
  actions: PageActions,
): TemplateResult {
  if (!actions.may('act')) return html`–`;
  const action = {
    path: `events/${encodeURIComponent(event)}/redeliver`,
    done: 'The event is being delivered again.',
  };
  return html`<button
    type="button"
    class="outline"
    aria-label="Redeliver ${described}"
    @click=${() => actions.act(action)}
  >
    Redeliver
  </button>`;
}

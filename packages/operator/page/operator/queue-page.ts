import { html, nothing, type TemplateResult } from 'lit';
import { type Queue, QUEUES, type QueueItem, type QueueView } from '../../src/page-view.js';
import { count, time } from '../frame/formatting.js';
import { linkTo, page, type PageActions } from '../frame/page.js';
import { orderLink, renderMore, renderTable, words } from '../frame/parts.js';

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
  read: ({ queue, cursor }) =>
    `queues/${queueOf(queue)}${cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`}`,
  draw: ({ queue, counts, items, next }, { cursor }, actions) =>
    html`<nav aria-label="Queues">
        <ul>
          ${QUEUES.map(
            (each) =>
              html`<li>
                <a
                  href=${linkTo(`queues/${each}`)}
                  aria-current=${each === queue ? 'page' : nothing}
                  >${NAMES[each]} ${renderCount(counts[each])}</a
                >
              </li>`,
          )}
        </ul>
      </nav>
      <p>${TEXTS[queue]}</p>
      ${
        items.length === 0
          ? html`<p>
              ${cursor === undefined ? 'This queue is empty.' : 'There is nothing older.'}
            </p>`
          : renderItems(queue, items, actions)
      }
      ${renderMore(`queues/${queue}`, cursor, next)}`,
});

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
      return renderTable(
        NAMES[queue],
        ['Order', 'Event', 'Stored', 'Action'],
        items.map((item) => [
          orderLink(item.merchants[0] ?? '', item.order ?? ''),
          html`${item.type}<br /><code>${item.id}</code>`,
          time(item.at),
          renderRedeliver(item.id, `${item.type ?? ''} of ${item.order ?? ''}`, actions),
        ]),
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
      return renderTable(
        NAMES[queue],
        ['Order', 'State', 'Attention', 'Created'],
        items.map((item) => [
          orderLink(item.merchants[0] ?? '', item.order ?? ''),
          html`${item.state}`,
          html`${item.attention?.map(words).join(', ')}`,
          time(item.at),
        ]),
      );
  }
}

/** The event keeps its id, so a shop that has processed it ignores it. */
export function renderRedeliver(
  event: string,
  described: string,
  actions: PageActions,
): TemplateResult {
  const action = {
    path: `events/${encodeURIComponent(event)}/redeliver`,
    done: 'The event is being delivered again.',
  };
  return html`<button
    class="outline"
    aria-label="Redeliver ${described}"
    @click=${() => actions.act(action)}
  >
    Redeliver
  </button>`;
}

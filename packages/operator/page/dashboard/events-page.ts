import { linkTo } from '@pay-checkout/page-kit/address';
import { renderTable } from '@pay-checkout/page-kit/parts';
import { html, nothing, type TemplateResult } from 'lit';
import type { EventListView } from '../../src/dashboard/view.js';
import { page, type PageActions } from '../frame/page.js';
import { renderMore } from '../frame/parts.js';
import { EVENT_COLUMNS, eventCells, renderCheck } from './parts.js';

const SHOWN = [
  ['all', 'All'],
  ['untaken', 'Not taken'],
] as const;

/** The events of the merchant with each try, and a test event. */
export const eventsPage = page<EventListView>({
  path: 'events',
  nav: 'Events',
  title: () => 'Events',
  read: ({ show = 'all', cursor }) =>
    `events?${String(new URLSearchParams({ show, ...(cursor && { cursor }) }))}`,
  draw: ({ items, next, receiver }, { show = 'all', cursor }, actions) => html`
    ${renderReceiver(receiver, actions)}
    <nav aria-label="Which events">
      <ul>
        ${SHOWN.map(
          ([name, text]) =>
            html`<li>
              <a
                href=${linkTo('events', name === 'all' ? {} : { show: name })}
                aria-current=${name === show ? 'page' : nothing}
                >${text}</a
              >
            </li>`,
        )}
      </ul>
    </nav>
    ${
      items.length === 0
        ? html`<p>${show === 'all' ? 'No events yet.' : 'Your receiver has taken all events.'}</p>`
        : renderTable(
            'Events',
            [...EVENT_COLUMNS],
            items.map((event) => eventCells(event, actions)),
          )
    }
    ${renderMore('events', { cursor }, next)}
  `,
});

function renderReceiver(receiver: string | undefined, actions: PageActions): TemplateResult {
  if (receiver === undefined) {
    return html`<p>Your entry has no receiver: your back end reads the feed of events.</p>`;
  }
  const test = {
    path: 'checks/receiver',
    done: 'A signed event of the type “test” was sent.',
    isKept: true,
  };
  return html`<p>Receiver: <code>${receiver}</code></p>
    <button class="outline" @click=${() => actions.act(test)}>Send a test event</button>
    ${renderCheck(actions.kept, 'receiver')}`;
}

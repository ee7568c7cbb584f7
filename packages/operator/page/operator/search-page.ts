import { html } from 'lit';
import type { FoundOrder, SearchView } from '../../src/page-view.js';
import { time } from '../frame/formatting.js';
import { page } from '../frame/page.js';
import { orderLink, renderTable } from '../frame/parts.js';

const FOUND_BY: Readonly<Record<FoundOrder['by'], string>> = {
  order: 'its name',
  reference: 'a reference of a session',
  checkout: 'a checkout',
  transaction: 'a transaction',
  session: 'a session',
  request: 'the request that created its checkout',
  event: 'an event',
};

export const searchPage = page<SearchView>({
  path: 'search',
  title: ({ q }) => (q ? `Search: ${q}` : 'Search'),
  read: ({ q }) => (q ? `search?q=${encodeURIComponent(q)}` : undefined),
  everySeconds: 15,
  draw: (found, { q }) => {
    if (!q)
      return html`<p>
        Search for an order, what a shopper quotes, an address, or the id of a checkout,
        transaction, session, request or event.
      </p>`;
    const { orders, more } = found;
    if (orders.length === 0) {
      return html`<p>
        Nothing found. Order names are case-sensitive, and the beginning of a name is enough; enter
        references, transactions, sessions, requests and events in full.
      </p>`;
    }
    return html`${renderTable(
      'Orders found',
      ['Order', 'State', 'Found by', 'Created'],
      orders.map(({ merchant, order, state, by, createdAt }) => [
        orderLink(merchant, order),
        state,
        FOUND_BY[by],
        time(createdAt),
      ]),
    )}
    ${more ? html`<p>There are more. Enter more of the name.</p>` : ''}`;
  },
});

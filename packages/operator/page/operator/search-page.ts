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
  event: 'an event',
};

export const searchPage = page<SearchView>({
  path: 'search',
  title: ({ q }) => (q ? `Search: ${q}` : 'Search'),
  read: ({ q }) => (q ? `search?q=${encodeURIComponent(q)}` : undefined),
  everySeconds: 15,
  draw: (found, { q }) => {
    if (!q)
      return html`<p>Search for an order, a reference, a checkout, a transaction or an event.</p>`;
    const { orders, more } = found;
    if (orders.length === 0) {
      return html`<p>
        Nothing found. Order names are case-sensitive, and the beginning of a name is enough; enter
        references, checkouts, transactions and events in full.
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

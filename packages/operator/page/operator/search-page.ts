import { linkTo } from '@pay-checkout/page-kit/address';
import { renderTable } from '@pay-checkout/page-kit/parts';
import { html } from 'lit';
import type { FoundOrder, SearchView } from '../../src/page-view.js';
import { time } from '../frame/formatting.js';
import { page } from '../frame/page.js';
import { orderLink } from '../frame/parts.js';

const FOUND_BY: Readonly<Record<FoundOrder['by'], string>> = {
  order: 'its name',
  reference: 'a reference of a session',
  checkout: 'a checkout',
  transaction: 'a transaction',
  session: 'a session',
  request: 'the request that created its checkout',
  event: 'an event',
  card: 'the last digits of a card',
  email: 'the customer’s e-mail',
  amount: 'an amount',
};

export const searchPage = page<SearchView>({
  path: 'search',
  title: ({ q }) => (q ? `Search: ${q}` : 'Search'),
  read: ({ q }) => (q ? { path: 'search', body: { q } } : undefined),
  everySeconds: 15,
  draw: (found, { q }) => {
    if (!q)
      return html`<p>
        Search for an order, what a shopper quotes, an address of a page, an e-mail, an amount such
        as “42.50 GBP”, the last four digits of a card, a merchant, or the id of a checkout,
        transaction, session, request or event.
      </p>`;
    const { orders, more, merchants } = found;
    const ofMerchants = merchants.map(
      ({ merchant, name }) =>
        html`<p>
          <a href=${linkTo('orders', { merchant })}>Orders of ${name}</a> <small>${merchant}</small>
        </p>`,
    );
    if (orders.length === 0) {
      return html`${ofMerchants}
        <p>
          ${merchants.length === 0 ? 'Nothing found.' : 'No order found.'} The beginning of an
          order’s name is enough; enter everything else in full, and an amount with its currency.
        </p>`;
    }
    return html`${ofMerchants}${renderTable(
      'Orders found',
      ['Order', 'State', 'Found by', 'Created'],
      orders.map(({ merchant, order, state, by, createdAt }) => [
        orderLink(merchant, order),
        state,
        FOUND_BY[by],
        time(createdAt),
      ]),
    )}
    ${more ? html`<p>There are more. Enter more, or use the list of orders.</p>` : ''}`;
  },
});

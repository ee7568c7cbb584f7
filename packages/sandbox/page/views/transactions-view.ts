import { linkTo, queryOf } from '@pay-checkout/page-kit/address';
import { renderTable } from '@pay-checkout/page-kit/parts';
import { html } from 'lit';
import type { Merchant } from '../../src/accounts.js';
import type { TransactionRow } from '../../src/transactions/transaction.js';
import { badge, money, renderSearch, time, transactionLink } from '../parts.js';
import { view } from '../view.js';

interface Page {
  readonly transactions: readonly { readonly row: TransactionRow; readonly isListed: boolean }[];
  readonly next?: string;
  readonly total: number;
  readonly merchants: readonly Merchant[];
}

/** All transactions, page by page: the history, too, and those that the list still hides. */
export const transactionsView = view<Page>({
  path: 'transactions',
  nav: 'Transactions',
  title: () => 'Transactions',
  read: async (read, { search = '', status, merchantId, cursor }) => {
    const query = queryOf({ search: search.trim(), status, merchantId, cursor });
    const [page, { merchants }] = await Promise.all([
      read<Page>(`transactions/list${query}`),
      read<Page>('about'),
    ]);
    return { ...page, merchants };
  },
  draw: ({ transactions, next, total, merchants }, params, frame) => {
    const { cursor, ...filter } = params;
    if (total === 0) {
      return html`<p class="quiet">
        No transactions yet. Paying a session creates one; <code>SANDBOX_TRANSACTIONS=100000</code>
        generates past ones.
      </p>`;
    }
    const choose = (name: string) => (event: Event) =>
      frame.filter({ ...filter, [name]: (event.target as HTMLSelectElement).value });
    const isFiltered = Boolean(filter['search'] ?? filter['status'] ?? filter['merchantId']);
    return html`<div class="buttons">
        ${renderSearch('Search any field, or a whole id', params, frame)}
        <p>
          <label class="unseen" for="status">Status</label>
          <select id="status" .value=${filter['status'] ?? ''} @change=${choose('status')}>
            <option value="">Any status</option>
            <option>SUCCESS</option>
            <option>REFUNDED</option>
          </select>
        </p>
        <p>
          <label class="unseen" for="merchant">Merchant</label>
          <select
            id="merchant"
            .value=${filter['merchantId'] ?? ''}
            @change=${choose('merchantId')}
          >
            <option value="">Any merchant</option>
            ${merchants.map(({ id, name }) => html`<option value=${id}>${name}</option>`)}
          </select>
        </p>
      </div>
      ${
        transactions.length === 0
          ? html`<p class="quiet">${next ? 'Nothing found so far.' : 'No transaction matches.'}</p>`
          : renderTable(
              'Transactions',
              ['Transaction', 'Status', 'Amount', 'Refunded', 'Reference', 'Merchant', 'Time'],
              transactions.map(({ row, isListed }) => [
                transactionLink(row.id),
                html`${badge(row.status ?? '–')}
                ${isListed ? '' : badge('not listed yet', 'is-wait')}`,
                money(row.amount, row.currencyCode),
                money(row.amountRefunded, row.currencyCode),
                row.orderRef,
                row.merchantName,
                time(row.transactionTime),
              ]),
            )
      }
      <p class="buttons">
        ${cursor ? html`<a href=${linkTo('transactions', filter)}>Newest</a>` : ''}
        ${
          next
            ? html`<a href=${linkTo('transactions', { ...filter, cursor: next })}
                >${filter['search'] ? 'Search further' : 'Older'}</a
              >`
            : ''
        }
        <span class="quiet"
          >${isFiltered ? 'of ' : ''}${total.toLocaleString('en')} transactions</span
        >
      </p>`;
  },
});

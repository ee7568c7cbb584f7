import { linkTo, type Params, queryOf } from '@pay-checkout/page-kit/address';
import { renderTable } from '@pay-checkout/page-kit/parts';
import { html, nothing, type TemplateResult } from 'lit';
import type { OrderListView, OrderRow } from '../../src/page-view.js';
import { fieldsOf, renderDownload, startOfDay } from './filter.js';
import { type Page, page } from './page.js';
import { renderMore, renderSection, words } from './parts.js';

const STATES = [
  ...['open', 'returned', 'paid', 'failed', 'cancelled', 'left', 'expired', 'unconfirmed', 'void'],
];

export interface OrderListOptions {
  /** Whether it shows the orders of every merchant. */
  readonly hasMerchants?: boolean;
  /** Whether days are those of UTC. Default: those of the person's zone. */
  readonly isUtc?: boolean;
  readonly time: (ms: number) => TemplateResult;
  readonly link: (row: OrderRow) => TemplateResult;
  /** What is said where there is no order at all. */
  readonly empty: TemplateResult;
}

/** Orders by state and day, with their totals and as a file, or what a search has found. */
export function orderListPage(options: OrderListOptions): Page {
  return page<OrderListView>({
    path: 'orders',
    nav: 'Orders',
    title: ({ q }) => (q ? `Search: ${q}` : 'Orders'),
    // What many orders come to is counted each time.
    everySeconds: 15,
    read: ({ q, ...params }) =>
      q ? { path: 'search', body: { q } } : addressOf('orders', params, options),
    draw: ({ items, next, more, totals, removed }, params) =>
      html`${params['q'] ? nothing : renderForm(params, options)}
      ${items.length === 0 ? renderEmpty(params, options) : renderOrders(items, options)}
      ${more ? html`<p>There are more. Enter more, or use the list of orders.</p>` : nothing}
      ${totals && items.length > 0 ? renderTotals(totals) : nothing}
      ${params['q'] ? nothing : renderMore('orders', params, next)}
      ${removed ? renderRemoved(removed) : nothing}`,
  });
}

function addressOf(
  path: string,
  { merchant, state, attention, from, to, cursor }: Params,
  { isUtc = false }: OrderListOptions,
): string {
  const days = { from: startOfDay(from, isUtc), to: startOfDay(to, isUtc, 1) };
  return path + queryOf({ merchant, state, attention, ...days, cursor });
}

function renderForm(params: Params, options: OrderListOptions): TemplateResult {
  const { merchant = '', state = '', from = '', to = '', attention } = params;
  const show = (event: SubmitEvent): void => {
    event.preventDefault();
    location.hash = linkTo('orders', fieldsOf(event.target as HTMLFormElement));
  };
  const zone = options.isUtc ? ' (UTC)' : '';
  return html`<form @submit=${show}>
    <fieldset class="grid">
      ${
        options.hasMerchants
          ? html`<label>
              Merchant
              <input name="merchant" placeholder="all" autocomplete="off" .value=${merchant} />
            </label>`
          : nothing
      }
      <label>
        State
        <select name="state" .value=${state}>
          <option value="">all</option>
          ${STATES.map((each) => html`<option ?selected=${each === state}>${each}</option>`)}
        </select>
      </label>
      <label>From${zone} <input name="from" type="date" .value=${from} /></label>
      <label>To${zone} <input name="to" type="date" .value=${to} /></label>
    </fieldset>
    ${
      options.hasMerchants
        ? html`<label>
            <input name="attention" type="checkbox" value="open" .checked=${attention === 'open'} />
            Only those that need a person
          </label>`
        : nothing
    }
    <button>Show</button>
    ${renderDownload('orders.csv', (fields) => addressOf('orders.csv', fields, options))}
  </form>`;
}

function renderOrders(
  items: readonly OrderRow[],
  { link, time }: OrderListOptions,
): TemplateResult {
  return renderTable(
    'Orders',
    ['Order', 'State', 'Amount', 'Created', 'Check before shipping'],
    items.map((row) => [
      link(row),
      row.state === 'paid' ? html`<ins>paid</ins>` : row.state,
      html`${row.amount}
      ${row.currency}${
        /[1-9]/.test(row.amountRefunded)
          ? html`<br /><small>${row.amountRefunded} refunded</small>`
          : nothing
      }`,
      time(row.createdAt),
      row.attention.length === 0 ? '–' : html`<mark>${row.attention.map(words).join(', ')}</mark>`,
    ]),
  );
}

function renderTotals({
  states,
  paid,
  more,
}: NonNullable<OrderListView['totals']>): TemplateResult {
  const counts = Object.entries(states).map(([state, orders]) => `${count(orders)} ${state}`);
  return html`<p>
    ${more ? 'Of the newest 10,000 orders: ' : 'In all: '}${counts.join(', ')}.
    ${paid.map(
      ({ currency, amount, refunded }) =>
        html`<br />Paid: <strong>${amount} ${currency}</strong>${
            /[1-9]/.test(refunded) ? html`, of which ${refunded} refunded` : nothing
          }.`,
    )}
    ${more ? html`<br />For all of them, choose fewer days.` : nothing}
  </p>`;
}

function renderRemoved(months: NonNullable<OrderListView['removed']>): TemplateResult {
  return renderSection(
    'Orders that are no longer stored, by month (UTC)',
    ['Month', 'Paid', 'Not paid', 'Amount', 'Refunded'],
    months.map(({ month, paid, unpaid, currency, amount, refunded }) => [
      month,
      count(paid),
      count(unpaid),
      `${amount} ${currency}`,
      `${refunded} ${currency}`,
    ]),
    'None',
  );
}

function count(value: number): string {
  return value.toLocaleString('en');
}

function renderEmpty({ q, ...filter }: Params, { empty }: OrderListOptions): TemplateResult {
  if (q) {
    return html`<p>
      Nothing found. The beginning of an order’s name is enough; enter everything else in full, and
      an amount with its currency.
    </p>`;
  }
  return Object.values(filter).some(Boolean)
    ? html`<p>No order matches. <a href=${linkTo('orders')}>Show all orders</a></p>`
    : empty;
}

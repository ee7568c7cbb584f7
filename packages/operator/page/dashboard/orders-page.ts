import { html, nothing, type TemplateResult } from 'lit';
import type { OrderListView, OrderRow } from '../../src/dashboard/view.js';
import { ApiError, download } from '../frame/api.js';
import { localTime } from '../frame/formatting.js';
import { linkTo, page, type Params } from '../frame/page.js';
import { renderTable, words } from '../frame/parts.js';
import { orderLink } from './parts.js';

const STATES = [
  ...['open', 'returned', 'paid', 'failed', 'cancelled', 'left', 'expired', 'unconfirmed', 'void'],
];

/** The orders of the merchant by state and day, or what a search has found. */
export const ordersPage = page<OrderListView>({
  path: 'orders',
  nav: 'Orders',
  title: ({ q }) => (q ? `Search: ${q}` : 'Orders'),
  read: (params) => `orders?${queryOf(params)}`,
  draw: ({ items, next, more }, params) =>
    html`${params['q'] ? nothing : renderForm(params)}
    ${items.length === 0 ? renderEmpty(params) : renderOrders(items)}
    ${more ? html`<p>There are more. Enter more of the name.</p>` : nothing}
    ${params['q'] ? nothing : renderMore(params, next)}`,
});

/** What the server is asked for: a day is one of the person's zone. */
function queryOf({ q, state, from, to, cursor }: Params): string {
  const start = startOf(from);
  const end = startOf(to, 1);
  return String(
    new URLSearchParams({
      ...(q && { q }),
      ...(state && { state }),
      ...(start !== undefined && { from: String(start) }),
      ...(end !== undefined && { to: String(end) }),
      ...(cursor && { cursor }),
    }),
  );
}

/** Undefined for what is no day. */
function startOf(day: string | undefined, daysLater = 0): number | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? [];
  if (date === undefined) return undefined;
  return new Date(Number(year), Number(month) - 1, Number(date) + daysLater).getTime();
}

function renderForm({ state = '', from = '', to = '' }: Params): TemplateResult {
  const fieldsOf = (form: HTMLFormElement): Params =>
    Object.fromEntries(
      [...new FormData(form)].map(([name, value]) => [
        name,
        typeof value === 'string' ? value : '',
      ]),
    );
  const show = (event: SubmitEvent): void => {
    event.preventDefault();
    location.hash = linkTo('orders', fieldsOf(event.target as HTMLFormElement));
  };
  const save = async (event: Event): Promise<void> => {
    const button = event.target as HTMLButtonElement;
    const problem = button.form?.querySelector('[role=alert]');
    if (!button.form || !problem || button.ariaDisabled === 'true') return;
    button.setAttribute('aria-disabled', 'true');
    problem.textContent = '';
    try {
      await download(`orders.csv?${queryOf(fieldsOf(button.form))}`, 'orders.csv');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      problem.textContent = error.message;
    } finally {
      button.removeAttribute('aria-disabled');
    }
  };
  return html`<form @submit=${show}>
    <fieldset class="grid">
      <label>
        State
        <select name="state" .value=${state}>
          <option value="">all</option>
          ${STATES.map((each) => html`<option ?selected=${each === state}>${each}</option>`)}
        </select>
      </label>
      <label>From <input name="from" type="date" .value=${from} /></label>
      <label>To <input name="to" type="date" .value=${to} /></label>
    </fieldset>
    <button>Show</button>
    <button type="button" class="outline" @click=${save}>Download CSV</button>
    <p class="problem" role="alert"></p>
  </form>`;
}

function renderOrders(items: readonly OrderRow[]): TemplateResult {
  return renderTable(
    'Orders',
    ['Order', 'State', 'Amount', 'Created', 'Check before shipping'],
    items.map(({ order, state, amount, currency, amountRefunded, attention, createdAt }) => [
      orderLink(order),
      state === 'paid' ? html`<ins>paid</ins>` : state,
      html`${amount}
      ${currency}${
        /[1-9]/.test(amountRefunded)
          ? html`<br /><small>${amountRefunded} refunded</small>`
          : nothing
      }`,
      localTime(createdAt),
      attention.length === 0 ? '–' : html`<mark>${attention.map(words).join(', ')}</mark>`,
    ]),
  );
}

function renderEmpty({ q, state, from, to }: Params): TemplateResult {
  if (q) {
    return html`<p>
      Nothing found. Order names are case-sensitive, and the beginning of a name is enough; enter
      references, transactions and events in full.
    </p>`;
  }
  return state || from || to
    ? html`<p>No order matches. <a href=${linkTo('orders')}>Show all orders</a></p>`
    : html`<p>
        No orders yet. <a href=${linkTo('setup')}>Setup</a> has the snippet with your values.
      </p>`;
}

function renderMore({ cursor, ...filter }: Params, next: string | undefined): TemplateResult {
  const link = (text: string, query: Params) =>
    html`<a role="button" class="outline" href=${linkTo('orders', query)}>${text}</a>`;
  return html`<p>
    ${cursor ? link('Newest', filter) : nothing}
    ${next ? link('Older', { ...filter, cursor: next }) : nothing}
  </p>`;
}

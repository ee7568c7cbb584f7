import { type Params, linkTo, queryOf } from '@pay-checkout/page-kit/address';
import { renderTable } from '@pay-checkout/page-kit/parts';
import { html, nothing, type TemplateResult } from 'lit';
import type { SessionSummary } from '../../src/control/session-control.js';
import type { Merchant } from '../../src/accounts.js';
import { renderForm } from '../forms.js';
import { badge, money, renderSearch, sessionLink, time } from '../parts.js';
import { view, type Frame } from '../view.js';

interface Sessions {
  readonly sessions: readonly SessionSummary[];
  readonly total: number;
  readonly merchants: readonly Merchant[];
}

const ROWS = 50;

/** The checkout sessions, newest first, and a way to create one without a shop. */
export const sessionsView = view<Sessions>({
  path: 'sessions',
  nav: 'Sessions',
  title: () => 'Checkout sessions',
  read: async (read, { search = '', state, skip }) => {
    const query = queryOf({ search: search.trim(), state, skip, limit: String(ROWS) });
    const [list, { merchants }] = await Promise.all([
      read<Sessions>(`sessions${query}`),
      read<Sessions>('about'),
    ]);
    return { ...list, merchants };
  },
  draw: ({ sessions, total, merchants }, params, frame) => {
    const { search, state } = params;
    const isFiltered = Boolean(search ?? state);
    return html`${renderCreate(merchants, frame)}
    ${
      total === 0 && !isFiltered
        ? html`<p class="quiet">No session yet. A shop creates one with POST /create-session.</p>`
        : html`${renderTools(params, frame)}
          ${total === 0 ? html`<p class="quiet">No session matches.</p>` : renderSessions(sessions)}
          ${renderPages(total, params)}`
    }`;
  },
});

function renderTools({ skip: _skip, ...filter }: Params, frame: Frame): TemplateResult {
  const choose = (event: Event) =>
    frame.filter({ ...filter, state: (event.target as HTMLSelectElement).value });
  return html`<div class="buttons">
    ${renderSearch('Search ids, orders, references, addresses', filter, frame)}
    <p>
      <label class="unseen" for="state">State</label>
      <select id="state" .value=${filter['state'] ?? ''} @change=${choose}>
        <option value="">Any state</option>
        <option>open</option>
        <option>paid</option>
        <option>expired</option>
      </select>
    </p>
  </div>`;
}

function renderSessions(sessions: readonly SessionSummary[]): TemplateResult {
  return renderTable(
    'Checkout sessions',
    ['Session', 'State', 'Amount', 'Order', 'Reference', 'Created'],
    sessions
      .toReversed()
      .map((session) => [
        sessionLink(session.session_id),
        badge(session.state),
        money(session.Amount, session.currency),
        session.order_id,
        session.MerchantReference,
        time(session.createdAt),
      ]),
  );
}

function renderPages(total: number, { skip = '0', ...filter }: Params): TemplateResult {
  const next = Number(skip) + ROWS;
  return html`<p class="buttons">
    ${Number(skip) > 0 ? html`<a href=${linkTo('sessions', filter)}>Newest</a>` : nothing}
    ${
      next < total
        ? html`<a href=${linkTo('sessions', { ...filter, skip: String(next) })}>Older</a>`
        : nothing
    }
    <span class="quiet">${total.toLocaleString('en')} ${total === 1 ? 'session' : 'sessions'}</span>
  </p>`;
}

/** The few fields that a payment needs; a shop sends more. */
function renderCreate(merchants: readonly Merchant[], frame: Frame): TemplateResult {
  return renderForm<SessionSummary>(frame, {
    name: 'Create a session',
    buttons: { sessions: 'Create a session' },
    fields: {
      merchant_id: {
        label: 'Merchant',
        options: merchants.map(({ id, name, currency }) => [id, `${name}, ${currency}`]),
      },
      order_id: { label: 'Order', value: 71, isRequired: true },
      Amount: { label: 'Amount', value: 12, isRequired: true },
    },
    done({ session_id: id }) {
      location.hash = linkTo(`sessions/${id}`);
      return '';
    },
  });
}

import { html } from 'lit';
import type { SessionSummary } from '../../src/control/sandbox-control.js';
import { queryOf } from '../api.js';
import { badge, money, renderSearch, renderTable, sessionLink, time } from '../parts.js';
import { linkTo, view } from '../view.js';

const ROWS = 50;

/** The checkout sessions, newest first. */
export const sessionsView = view<{ readonly sessions: readonly SessionSummary[]; total: number }>({
  path: 'sessions',
  nav: 'Sessions',
  title: () => 'Checkout sessions',
  read: (read, { search = '', skip }) =>
    read(`sessions${queryOf({ search: search.trim(), skip, limit: String(ROWS) })}`),
  draw: ({ sessions, total }, params, frame) => {
    const { search, skip = '0' } = params;
    const from = Number(skip);
    if (total === 0 && !search) {
      return html`<p class="empty">
        No session yet. Create one with <code>POST /create-session</code>: the
        <a href="#/requests">requests</a> have an example.
      </p>`;
    }
    return html`<div class="tools">
        ${renderSearch('Search sessions: id, order, reference, state', params, frame)}
      </div>
      ${
        total === 0
          ? html`<p class="empty">No session has this.</p>`
          : renderTable(
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
            )
      }
      <p class="buttons">
        ${from > 0 ? html`<a class="button quiet" href=${linkTo('sessions', { search })}>Newest</a>` : ''}
        ${
          from + ROWS < total
            ? html`<a
                class="button quiet"
                href=${linkTo('sessions', { search, skip: String(from + ROWS) })}
                >Older</a
              >`
            : ''
        }
        <span class="hint"
          >${total.toLocaleString('en')} ${total === 1 ? 'session' : 'sessions'}</span
        >
      </p>`;
  },
});

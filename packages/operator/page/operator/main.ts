import { html } from 'lit';
import type { SessionView } from '../../src/page-view.js';
import { time } from '../frame/formatting.js';
import { startFrame } from '../frame/frame.js';
import { orderListPage } from '../frame/order-list.js';
import { orderLink } from '../frame/parts.js';
import { auditPage } from './audit-page.js';
import { healthPage } from './health-page.js';
import { orderPage } from './order-page.js';
import { queuePage } from './queue-page.js';
import { reportPage } from './report-page.js';
import { searchPage } from './search-page.js';

const ordersPage = orderListPage({
  hasMerchants: true,
  isUtc: true,
  time,
  link: ({ merchant, order }) => orderLink(merchant, order),
  empty: html`<p>No orders yet.</p>`,
});

await startFrame<SessionView>({
  name: 'Pay Checkout operator',
  pages: [queuePage, ordersPage, healthPage, reportPage, auditPage, searchPage, orderPage],
  keyHint: html`Sign in with a key of the operator (<code>PAY_OPERATOR_KEY</code>).`,
  place: ({ environment }) => `operator · ${environment}`,
  person: ({ actor, role }) =>
    html`<small title="The audit trail names you so">${actor} · ${role}</small>`,
  search: {
    label: 'Order, reference, e-mail, amount, checkout, transaction or event',
    placeholder: 'Order, reference, checkout …',
    path: 'search',
  },
  consoleUrl: (session) => session.consoleUrl,
  may: ({ role }, wanted) => role === 'admin' || role === wanted,
  canSignOut: ({ isNamedByProxy }) => !isNamedByProxy,
  problems: { read: 'problems', page: 'health' },
});

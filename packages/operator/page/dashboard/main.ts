import { linkTo } from '@pay-checkout/page-kit/address';
import { html } from 'lit';
import type { DashboardSessionView } from '../../src/dashboard/view.js';
import { localTime } from '../frame/formatting.js';
import { startFrame } from '../frame/frame.js';
import { orderListPage } from '../frame/order-list.js';
import { eventsPage } from './events-page.js';
import { orderPage } from './order-page.js';
import { orderLink } from './parts.js';
import { setupPage } from './setup-page.js';

const ordersPage = orderListPage({
  time: localTime,
  link: ({ order }) => orderLink(order),
  empty: html`<p>
    No orders yet. <a href=${linkTo('setup')}>Setup</a> has the snippet with your values.
  </p>`,
});

await startFrame<DashboardSessionView>({
  name: 'Pay Checkout',
  pages: [ordersPage, eventsPage, setupPage, orderPage],
  keyHint: 'Sign in with the API key that your back end has.',
  place: ({ name, environment }) => `${name} · ${environment}`,
  person: ({ merchant, actor }) =>
    html`<small title="The fingerprint of your key">${merchant} · ${actor}</small>`,
  search: {
    label: 'Order, reference, e-mail, amount, transaction or event',
    placeholder: 'Order, reference, transaction …',
    path: 'orders',
  },
});

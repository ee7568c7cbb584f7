import { html } from 'lit';
import type { DashboardSessionView } from '../../src/dashboard/view.js';
import { startFrame } from '../frame/frame.js';
import { eventsPage } from './events-page.js';
import { orderPage } from './order-page.js';
import { ordersPage } from './orders-page.js';
import { setupPage } from './setup-page.js';

await startFrame<DashboardSessionView>({
  name: 'Pay Checkout',
  pages: [ordersPage, eventsPage, setupPage, orderPage],
  keyHint: 'Sign in with the API key that your back end has.',
  place: ({ name, environment }) => `${name} · ${environment}`,
  person: ({ merchant, actor }) =>
    html`<small title="The fingerprint of your key">${merchant} · ${actor}</small>`,
  search: {
    label: 'Order, reference, transaction or event',
    placeholder: 'Order, reference, transaction …',
    path: 'orders',
  },
});

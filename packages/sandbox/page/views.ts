import type { View } from './view.js';
import { requestsView, requestView } from './views/requests-view.js';
import { faultsView } from './views/faults-view.js';
import { sandboxView } from './views/sandbox-view.js';
import { scenariosView } from './views/scenarios-view.js';
import { webhookView } from './views/webhook-view.js';
import { webhooksView } from './views/webhooks-view.js';
import { switchesView } from './views/switches-view.js';
import { sessionsView } from './views/sessions-view.js';
import { sessionView } from './views/session-view.js';
import { transactionsView } from './views/transactions-view.js';
import { transactionView } from './views/transaction-view.js';

/** Every view, in the order of the navigation. The first is where one begins. */
export const VIEWS: readonly View[] = [
  requestsView,
  requestView,
  sessionsView,
  sessionView,
  transactionsView,
  transactionView,
  webhooksView,
  webhookView,
  scenariosView,
  faultsView,
  switchesView,
  sandboxView,
];

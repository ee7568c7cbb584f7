import type { Effect } from './retry.js';

/** Which of the provider's addresses an operation is under (spec 4, 4.3, 4.4). */
export type BaseName = 'api' | 'merchants' | 'transfers';

/** Which key an operation carries: spec 5 shows the API key on all but the scheduled transfers. */
export type KeyName = 'apiKey' | 'transfersApiKey';

/** What the provider's document shows of an operation, and what follows from it for repetition. */
export interface OperationFacts {
  /** Named as it is called: `transactions.list`. */
  readonly name: string;
  readonly section: string;
  readonly method: 'GET' | 'POST';
  readonly base: BaseName;
  /** Segments below the base address; each is encoded. */
  readonly path: readonly string[];
  readonly key: KeyName;
  readonly effect: Effect;
}

/** All operations of the document: the one table for client, OpenAPI document and tests. */
export const OPERATIONS = {
  listTransactions: {
    name: 'transactions.list',
    section: '4.1',
    method: 'POST',
    base: 'api',
    path: ['v1', 'transactions', 'list'],
    key: 'apiKey',
    effect: 'read',
  },
  updateSchedule: {
    name: 'reports.updateSchedule',
    section: '4.2',
    method: 'POST',
    base: 'api',
    path: ['v1', 'reports', 'update-schedule'],
    key: 'apiKey',
    effect: 'set',
  },
  associateMerchant: {
    name: 'merchants.associate',
    section: '4.3',
    method: 'POST',
    base: 'merchants',
    path: ['api', 'v1', 'merchants', 'merchant-association'],
    key: 'apiKey',
    // Arriving twice might extend the link twice.
    effect: 'create',
  },
  listScheduledTransfers: {
    name: 'scheduledTransfers.list',
    section: '4.4',
    method: 'GET',
    base: 'transfers',
    path: ['api', 'v1', 'schedule-transfer', '{mid}'],
    key: 'transfersApiKey',
    effect: 'read',
  },
  partnerAnalytics: {
    name: 'analytics.partner',
    section: '4.5',
    method: 'POST',
    base: 'api',
    path: ['v1', 'analytics', 'partner_analytics'],
    key: 'apiKey',
    effect: 'read',
  },
  createCheckoutSession: {
    name: 'checkoutSessions.create',
    section: '4.6',
    method: 'POST',
    base: 'api',
    path: ['create-session'],
    key: 'apiKey',
    effect: 'create',
  },
  createWebhook: {
    name: 'webhooks.create',
    section: '4.7',
    method: 'POST',
    base: 'api',
    path: ['developer-service', 'webhooks', 'create'],
    key: 'apiKey',
    effect: 'once',
  },
  testWebhook: {
    name: 'webhooks.test',
    section: '4.8',
    method: 'POST',
    base: 'api',
    path: ['developer-service', 'webhooks', 'test'],
    key: 'apiKey',
    effect: 'once',
  },
} as const satisfies Readonly<Record<string, OperationFacts>>;

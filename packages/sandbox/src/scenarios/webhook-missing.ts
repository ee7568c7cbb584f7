import type { Approval } from './scenario.js';

/** Approved, but no webhook is sent. */
export const webhookMissing: Approval = {
  name: 'webhook-missing',
  cardNumber: '9000000000000068',
  title: 'No webhook',
  story: 'Approved, but no webhook is sent.',
  decision: 'approve',
  webhooks: 0,
};

import type { Approval } from './scenario.js';

/** Approved, and the webhook is delivered twice. */
export const webhookTwice: Approval = {
  name: 'webhook-twice',
  cardNumber: '9000000000000050',
  title: 'Webhook twice',
  story: 'Approved, and the webhook is delivered twice.',
  decision: 'approve',
  webhooks: 2,
};

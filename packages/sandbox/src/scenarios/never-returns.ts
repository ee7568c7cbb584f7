import type { Approval } from './scenario.js';

/** Approved, but the shopper is not sent back, as when the tab dies. */
export const neverReturns: Approval = {
  name: 'never-returns',
  cardNumber: '9000000000000043',
  title: 'Never returns',
  story: 'Approved, but the shopper is not sent back, as when the tab dies.',
  decision: 'approve',
  redirects: false,
};

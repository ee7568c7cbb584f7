import type { Approval } from './scenario.js';

/** The card is approved. */
export const approved: Approval = {
  name: 'approved',
  cardNumber: '9000000000000001',
  title: 'Approved',
  story: 'The card is approved.',
  decision: 'approve',
};

import type { Approval } from './scenario.js';

/** Approved after 4 seconds of waiting. */
export const slow: Approval = {
  name: 'slow',
  cardNumber: '9000000000000076',
  title: 'Slow',
  story: 'Approved after 4 seconds of waiting.',
  decision: 'approve',
  takesSeconds: 4,
};

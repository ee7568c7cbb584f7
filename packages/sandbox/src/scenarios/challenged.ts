import type { Challenge } from './scenario.js';

/** The bank asks for a code: the right one approves, a wrong one declines. */
export const challenged: Challenge = {
  name: 'challenged',
  cardNumber: '9000000000000027',
  title: 'Asks for a code',
  story: 'The bank asks for a code: the right one approves, a wrong one declines.',
  decision: 'challenge',
};

import type { Expiry } from './scenario.js';

/** The session ends when the card is sent: it can never be paid. */
export const expired: Expiry = {
  name: 'expired',
  cardNumber: '9000000000000084',
  title: 'Session expired',
  story: 'The session ends when the card is sent: it can never be paid.',
  decision: 'expire',
};

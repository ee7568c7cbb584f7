import type { Decline } from './scenario.js';

/** The card is declined; the same session can be paid with another card. */
export const declined: Decline = {
  name: 'declined',
  cardNumber: '9000000000000019',
  title: 'Declined',
  story: 'The card is declined; the same session can be paid with another card.',
  decision: 'decline',
  message: 'The card was declined. Nothing was charged: try another card.',
};

import type { Approval } from './scenario.js';

/** Approved, but the list of transactions shows it only after 20 seconds. */
export const listedLate: Approval = {
  name: 'listed-late',
  cardNumber: '9000000000000035',
  title: 'Listed late',
  story: 'Approved, but the list of transactions shows it only after 20 seconds.',
  decision: 'approve',
  listedAfterSeconds: 20,
};

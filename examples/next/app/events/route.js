import { getPay, paid, priceOf } from '../../lib/shop.js';

export const POST = (request) =>
  getPay().events.handler({
    expectedAmount: priceOf,
    onPaid: ({ order }) => paid.add(order),
  })(request);

import { paid, pay, priceOf } from '../lib/shop.js';

const receive = pay.events.handler({
  expectedAmount: priceOf,
  onPaid: ({ order }) => paid.add(order),
});

export const POST = ({ request }) => receive(request);

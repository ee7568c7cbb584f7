import { paid, pay, priceOf } from '../shop.server.js';

const receive = pay.events.handler({
  expectedAmount: priceOf,
  onPaid: ({ order }) => paid.add(order),
});

export const action = ({ request }) => receive(request);

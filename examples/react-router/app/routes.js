import { route } from '@react-router/dev/routes';

export default [
  route('pay/:order', 'routes/pay.jsx'),
  route('events', 'routes/events.js'),
  route('orders/:order', 'routes/order.js'),
];

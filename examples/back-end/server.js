/** Serves a page that was built, and what it needs to show the tag: `node server.js dist`. */
import { resolve } from 'node:path';
import express from 'express';
import { pay, priceOf, server, shop } from './shop.js';

const pages = resolve(process.argv[2] ?? 'dist');

shop.get('/api/pay/:order', async ({ params: { order } }, response) => {
  const { orderToken, payUrl } = await pay.orders.put(order, priceOf(order));
  response.json({ server, order, orderToken, payUrl });
});
shop.use(express.static(pages));
shop.get('/pay/:order', (_request, response) => response.sendFile('index.html', { root: pages }));
shop.listen(Number(process.env.PORT ?? 3000));

/**
 * The least that could be called the same: Express 5 that parses with zod and forwards with undici,
 * and answers a status from memory.
 */
import { createServer } from 'node:http';
import express from 'express';
import { Agent } from 'undici';
import { z } from 'zod';
import { listenAndReport } from './report.ts';

const agent = new Agent({ connections: 50 });
const provider = process.env['PROVIDER_URL'] ?? '';
const openRequest = z.strictObject({
  merchant: z.string(),
  order: z.string(),
  orderToken: z.string().optional(),
});
let orders = 0;

const app = express();
app.post('/v1/checkouts', express.json(), async (request, response) => {
  const { order } = openRequest.parse(request.body);
  orders += 1;
  const { body } = await agent.request({
    origin: provider,
    path: '/create-session',
    method: 'POST',
    headers: { 'content-type': 'application/json', api_key: 'bench' },
    body: JSON.stringify({
      merchant_id: 1001,
      order_id: orders,
      Amount: '9.99',
      MerchantReference: order,
    }),
  });
  const { session_id: sessionId } = (await body.json()) as { session_id: string };
  response.json({ checkout: String(orders), state: 'open', sessionId, amount: '9.99' });
});
app.get('/v1/checkouts', (request, response) => {
  response.json({ checkouts: [{ checkout: request.query['id'], state: 'open', revision: 1 }] });
});
listenAndReport(createServer(app));

/** The worker on Node, for your own machine. */
import { serve } from '@hono/node-server';
import worker from './worker.js';

serve({
  fetch: (request) => worker.fetch(request, process.env),
  port: Number(process.env.PORT ?? 3000),
});

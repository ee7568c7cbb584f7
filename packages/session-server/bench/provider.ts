/**
 * A provider that answers at once, in a process of its own: what is measured is not its work.
 * `GET /webhook-url` tells the `WebhookUrl` that it was given last.
 */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenAndReport } from './report.ts';

let sessions = 0;
let lastBody = '{}';
const server = createServer((request, response) => {
  void text(request).then((body) => {
    response.setHeader('content-type', 'application/json');
    switch (request.url) {
      case '/create-session':
        sessions += 1;
        lastBody = body;
        response.end(JSON.stringify({ session_id: `session-${String(sessions)}` }));
        break;
      case '/webhook-url':
        response.end(JSON.stringify((JSON.parse(lastBody) as { WebhookUrl: string }).WebhookUrl));
        break;
      default:
        response.end('{"data":{"transactions":[]},"pagination":{"hasMore":false}}');
    }
  });
});
listenAndReport(server);

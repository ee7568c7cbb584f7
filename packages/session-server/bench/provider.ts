/**
 * A provider that answers at once, in a process of its own: what is measured is not its work.
 * `GET /webhook-urls` lists every `WebhookUrl` that it was given.
 */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenAndReport } from './report.ts';

let sessions = 0;
const webhookUrls: string[] = [];
const server = createServer((request, response) => {
  void text(request).then((body) => {
    response.setHeader('content-type', 'application/json');
    switch (request.url) {
      case '/create-session':
        sessions += 1;
        webhookUrls.push((JSON.parse(body) as { WebhookUrl: string }).WebhookUrl);
        response.end(JSON.stringify({ session_id: `session-${String(sessions)}` }));
        break;
      case '/webhook-urls':
        response.end(JSON.stringify(webhookUrls));
        break;
      default:
        response.end('{"data":{"transactions":[]},"pagination":{"hasMore":false}}');
    }
  });
});
listenAndReport(server);

/**
 * A provider that answers at once, in a process of its own: what is measured is not its work.
 * `GET /webhook-urls` lists every `WebhookUrl` that it was given; `POST /pay-all` pays every session that is not paid;
 * `GET /list-calls` counts the list calls.
 */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenAndReport } from './report.ts';

interface Session {
  readonly WebhookUrl: string;
  readonly MerchantReference: string;
}

const sessions: Session[] = [];
let listCalls = 0;
/** As the list of transactions shows them, newest first. */
let paid: readonly object[] = [];
const server = createServer((request, response) => {
  void text(request).then((body) => {
    response.setHeader('content-type', 'application/json');
    switch (request.url) {
      case '/create-session':
        sessions.push(JSON.parse(body) as Session);
        response.end(JSON.stringify({ session_id: `session-${String(sessions.length)}` }));
        break;
      case '/webhook-urls':
        response.end(JSON.stringify(sessions.map(({ WebhookUrl }) => WebhookUrl)));
        break;
      case '/pay-all':
        paid = sessions.map(toTransaction).reverse();
        response.end('{}');
        break;
      case '/list-calls':
        response.end(JSON.stringify(listCalls));
        break;
      default:
        listCalls += 1;
        response.end(JSON.stringify(listPage(JSON.parse(body) as ListQuery)));
    }
  });
});
listenAndReport(server);

interface ListQuery {
  readonly limit: number;
  readonly cursor?: string;
}

function listPage({ limit, cursor }: ListQuery): object {
  const from = Number(cursor ?? 0);
  const end = from + limit;
  const hasMore = end < paid.length;
  return {
    data: { transactions: paid.slice(from, end), timezone: 'UTC' },
    pagination: { hasMore, ...(hasMore && { nextCursor: String(end) }) },
  };
}

function toTransaction({ MerchantReference }: Session, index: number): object {
  return {
    id: `transaction-${String(index)}`,
    transactionTime: new Date().toISOString(),
    status: 'SUCCESS',
    merchantId: 1001,
    currencyCode: 'GBP',
    amount: 9.99,
    orderRef: MerchantReference,
  };
}

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import type { TestStack } from './test-stack.js';

export const OPERATOR_KEY = 'operator-key-operator-key-operator-key';
/** Settings of a server that has the operator's page. */
export const OPERATOR_ENV = { PAY_OPERATOR_PORT: '0', PAY_OPERATOR_KEY: OPERATOR_KEY };

interface Ask {
  /** Of the page's listener. Default: the operator's. */
  readonly port?: number | undefined;
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

export interface PageAnswer<T> {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly body: T & { readonly code?: string };
}

/** Asks as a page of the back office does in a browser; a header that is undefined is left out. */
export async function askAsPage<T = Record<string, unknown>>(
  stack: TestStack,
  path: string,
  { port = stack.server.operatorPort, method = 'GET', body, headers }: Ask = {},
): Promise<PageAnswer<T>> {
  const host = `localhost:${String(port)}`;
  const sent = {
    host,
    ...(method !== 'GET' && { origin: `http://${host}` }),
    'sec-fetch-site': 'same-origin',
    'x-pay-page': '1',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  };
  const given = Object.entries(sent).filter((entry): entry is [string, string] =>
    Boolean(entry[1]),
  );
  const asked = request({
    ...{ host: '127.0.0.1', port, path, method },
    headers: Object.fromEntries(given),
  });
  asked.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const text = await readText(response);
  const isJson = (response.headers['content-type'] ?? '').includes('json') && text !== '';
  return {
    status: response.statusCode,
    headers: response.headers,
    text,
    body: (isJson ? JSON.parse(text) : undefined) as PageAnswer<T>['body'],
  };
}

/** Signs in; answers the cookie to send. */
export async function signIn(stack: TestStack, key = OPERATOR_KEY, port?: number): Promise<string> {
  const sent = { port, method: 'POST', body: { key } };
  const { headers } = await askAsPage(stack, '/page/session', sent);
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

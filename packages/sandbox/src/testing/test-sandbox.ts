/** A sandbox on a free port for one test, and the calls that a test makes. */
import { createServer, request as startRequest, type IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createSandbox, type Sandbox } from '../sandbox.js';
import type { SandboxOptions } from '../settings.js';

export const API_KEY = 'invented-key';

/** A card that the form accepts, apart from its number. */
export const CARD = { expiry: '12/90', securityCode: '123', name: 'Robin Sample' };

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ListReply {
  readonly data: { readonly transactions: Readonly<Record<string, unknown>>[]; timezone: string };
  readonly pagination: { readonly hasMore: boolean; readonly nextCursor?: string };
}

export class TestSandbox {
  readonly sandbox: Sandbox;
  readonly url: string;

  constructor(sandbox: Sandbox, url: string) {
    this.sandbox = sandbox;
    this.url = url;
  }

  async send(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(this.url + path, { method, redirect: 'manual', ...init });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const body = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
    return { status: response.status, headers: response.headers, text, body };
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('POST', path, {
      headers: { 'content-type': 'application/json', api_key: API_KEY, ...headers },
      body: JSON.stringify(body),
    });
  }

  /** Changes what the spec does not show, by its control route. */
  setSwitches(change: Readonly<Record<string, unknown>>): Promise<Answer> {
    return this.send('PATCH', '/_sandbox/switches', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(change),
    });
  }

  /** Any method with any body: what `fetch` refuses to send, such as a body on a GET. */
  async sendRaw(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string,
  ): Promise<{ status: number; text: string; headers: IncomingMessage['headers'] }> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = startRequest(this.url + path, { method, headers }, resolve);
      request.on('error', reject);
      request.end(body);
    });
    const text = await readText(response);
    return { status: response.statusCode ?? 0, text, headers: response.headers };
  }

  /** The read of scheduled transfers, with a body that says its length in bytes. */
  async readTransfers(mid: string, body?: unknown, headers: Record<string, string> = {}) {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const framing =
      text === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
    const path = `/api/v1/schedule-transfer/${mid}`;
    const answer = await this.sendRaw('GET', path, { ...framing, ...headers }, text);
    return { ...answer, body: JSON.parse(answer.text) as unknown };
  }

  createSession(fields: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    return this.post('/create-session', {
      merchant_id: 1001,
      order_id: 71,
      Amount: '12.34',
      MerchantReference: 'A1001.71',
      ...fields,
    });
  }

  /** Opens a session and gives its id. */
  async openSession(fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { body } = await this.createSession(fields);
    return String(body['session_id']);
  }

  pay(session: string, number: string, card: object = {}): Promise<Answer> {
    return this.post(`/pages/sessions/${session}/payments`, { ...CARD, number, ...card });
  }

  async list(query: Readonly<Record<string, unknown>> = {}): Promise<ListReply> {
    const answer = await this.post('/v1/transactions/list', query);
    return answer.body as unknown as ListReply;
  }

  async listIds(query: Readonly<Record<string, unknown>> = {}): Promise<unknown[]> {
    return (await this.list(query)).data.transactions.map(({ id }) => id);
  }
}

/** Starts a sandbox that stops with the test. */
export async function startSandbox(options: Partial<SandboxOptions> = {}): Promise<TestSandbox> {
  const sandbox = createSandbox({ apiKey: API_KEY, ...options });
  onTestFinished(() => sandbox.close());
  const { url } = await sandbox.listen();
  return new TestSandbox(sandbox, url);
}

export interface ReceivedWebhook {
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** A receiver of webhooks: answers the given statuses in turn, then 200. */
export async function startReceiver(
  statuses: readonly number[] = [],
  answer = '',
): Promise<{
  url: string;
  received: ReceivedWebhook[];
  whenReceived(count: number): Promise<void>;
}> {
  const received: ReceivedWebhook[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      received.push({ headers: request.headers, text: Buffer.concat(chunks).toString() });
      response.writeHead(statuses[received.length - 1] ?? 200).end(answer);
      for (const { count, resolve } of waiting) if (received.length >= count) resolve();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks/token`,
    received,
    whenReceived: (count) =>
      new Promise((resolve) => {
        if (received.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
  };
}

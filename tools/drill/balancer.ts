import { once } from 'node:events';
import { type ClientRequest, createServer, request as ask } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, type Reply, send, within } from './http.ts';

const CHECK_PAUSE_MS = 500;
/** A replica that does not answer its health check for so long gets no more requests. */
const CHECK_SECONDS = 5;
const REPEAT_PAUSE_MS = 100;

interface Target {
  readonly port: number;
  isUp: boolean;
  readonly underWay: Set<ClientRequest>;
}

/** Spreads requests over replicas, as the proxy before them does, and watches their health. */
export class Balancer {
  /** Answers that a page is not to see from any replica. */
  readonly errors: string[] = [];
  readonly #targets: readonly Target[];
  readonly #port: number;
  readonly #server = createServer((request, response) => {
    void buffer(request).then(
      (body) => {
        this.#forward({ request, response, body, tries: this.#targets.length });
      },
      () => response.destroy(),
    );
  });
  #next = 0;
  #isOpen = true;

  constructor(port: number, replicas: readonly number[]) {
    this.#port = port;
    this.#targets = replicas.map((port) => ({ port, isUp: true, underWay: new Set() }));
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.#port)}`;
  }

  async listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    for (const target of this.#targets) void this.#watch(target);
  }

  /** Repeats a request until a replica answers it, as pages, shops and the provider do. */
  async call(path: string, call?: Call): Promise<Reply> {
    while (this.#isOpen) {
      const reply = await send(this.url + path, call).catch(() => undefined);
      if (reply?.status === 500) this.errors.push(`${path} was answered 500: ${reply.text}`);
      if (reply && reply.status < 500) return reply;
      await sleep(REPEAT_PAUSE_MS);
    }
    throw new Error('the drill is over');
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #forward(exchange: {
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    readonly body: Buffer;
    readonly tries: number;
  }): void {
    const { request, response, body, tries } = exchange;
    const target = this.#pick();
    if (target === undefined || tries === 0) {
      response.writeHead(503).end();
      return;
    }
    const { method, url, headers } = request;
    const options = { host: '127.0.0.1', port: target.port, method, path: url, headers };
    const sent = ask({ ...options, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    target.underWay.add(sent);
    sent.on('close', () => target.underWay.delete(sent));
    sent.on('error', (error) => {
      if (response.headersSent) response.destroy();
      else if ('code' in error && error.code === 'ECONNREFUSED') {
        this.#forward({ ...exchange, tries: tries - 1 });
      } else response.writeHead(502).end();
    });
    sent.end(body);
  }

  #pick(): Target | undefined {
    const up = this.#targets.filter(({ isUp }) => isUp);
    this.#next += 1;
    return up[this.#next % up.length];
  }

  async #watch(target: Target): Promise<void> {
    const url = `http://127.0.0.1:${String(target.port)}/healthz`;
    while (this.#isOpen) {
      const { status } = await within(CHECK_SECONDS, 'health', send(url)).catch(() => ({
        status: 0,
      }));
      target.isUp = status === 200;
      // It may hang: another one is asked instead.
      if (!target.isUp) for (const sent of target.underWay) sent.destroy();
      await sleep(CHECK_PAUSE_MS, undefined, { ref: false });
    }
  }
}

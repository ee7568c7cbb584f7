import { once } from 'node:events';
import { type ClientRequest, createServer, request as ask } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, type Reply, send, within } from './http.ts';
import type { KillableServer } from './server.ts';

const CHECK_PAUSE_MS = 500;
/** A server that does not answer its health check for so long gets no more requests. */
const CHECK_SECONDS = 5;
const REPEAT_PAUSE_MS = 50;

interface Target {
  readonly server: Pick<KillableServer, 'ports'>;
  isHanging: boolean;
  readonly running: Set<ClientRequest>;
}

/** Spreads requests over the servers. Where none answers, it breaks the connection as a dead one does. */
export class Proxy {
  /** Answers that no page, shop or provider should get. */
  readonly errors: string[] = [];
  readonly #targets: Target[] = [];
  readonly #mayBeUnavailable: boolean;
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

  private constructor(mayBeUnavailable: boolean) {
    this.#mayBeUnavailable = mayBeUnavailable;
  }

  /** @param mayBeUnavailable whether a server may answer 503, because its database is away */
  static async start(mayBeUnavailable: boolean): Promise<Proxy> {
    const proxy = new Proxy(mayBeUnavailable);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  add(server: KillableServer): void {
    const target = { server, isHanging: false, running: new Set<ClientRequest>() };
    this.#targets.push(target);
    void this.#watch(target);
  }

  /** Repeats a request until a server answers it, as pages, shops and the provider do. */
  readonly call = async (path: string, call?: Call): Promise<Reply> => {
    while (this.#isOpen) {
      const reply = await send(this.url + path, call).catch(() => undefined);
      const { status = 503, text } = reply ?? {};
      if (reply && (status === 500 || (status > 500 && !this.#mayBeUnavailable))) {
        this.errors.push(`${path} was answered ${String(status)}: ${String(text)}`);
      }
      if (reply && status < 500) return reply;
      await sleep(REPEAT_PAUSE_MS);
    }
    throw new Error('the drill is over');
  };

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
      response.destroy();
      return;
    }
    const { method, url, headers } = request;
    const { port } = target.server.ports ?? {};
    const options = { host: '127.0.0.1', port, method, path: url, headers };
    const sent = ask({ ...options, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    target.running.add(sent);
    sent.on('close', () => target.running.delete(sent));
    sent.on('error', (error) => {
      if (response.headersSent || !('code' in error) || error.code !== 'ECONNREFUSED') {
        response.destroy();
      } else this.#forward({ ...exchange, tries: tries - 1 });
    });
    sent.end(body);
  }

  #pick(): Target | undefined {
    const up = this.#targets.filter(({ server, isHanging }) => server.ports && !isHanging);
    this.#next += 1;
    return up[this.#next % up.length];
  }

  async #watch(target: Target): Promise<void> {
    while (this.#isOpen) {
      const { port } = target.server.ports ?? {};
      const url = `http://127.0.0.1:${String(port)}/healthz`;
      target.isHanging =
        port !== undefined &&
        (await within(CHECK_SECONDS, 'health', send(url)).then(
          () => false,
          (error: unknown) => error instanceof Error && error.message.startsWith('health'),
        ));
      // Another server is asked instead.
      if (target.isHanging) for (const sent of target.running) sent.destroy();
      await sleep(CHECK_PAUSE_MS, undefined, { ref: false });
    }
  }
}

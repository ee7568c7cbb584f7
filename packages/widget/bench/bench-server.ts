import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { compress, type Contestant } from './contestants.ts';

export const SDK_GLOBAL = 'BenchSdk';

/** An SDK that records when it is configured, and mounts a form of a card's size at once. */
const SDK = `globalThis.${SDK_GLOBAL} = {
  configure({ container }) {
    globalThis.configuredAt = performance.now();
    const form = document.createElement('form');
    form.style.height = '240px';
    form.append(document.createElement('input'));
    document.querySelector(container).append(form);
    return Promise.resolve({ destroy() { form.remove(); } });
  },
};`;

/**
 * Plays the shop at `shop.localhost` and, of another site, the session server and the SDK's host at
 * `pay.localhost`. Below `/late/{milliseconds}` creating a checkout and the SDK answer that much later.
 */
export class BenchServer {
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #scripts: ReadonlyMap<string, Buffer>;
  #checkouts = 0;

  constructor(contestants: readonly Contestant[]) {
    this.#scripts = new Map(
      contestants.map(({ tag, script }) => [`/${tag}.js`, compress(script)] as const),
    );
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Address of a page of the shop. */
  shop(path: string): string {
    return `http://shop.localhost:${this.#port}${path}`;
  }

  /** Origin of the session server; `lateMs` is how late its slow answers come. */
  pay(lateMs = 0): string {
    return `http://${lateMs === 0 ? '' : `late-${lateMs}.`}pay.localhost:${this.#port}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://bench');
    const path = url.pathname;
    const [, late] = /^late-(\d+)\./.exec(request.headers.host ?? '') ?? [];
    const lateMs = Number(late ?? 0);
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('cache-control', 'no-store');
    if (request.method === 'OPTIONS') {
      response.setHeader('access-control-allow-headers', 'content-type');
      response.setHeader('access-control-max-age', '7200');
      response.writeHead(204).end();
    } else if (path === '/v1/checkouts' && request.method === 'GET') {
      // A poll without news waits until the page stops asking.
      return;
    } else if (path === '/v1/checkouts') {
      await pause(lateMs);
      sendJson(response, this.#open(lateMs));
    } else if (path === '/v1/checkout-config') {
      const { environment, sdk } = this.#open(lateMs);
      sendJson(response, { merchant: url.searchParams.get('merchant'), environment, sdk });
    } else if (path.endsWith('/hints')) {
      sendJson(response, {});
    } else if (path === '/sdk.js') {
      await pause(lateMs);
      response.setHeader('content-type', 'text/javascript').end(SDK);
    } else if (this.#scripts.has(path)) {
      response.setHeader('content-type', 'text/javascript').setHeader('content-encoding', 'br');
      response.end(this.#scripts.get(path));
    } else {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(pageOf(url.searchParams));
    }
  }

  #open(lateMs: number) {
    this.#checkouts += 1;
    return {
      checkout: `bench-${this.#checkouts}`,
      state: 'open',
      revision: 1,
      sessionId: `session-${this.#checkouts}`,
      amount: '42.50',
      currency: 'GBP',
      environment: 'sandbox',
      sdk: {
        url: `${this.pay(lateMs)}/sdk.js`,
        global: SDK_GLOBAL,
        argument: 'object',
        container: 'selector',
        origins: { script: [this.pay()], frame: [], connect: [] },
      },
    };
  }
}

/** A page of the shop, with `markup` between what a shop has above and below a payment. */
function pageOf(parameters: URLSearchParams): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Bench</title>
    <link rel="icon" href="data:,"><style>
      body { font: 16px/1.5 sans-serif }
      /* The space that the quick start reserves, for both. */
      pay-checkout, bare-checkout { display: block; min-block-size: 16rem }
    </style>
    ${parameters.get('head') ?? ''}
    <h1>Your order</h1><main>${parameters.get('markup') ?? ''}</main><p>Thank you for buying here.</p>`;
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
}

function pause(milliseconds: number): Promise<unknown> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * How long a client may take, in milliseconds. Requests are short, so whoever sends one slowly only
 * holds a connection. Idle connections are kept for longer than proxies keep theirs (a minute, most
 * of them): else a request meets a connection that is just being closed, and its answer is lost.
 */
const LIMITS = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5000,
};

/** How long requests that are under way may take when a listener closes. */
const DRAIN_MS = 2000;

export interface Listener {
  /** The port that it listens on. */
  readonly port: number;
  /** Lets requests end, then ends them: a shopper's long poll asks again by itself. */
  close(): Promise<void>;
}

/** Listens; rejects when the address cannot be had. */
export async function startListener(
  app: RequestListener,
  { host, port }: { readonly host: string; readonly port: number },
  limits: Readonly<typeof LIMITS> = LIMITS,
): Promise<Listener> {
  const server = createServer(limits, app);
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const timer = setTimeout(() => {
        server.closeAllConnections();
      }, DRAIN_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

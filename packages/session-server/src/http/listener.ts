import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

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
): Promise<Listener> {
  const server = createServer(app);
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

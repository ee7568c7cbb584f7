import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of a test on a real socket of this machine. */
export class LocalServer {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(listener: RequestListener): Promise<LocalServer> {
    const server = createServer(listener);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LocalServer(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

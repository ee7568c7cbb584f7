import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../errors.js';
import { requireOneHost } from './headers.js';

/**
 * How long a client may take, in milliseconds. Requests are short, so a slow sender only holds
 * a connection. Idle connections are kept longer than most proxies keep theirs (a minute): otherwise
 * a request meets a connection that is being closed, and its answer is lost. A connection on which
 * nothing moves is one whose client does not read its answer: a long poll is answered sooner.
 */
export const LIMITS = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5000,
  inactivityTimeout: 60_000,
};

/** How long running requests may take when a listener closes. */
const DRAIN_MS = 2000;

export interface Listener {
  /** The port that it listens on. */
  readonly port: number;
  /**
   * Lets requests end, then ends them: a shopper's long poll asks again. Answers whether none had to be
   * cut off.
   */
  close(): Promise<boolean>;
}

function describeListenError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'EADDRINUSE':
      return 'another program listens there; stop it, or choose another port';
    case 'EACCES':
      return 'this user is not allowed to listen there; choose a port above 1023';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'this machine has no such address';
    default:
      return `the system does not allow listening there (${code})`;
  }
}

/** @throws {ConfigError} when the address is not available */
export async function startListener(
  app: RequestListener,
  { host, port }: { readonly host: string; readonly port: number },
  { inactivityTimeout, ...limits }: Readonly<typeof LIMITS> = LIMITS,
): Promise<Listener> {
  const answer: RequestListener = (request, response) => {
    // While it drains: otherwise a proxy keeps sending requests on its connections until they are cut.
    if (!server.listening) response.setHeader('connection', 'close');
    requireOneHost(request, response, () => {
      app(request, response);
    });
  };
  const server = createServer(limits, answer);
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // Behind an answer of its connection, Node writes the interim answer between head and body of the next one.
    if (response.socket !== null) response.writeContinue();
    answer(request, response);
  });
  server.setTimeout(inactivityTimeout);
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const why = `${host} port ${String(port)}: ${describeListenError(error)}`;
    throw new ConfigError('listener', [why]);
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      if (!server.listening) return true;
      let hasCut = false;
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const timer = setTimeout(() => {
        hasCut = true;
        server.closeAllConnections();
      }, DRAIN_MS);
      await closed;
      clearTimeout(timer);
      return !hasCut;
    },
  };
}

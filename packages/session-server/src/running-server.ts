import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from './config.js';
import { ConfigError } from './errors.js';
import { requireOneHost } from './http/headers.js';
import { createLogger, describeError } from './logger.js';
import { loadOperator } from './operator-package.js';
import { createSessionServer, type SessionServerOptions } from './server.js';

export interface RunningServer {
  /** The port that it listens on. */
  readonly port: number;
  /** The port of the operator's listener, or of the one for metrics alone; undefined when there is none. */
  readonly operatorPort: number | undefined;
  /** The port of the merchant's dashboard; undefined when there is none. */
  readonly dashboardPort: number | undefined;
  /**
   * Makes `/readyz` 503 for as long as proxies need to see it, and goes on answering; then closes.
   *
   * @param signal what asked for it, for the log
   */
  closeBehindProxies(signal?: string): Promise<void>;
  /** Stops listening, ends running requests, then the server. May be called twice. */
  close(signal?: string): Promise<void>;
}

/**
 * Creates a session server and listens; see {@link createSessionServer}. With a port for the operator or
 * for the merchant's dashboard, it has the pages of `@pay-checkout/operator`, which has to be installed.
 *
 * @throws {ConfigError} when it is not
 */
export async function startSessionServer(
  config: Config,
  options: SessionServerOptions = {},
): Promise<RunningServer> {
  const { logger = createLogger(config.logLevel, config.serverName) } = options;
  const operator =
    options.operator ??
    (config.operator && (await loadOperator('PAY_OPERATOR_PORT')).createOperator);
  const dashboard =
    options.dashboard ??
    (config.dashboard && (await loadOperator('PAY_DASHBOARD_PORT')).createDashboard);
  const server = await createSessionServer(config, {
    ...{ ...options, logger },
    ...(operator && { operator }),
    ...(dashboard && { dashboard }),
  });
  const listeners: Listener[] = [];
  const listen = async (
    app: RequestListener | undefined,
    address: Parameters<typeof startListener>[1] | undefined,
    limits = LIMITS,
  ): Promise<number | undefined> => {
    if (!app || !address) return undefined;
    const listener = await startListener(app, address, limits);
    listeners.push(listener);
    return listener.port;
  };
  const close = async (): Promise<boolean> => {
    const drained = await Promise.all(listeners.map((listener) => listener.close()));
    await server.close();
    return drained.every(Boolean);
  };
  try {
    const address = config.operator ?? config.metrics;
    const ports = {
      port: (await listen(server.handler, config)) ?? config.port,
      operatorPort: await listen(server.operator, address, OPERATOR_LIMITS),
      dashboardPort: await listen(server.dashboard, config.dashboard),
    };
    const operatorHost = server.operator && address?.host;
    const dashboardHost = server.dashboard && config.dashboard?.host;
    const hosts = { host: config.host, operatorHost, dashboardHost };
    logger.info({ ...hosts, ...ports }, 'server listens');
    let closing: Promise<void> | undefined;
    const closeOnce = (signal?: string, startedAt = performance.now()): Promise<void> =>
      (closing ??= close().then((drained) => {
        const ms = Math.round(performance.now() - startedAt);
        logger.info({ signal, drained, ms }, 'server stopped');
      }));
    return {
      ...ports,
      async closeBehindProxies(signal) {
        const startedAt = performance.now();
        server.announceStop();
        await sleep(ANNOUNCE_MS);
        await closeOnce(signal, startedAt);
      },
      close: (signal) => closeOnce(signal),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Runs the server as this process: reports the port to its parent, and closes when asked to stop. */
export async function runSessionServer(
  config: Config,
  options: Pick<SessionServerOptions, 'onStep'> = {},
): Promise<void> {
  const logger = createLogger(config.logLevel, config.serverName);
  process.on('uncaughtExceptionMonitor', (error) => {
    logger.error(describeError(error), 'the process ends: an error was not handled');
  });
  const starting = startSessionServer(config, { ...options, logger });
  // From now on, so that a signal that comes while it starts ends it as well as a later one.
  const endOn = (signal: string, close: (server: RunningServer) => Promise<void>): void => {
    process.once(signal, () => {
      // A failed start cleans up after itself.
      const closed = starting.then(close, () => undefined);
      void closed.then(() => {
        if (process.connected) process.disconnect();
      });
    });
  };
  for (const signal of ['SIGINT', 'disconnect']) endOn(signal, (server) => server.close(signal));
  endOn('SIGTERM', (server) =>
    config.trustProxy === 0 ? server.close('SIGTERM') : server.closeBehindProxies('SIGTERM'),
  );
  const server = await starting;
  const { port, operatorPort, dashboardPort } = server;
  process.send?.({ type: 'listening', port, operatorPort, dashboardPort });
}

/**
 * How long a client may take, in milliseconds. Requests are short, so a slow sender only holds
 * a connection. Idle connections are kept longer than most proxies keep theirs (a minute): otherwise
 * a request meets a connection that is being closed, and its answer is lost. A connection on which
 * nothing moves is one whose client does not read its answer: a long poll is answered sooner.
 */
const LIMITS = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5000,
  inactivityTimeout: 60_000,
};

/** The report of a busy day waits for its share of the quota of pages, and has nothing to send until then. */
const OPERATOR_LIMITS = { ...LIMITS, inactivityTimeout: 3_600_000 };

/** How long `/readyz` is 503 before a server behind a proxy closes: two or three of its health checks. */
const ANNOUNCE_MS = 3000;

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

import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from './config.js';
import { LIMITS, type Listener, startListener } from './http/listener.js';
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

/** The report of a busy day waits for its share of the quota of pages, and has nothing to send until then. */
const OPERATOR_LIMITS = { ...LIMITS, inactivityTimeout: 3_600_000 };

/** How long `/readyz` is 503 before a server behind a proxy closes: two or three of its health checks. */
const ANNOUNCE_MS = 3000;

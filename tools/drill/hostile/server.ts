/**
 * The session server as a process that names its routes and measures itself. Its tuning is JSON in the
 * variable TUNING.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createDashboard, createOperator } from '@pay-checkout/operator';
import { parseConfig, type TuningChanges } from '../../../packages/session-server/dist/config.js';
import { startListener } from '../../../packages/session-server/dist/http/listener.js';
import { createSessionServer } from '../../../packages/session-server/dist/server.js';
import { listRoutes } from './routes.ts';

/** What the process has when its garbage is collected. */
export interface Usage {
  readonly rssBytes: number;
  readonly heapBytes: number;
  /** Sockets, timers and the like that keep it alive. */
  readonly resources: number;
  /** Whether a request has changed the prototype of all objects. */
  readonly isPolluted: boolean;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const PROPERTIES = Object.getOwnPropertyNames(Object.prototype).length;

function measure(): Usage {
  collectGarbage();
  const { rss, heapUsed } = process.memoryUsage();
  return {
    rssBytes: rss,
    heapBytes: heapUsed,
    resources: process.getActiveResourcesInfo().filter((name) => name !== 'Timeout').length,
    isPolluted: Object.getOwnPropertyNames(Object.prototype).length !== PROPERTIES,
  };
}

const tuning = JSON.parse(process.env['TUNING'] ?? '{}') as TuningChanges;
const config = parseConfig(process.env, tuning);
const pages = { operator: createOperator, dashboard: createDashboard };
const server = await createSessionServer(config, pages);
const listener = await startListener(server.handler, config);
const operator =
  server.operator && config.operator && (await startListener(server.operator, config.operator));
const dashboard =
  server.dashboard && config.dashboard && (await startListener(server.dashboard, config.dashboard));
const routes = [
  ...listRoutes(server.handler, 'public'),
  ...(server.operator ? listRoutes(server.operator, 'operator') : []),
  ...(server.dashboard ? listRoutes(server.dashboard, 'dashboard') : []),
];

process.on('message', (question) => {
  process.send?.(question === 'usage' ? measure() : routes);
});
process.once('SIGTERM', () => {
  void Promise.all([listener.close(), operator?.close(), dashboard?.close()])
    .then(() => server.close())
    .then(() => {
      process.disconnect();
    });
});
process.send?.({
  type: 'listening',
  port: listener.port,
  operatorPort: operator?.port,
  dashboardPort: dashboard?.port,
});

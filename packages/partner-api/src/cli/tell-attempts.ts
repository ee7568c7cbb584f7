import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import type { AttemptEvent } from '../http/observe.js';
import type { Terminal } from './output/terminal.js';

const CHANNEL = 'pay-checkout.partner-api.attempt.end';

/**
 * Tells every attempt on stderr, from what the client publishes: no paths, bodies or keys. The
 * returned function ends it.
 */
export function tellAttempts(terminal: Terminal): () => void {
  const tell = (message: unknown): void => terminal.warn(describe(message as AttemptEvent));
  subscribe(CHANNEL, tell);
  return () => unsubscribe(CHANNEL, tell);
}

function describe(event: AttemptEvent): string {
  const { operation, method, host, attempt, status, error, responseBytes } = event;
  const result = status === undefined ? (error ?? 'no answer') : `${status}`;
  const size = responseBytes === undefined ? '' : ` ${responseBytes} bytes`;
  const time = `${Math.round(event.durationMilliseconds ?? 0)} ms`;
  return `[${operation}] ${method} ${host} attempt ${attempt}: ${result}${size} in ${time}`;
}

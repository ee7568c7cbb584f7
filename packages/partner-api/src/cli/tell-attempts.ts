import { channel } from 'node:diagnostics_channel';

import type { AttemptEvent } from '../internal/observe.js';
import type { Terminal } from './output/terminal.js';

/** Tells every attempt on stderr, from what the client publishes: no paths, bodies or keys. */
export function tellAttempts(terminal: Terminal): void {
  channel('pay-checkout.partner-api.attempt.end').subscribe((message) => {
    const { operation, method, host, attempt, status, durationMilliseconds, error, responseBytes } =
      message as AttemptEvent;
    const result = status === undefined ? (error ?? 'no answer') : `${status}`;
    const size = responseBytes === undefined ? '' : ` ${responseBytes} bytes`;
    const time = `${Math.round(durationMilliseconds ?? 0)} ms`;
    terminal.warn(
      `[${operation}] ${method} ${host} attempt ${attempt}: ${result}${size} in ${time}`,
    );
  });
}

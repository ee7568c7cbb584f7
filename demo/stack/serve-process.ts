/** Serves an application as a process of the stack: listens, says so, and closes on a signal. */
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { ConfigError } from '../shared/config.js';

const CLOSE_WITHIN_MS = 3000;

export interface ServeProcessOptions {
  /** For example `shop`, in what is printed. */
  readonly name: string;
  readonly app: Express;
  readonly host: string;
  readonly port: number;
  /** What browsers use; printed. */
  readonly publicUrl: string;
  /** Called when the last connection is gone. */
  readonly onClosed?: () => void;
}

/**
 * Serves what `prepare` makes until SIGINT, SIGTERM or the end of the parent process. Settings that
 * cannot be used are printed, and end the process.
 */
export function serveProcess(prepare: () => ServeProcessOptions): void {
  try {
    serve(prepare());
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
    if (process.connected) process.disconnect();
  }
}

function serve({ name, app, host, port: wanted, publicUrl, onClosed }: ServeProcessOptions): void {
  const server = app.listen(wanted, host, (error) => {
    if (error) {
      console.error(`The ${name} cannot listen on ${host}:${wanted}: ${error.message}`);
      process.exit(1);
    }
    const { port } = server.address() as AddressInfo;
    console.log(`The ${name} listens on http://${host}:${port} for ${publicUrl}`);
    process.send?.({ type: 'listening', port });
  });

  let isClosing = false;
  const close = (): void => {
    if (isClosing) return;
    isClosing = true;
    server.close(() => {
      onClosed?.();
      process.exit(0);
    });
    server.closeIdleConnections();
    setTimeout(() => {
      server.closeAllConnections();
    }, CLOSE_WITHIN_MS).unref();
  };
  process.once('SIGINT', close);
  process.once('SIGTERM', close);
  process.once('disconnect', close);
}

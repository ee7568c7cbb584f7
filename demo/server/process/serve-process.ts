/** Serves an application as a process of the stack: listens, says so, and closes when told to. */
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';

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

/** Listens until SIGINT, SIGTERM or the end of whoever started this process. */
export function serveProcess(options: ServeProcessOptions): void {
  const { name, app, host, port: wanted, publicUrl, onClosed } = options;
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

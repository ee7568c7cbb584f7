import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createApp } from './app.js';
import { SandboxControl } from './control/sandbox-control.js';
import { makeContext } from './make-context.js';
import { completeSettings, type SandboxOptions } from './settings.js';

/** A provider on one's own machine. */
export interface Sandbox {
  /** Starts to listen. Default: a free port of 127.0.0.1. */
  listen(port?: number, host?: string): Promise<{ port: number; url: string }>;
  /** Stops, cuts every connection and gives up every delivery. Any time, also twice. */
  close(): Promise<void>;
  /** What `/_sandbox/…` offers, for tests in the same process. */
  readonly control: SandboxControl;
}

/**
 * Puts a sandbox together; it listens when told to.
 *
 * @example
 * const sandbox = createSandbox({ apiKey: 'sandbox-key' });
 * const { url } = await sandbox.listen();
 * // POST `${url}/create-session` with the header api_key: sandbox-key
 * await sandbox.close();
 */
export function createSandbox(options: SandboxOptions): Sandbox {
  const context = makeContext(completeSettings(options));
  const { faults, webhooks } = context;
  const control = new SandboxControl(context);
  const server = createServer(createApp(context, control));
  let starting: Promise<{ port: number; url: string }> | undefined;
  let isClosed = false;
  return {
    control,
    async listen(port = 0, host = '127.0.0.1') {
      if (isClosed) throw new Error('This sandbox is closed. Create another one.');
      starting = listen(server, port, host);
      return starting;
    },
    async close() {
      isClosed = true;
      faults.release();
      webhooks.close();
      // A server that is still starting would open its port after it was closed.
      await starting?.catch(() => undefined);
      await close(server);
    },
  };
}

async function listen(
  server: Server,
  port: number,
  host: string,
): Promise<{ port: number; url: string }> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  const name = host.includes(':') ? `[${host}]` : host;
  return { port: address.port, url: `http://${name}:${address.port}` };
}

async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createApp } from './app.js';
import { makeContext } from './context.js';
import { makeControl, type SandboxControl } from './control/sandbox-control.js';
import { completeSettings, type SandboxOptions } from './settings.js';

/** A provider on your own machine. */
export interface Sandbox {
  /** Starts to listen. Default: a free port of 127.0.0.1. */
  listen(port?: number, host?: string): Promise<{ port: number; url: string }>;
  /** Stops: closes every connection and abandons every delivery. Safe at any time, also twice. */
  close(): Promise<void>;
  /** What `/_sandbox/…` does, for tests in the same process. */
  readonly control: SandboxControl;
}

/**
 * Makes a sandbox. Call `listen()` to start it.
 *
 * @example
 * const sandbox = createSandbox({ apiKey: 'sandbox-key' });
 * const { url } = await sandbox.listen();
 * // POST `${url}/create-session` with the header api_key: sandbox-key
 * await sandbox.close();
 */
export function createSandbox(options: SandboxOptions): Sandbox {
  const context = makeContext(completeSettings(options));
  const { faults, payments, webhooks } = context;
  const control = makeControl(context);
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
      payments.clear();
      webhooks.close();
      // A server that is still starting would open its port after the close.
      await starting?.catch(() => undefined);
      await close(server);
    },
  };
}

/** A sandbox that listens. */
export interface RunningSandbox extends Sandbox, AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
}

/**
 * Makes a sandbox and starts it on a free port of 127.0.0.1: for a test.
 *
 * @example
 * const sandbox = await startSandbox();
 * const client = new PartnerApi({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
 * await sandbox.close();
 */
export async function startSandbox(options: Partial<SandboxOptions> = {}): Promise<RunningSandbox> {
  const { apiKey = 'sandbox-key' } = options;
  const sandbox = createSandbox({ ...options, apiKey });
  const { url } = await sandbox.listen();
  return { ...sandbox, url, apiKey, [Symbol.asyncDispose]: () => sandbox.close() };
}

async function listen(
  server: Server,
  port: number,
  host: string,
): Promise<{ port: number; url: string }> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  const name = host.includes(':') ? `[${host}]` : host;
  return { port: address.port, url: `http://${name}:${address.port}` };
}

async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** The partner console's process: environment → settings → console → listen → close when told to. */
import { join } from 'node:path';
import { ConsoleConfigError, readConsoleConfig } from './console/console-config.js';
import { createConsole } from './console/console.js';
import { findPackageDirectory } from './package-directory.js';
import { serveProcess } from './process/serve-process.js';

/** There is no log-in, so it is for this machine only. */
const HOST = '127.0.0.1';

try {
  const config = readConsoleConfig(process.env);
  const siteDirectory = join(findPackageDirectory('@pay-checkout/demo'), 'dist', 'console');
  const app = createConsole({ config, siteDirectory });
  const { port, publicUrl } = config;
  serveProcess({ name: 'partner console', app, host: HOST, port, publicUrl });
} catch (error) {
  if (!(error instanceof ConsoleConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
  if (process.connected) process.disconnect();
}

/** The partner console's process. */
import { createConsole } from '../console/app.js';
import { readConsoleConfig } from '../console/config.js';
import { serveProcess } from './serve-process.js';
import { siteDirectoryOf } from './settings.js';

/** There is no log-in, so it is for this machine only. */
const HOST = '127.0.0.1';

serveProcess(() => {
  const config = readConsoleConfig(process.env);
  const app = createConsole({ config, siteDirectory: siteDirectoryOf('console') });
  const { port, publicUrl } = config;
  return { name: 'partner console', app, host: HOST, port, publicUrl };
});

#!/usr/bin/env node
import { parseConfig } from './config.js';
import { ConfigError } from './errors.js';
import { startSessionServer } from './session-server.js';

/** The process: environment → config → server → listen, and close when asked. */
async function main(): Promise<void> {
  const config = parseConfig(process.env);
  const server = await startSessionServer(config);
  const stop = (): void => {
    void server.close().then(() => {
      if (process.connected) process.disconnect();
    });
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  process.once('disconnect', stop);
  process.stdout.write(`session server on port ${String(server.port)}\n`);
  process.send?.({ type: 'listening', port: server.port });
}

main().catch((error: unknown) => {
  const isExpected =
    error instanceof ConfigError || (error instanceof Error && error.name === 'DatabaseInUseError');
  const text = isExpected ? String((error as Error).message) : String((error as Error).stack);
  process.stderr.write(`pay-session-server cannot start\n${text}\n`);
  process.exitCode = 1;
});

#!/usr/bin/env node
/** The sandbox as a process (environment → settings → listen → close), or a command for one that runs. */
import { parseArgs } from 'node:util';
import { runCommand } from './cli.js';
import { findUnknownVariables, parseConfig, type SandboxConfig } from './config.js';
import { exportForPayPartner } from './pay-partner.js';
import { createSandbox } from './sandbox.js';

const words = process.argv.slice(2);
const isStart = words.length === 0 || /^--(config|adversarial)\b/.test(words[0] ?? '');

async function main(): Promise<void> {
  const options = { config: { type: 'string' }, adversarial: { type: 'string' } } as const;
  const { config: path, adversarial } = parseArgs({ args: words, options }).values;
  const given = adversarial === undefined ? {} : { SANDBOX_ADVERSARIAL: adversarial };
  const config = readConfig({ ...process.env, ...given }, path);
  for (const name of findUnknownVariables(process.env)) {
    console.error(`${name} is not a setting of the sandbox, and changes nothing.`);
  }
  const sandbox = createSandbox(config);
  const stop = () => void sandbox.close().then(() => process.disconnect?.());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  process.once('disconnect', () => void sandbox.close());
  const { port, url } = await sandbox.listen(config.port, config.host);
  console.log(`Sandbox (no money moves) listens on ${config.publicUrl ?? url}

  Its page:     ${config.publicUrl ?? url}/
  Its key:      ${config.apiKey}
  pay-partner:  ${exportForPayPartner({ ...config, url })}
${config.adversarial === undefined ? '' : `  Adversarial:  seed ${config.adversarial}\n`}`);
  process.send?.({ type: 'listening', port });
}

function readConfig(environment: NodeJS.ProcessEnv, path: string | undefined): SandboxConfig {
  try {
    return parseConfig(environment, path);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

const run = isStart ? main() : command();

async function command(): Promise<void> {
  const [write, writeError] = [console.log, console.error];
  process.exitCode = await runCommand(words, { env: process.env, write, writeError });
}

run.catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
  process.disconnect?.();
});

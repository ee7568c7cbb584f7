import { type ChildProcessWithoutNullStreams, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { Cli } from '../cli/cli.js';
import { runCli } from '../cli/program.js';

/** The key of every test: it must be seen nowhere. */
export const CANARY = 'canary-key-6f1d90c4';

const BUILT_CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const SANDBOX = fileURLToPath(new URL('../../../sandbox/dist/main.js', import.meta.url));

/** How a run ended, and what it said. */
export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a run is given besides its arguments. */
export interface CliInput {
  readonly env?: NodeJS.ProcessEnv;
  readonly stdin?: string;
  /** Nothing comes from stdin, and it does not end. */
  readonly openStdin?: boolean;
  /** As if on a terminal of so many columns. */
  readonly columns?: number;
  readonly signal?: AbortSignal;
}

/** Runs a command line in this process: the same code as the built one, without starting Node. */
export async function run(args: readonly string[], input: CliInput = {}): Promise<CliResult> {
  const { env = {}, stdin = '', columns, signal = new AbortController().signal } = input;
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  const stdout = Object.assign(new PassThrough(), terminal);
  const stderr = Object.assign(new PassThrough(), terminal);
  const source = Object.assign(new PassThrough(), { isTTY: false }) as unknown;
  if (input.openStdin !== true) (source as PassThrough).end(stdin);
  const said = Promise.all([text(stdout), text(stderr)]);
  const context = { env, stdin: source as NodeJS.ReadStream, stdout, stderr, signal };
  const code = await runCli(new Cli(context), args);
  stdout.end();
  stderr.end();
  const [out, err] = await said;
  return { code, stdout: out, stderr: err };
}

/** Starts the built command line as a process of its own. */
export function startCli(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [BUILT_CLI, ...args], { env });
}

/** Runs the built command line as a process to its end. */
export async function spawnCli(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<CliResult> {
  return endOf(startCli(args, env));
}

/** What a process says until its end. */
export async function endOf(child: ChildProcessWithoutNullStreams): Promise<CliResult> {
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined,
  ]);
  return { code: child.exitCode, stdout, stderr };
}

/** The sandbox as a process of its own, and the environment in which a command line finds it. */
export interface SandboxProcess extends AsyncDisposable {
  readonly url: string;
  readonly env: NodeJS.ProcessEnv;
  /** A control route of the sandbox, such as `/faults`. */
  control(path: string, body: object): Promise<void>;
}

export async function startSandbox(settings: NodeJS.ProcessEnv = {}): Promise<SandboxProcess> {
  const env = { SANDBOX_PORT: '0', SANDBOX_API_KEY: CANARY, ...settings };
  const child = fork(SANDBOX, { env, silent: true });
  const [message] = (await once(child, 'message')) as [{ port: number }];
  const url = `http://127.0.0.1:${message.port}`;
  return {
    url,
    env: {
      PAY_PARTNER_BASE_URL: url,
      PAY_PARTNER_ENVIRONMENT: 'sandbox',
      PAY_PARTNER_MERCHANTS_BASE_URL: `${url}/merchants-sandbox`,
      PAY_PARTNER_API_KEY: CANARY,
      XDG_CONFIG_HOME: '/nonexistent',
    },
    control: async (path, body) => {
      const response = await fetch(`${url}/_sandbox${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`the sandbox refused ${path}: ${await response.text()}`);
    },
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

/** A new folder that is removed at the end. */
export async function makeFolder(): Promise<AsyncDisposable & { at: (name: string) => string }> {
  const folder = await mkdtemp(join(tmpdir(), 'pay-partner-'));
  return {
    at: (name) => join(folder, name),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

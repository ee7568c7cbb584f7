/**
 * Child processes that end when this process is asked to end, and set-up steps that print a line
 * only when they are slow.
 */
import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

const SILENT_MS = 1_000;
const SIGINT_GRACE_MS = 1_500;
const KILL_AFTER_MS = 15_000;
const PARENT_CHECK_MS = 300;
const OFFLINE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ECONNRESET|ERR_SOCKET_TIMEOUT|NO_OFFLINE/;

/**
 * True in the file that node was asked to run, false where the same file is imported.
 *
 * @param {string} moduleUrl
 */
export function isStartedAs(moduleUrl) {
  const file = process.argv[1];
  return file !== undefined && moduleUrl === pathToFileURL(realpathSync(file)).href;
}

/** A problem that the user can fix: shown without a stack. */
export class SetupError extends Error {
  /** @override */
  name = 'SetupError';
}

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
/** @type {NodeJS.Signals | undefined} */
let stoppedBy;

/** True once SIGINT, SIGTERM or SIGHUP has come: start nothing new. */
export function isStopping() {
  return stoppedBy !== undefined;
}

/** The exit code for a run that a signal cut short, as a shell would show it. */
export function stoppedExitCode() {
  return exitCodeOf(null, stoppedBy ?? null);
}

/** @param {NodeJS.Signals} signal */
function stop(signal) {
  if (stoppedBy !== undefined) return;
  stoppedBy = signal;
  if (running.size === 0) process.exit(exitCodeOf(null, signal));
  // Ctrl-C reaches the whole process group, so the children have it already; a second SIGINT
  // would mean "at once" to many of them. A child that has not ended soon after was not in the group.
  setTimeout(() => signalAll('SIGTERM'), signal === 'SIGINT' ? SIGINT_GRACE_MS : 0).unref();
  setTimeout(() => signalAll('SIGKILL'), KILL_AFTER_MS).unref();
}

/** @param {NodeJS.Signals} signal */
function signalAll(signal) {
  for (const child of running) child.kill(signal);
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, stop);
}

/**
 * npm starts its scripts through a shell that dies of a signal without passing it on, and nothing
 * passes on a SIGKILL. So a process that npm or one of our scripts started ends when its parent is gone.
 */
function stopWithParent() {
  const { npm_lifecycle_event, PAY_PARENT_PID } = process.env;
  const parent = process.ppid;
  if (npm_lifecycle_event === undefined && PAY_PARENT_PID !== String(parent)) return;
  setInterval(() => {
    if (process.ppid !== parent) stop('SIGTERM');
  }, PARENT_CHECK_MS).unref();
}
stopWithParent();

/**
 * The exit code a shell would show.
 *
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 */
function exitCodeOf(code, signal) {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

/**
 * Runs a command and resolves with its exit code. SIGTERM and SIGINT are passed on to it.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string, onOutput?: (text: string) => void }} [options]
 *   `onOutput` gets standard output and standard error, which are otherwise inherited.
 * @returns {Promise<number>}
 */
export function spawnAndWait(command, args, { env = process.env, cwd = ROOT, onOutput } = {}) {
  if (stoppedBy !== undefined) return Promise.resolve(exitCodeOf(null, stoppedBy));
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], {
      cwd,
      env: { ...env, PAY_PARENT_PID: String(process.pid) },
      stdio: onOutput ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      // On Windows npm and pnpm are .cmd files, which only a shell can start.
      shell: process.platform === 'win32' && !command.endsWith('.exe'),
    });
    running.add(child);
    child.stdout?.setEncoding('utf8').on('data', (text) => onOutput?.(text));
    child.stderr?.setEncoding('utf8').on('data', (text) => onOutput?.(text));
    child.on('error', (error) => {
      running.delete(child);
      reject(new SetupError(`Could not start ${command}: ${error.message}`));
    });
    child.on('close', (code, signal) => {
      running.delete(child);
      resolve(exitCodeOf(code, signal));
    });
  });
}

/**
 * Runs one step of the set-up: silent when quick, one line when not, its whole output when it fails.
 * Resolves with its output.
 *
 * @param {string} doing - What is being done: "Installing the packages".
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>}
 */
export async function runSetupStep(doing, command, args, env) {
  const startedAt = Date.now();
  let output = '';
  let said = false;
  const timer = setTimeout(() => {
    said = true;
    console.log(`${doing} …`);
  }, SILENT_MS);
  try {
    const code = await spawnAndWait(command, args, {
      env,
      onOutput: (text) => {
        output += text;
      },
    });
    if (stoppedBy !== undefined) process.exit(exitCodeOf(null, stoppedBy));
    if (code !== 0) throw new SetupError(explainFailure(doing, output));
  } finally {
    clearTimeout(timer);
  }
  if (said) console.log(`${doing}: done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
  return output;
}

/**
 * The output and what to do about it; for a missing network only the line that names it.
 *
 * @param {string} doing
 * @param {string} output
 */
export function explainFailure(doing, output) {
  const offline = output.split('\n').find((line) => OFFLINE.test(line));
  return offline === undefined
    ? `${output.trim()}\n\n${doing} failed. Its output is above.`
    : `${offline.trim()}\n\n${doing} needs the npm registry, which cannot be reached. Connect to the network, or point npm at a registry that answers (npm config set registry …), and run the command again.`;
}

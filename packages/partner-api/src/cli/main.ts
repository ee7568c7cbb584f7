/** `pay-partner` as a process: arguments → command → exit code. */
import { Cli } from './cli.js';
import { EXIT } from './exit-codes.js';
import { runCli } from './program.js';

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // The second one ends at once: what was acknowledged is on the disk.
  process.on(signal, () => {
    if (stopping.signal.aborted) process.exit(EXIT.interrupted);
    stopping.abort(new Error(`stopped by ${signal}`));
  });
}
// `pay-partner … | head`: the reader has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.local);
});
// A reader of stderr that leaves does not stop the work.
process.stderr.on('error', () => undefined);

const { env, stdin, stdout, stderr } = process;
const cli = new Cli({ env, stdin, stdout, stderr, signal: stopping.signal });
process.exitCode = await runCli(cli, process.argv.slice(2));
// Output that a stalled reader has not taken would keep an interrupted run alive.
if (process.exitCode === EXIT.interrupted) process.exit();

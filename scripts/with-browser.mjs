/**
 * Runs a command that needs a browser, with `CHROME_PATH` and what that browser needs in its
 * environment:
 *
 *     node scripts/with-browser.mjs web-test-runner --config …
 *
 * `PAY_BROWSER_ARGS` has the start arguments, separated by spaces.
 */
import { SetupError, spawnAndWait } from './child.mjs';
import { browserEnvironment, findBrowser } from './find-browser.mjs';

const [command, ...args] = process.argv.slice(2);

try {
  if (command === undefined) throw new SetupError('Say which command to run.');
  const env = { ...process.env, ...browserEnvironment(await findBrowser()) };
  process.exitCode = await spawnAndWait(command, args, { env, cwd: process.cwd() });
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

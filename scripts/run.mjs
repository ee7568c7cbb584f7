/**
 * Starts one of our scripts on a machine that may have nothing but Node and npm: gets what is
 * missing (a newer Node, pnpm, the packages), then runs the script with all of it on the PATH.
 *
 *     node scripts/run.mjs scripts/test.mjs [its arguments]
 *
 * This file and what it imports run on the machine's own Node, so they keep to what Node 18 knows.
 */
import { spawnAndWait, SetupError } from './child.mjs';
import { installPackages } from './install.mjs';
import { prepareToolchain } from './toolchain.mjs';

const [script, ...args] = process.argv.slice(2);

try {
  if (script === undefined) throw new SetupError('Say which script to run.');
  const { node, env } = await prepareToolchain();
  await installPackages(env);
  process.exitCode = await spawnAndWait(node, [script, ...args], { env });
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}

/** `npm run drill`: builds, then kills the session server everywhere and counts what was lost. */
import { build } from './build.mjs';
import { spawnAndWait } from './child.mjs';

const args = process.argv.slice(2);

process.exitCode =
  (await build()) ||
  (await spawnAndWait(process.execPath, ['packages/session-server/drill/main.ts', ...args]));

/** `npm start`: builds what is not built yet, then starts the sandbox, the session server and the shop. */
import { build } from './build.mjs';
import { spawnAndWait } from './child.mjs';

process.exitCode =
  (await build()) || (await spawnAndWait(process.execPath, ['demo/dist/server/start.js']));

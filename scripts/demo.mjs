/** `npm start`: builds what is not built yet, then starts the four processes of the demo. */
import { build } from './build.mjs';
import { spawnAndWait } from './child.mjs';

process.exitCode =
  (await build()) || (await spawnAndWait(process.execPath, ['demo/dist/stack/start.js']));

/**
 * `npm run shapes`: builds, then pays once with each shape of the client SDK in each mode, and prints
 * the ways that were chosen. `npm run shapes -- -t "shape popup"` pays with that one only.
 */
import { join } from 'node:path';
import { build } from './build.mjs';
import { ROOT, spawnAndWait } from './child.mjs';

const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
const args = ['run', '--config', 'vitest.shapes.config.ts', ...process.argv.slice(2)];

process.exitCode =
  (await build()) ||
  (await spawnAndWait(process.execPath, [VITEST, ...args], { cwd: join(ROOT, 'demo') }));

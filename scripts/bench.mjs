/** `npm run bench`: builds, then measures each part in ratios, and prints them as JSON lines. */
import { build } from './build.mjs';
import { spawnAndWait } from './child.mjs';

const PROGRAMS = [
  'packages/partner-api/bench/run.mjs',
  'packages/session-server/bench/run.ts',
  'packages/widget/bench/run.ts',
];

process.exitCode = await build();
for (const program of PROGRAMS) {
  process.exitCode ||= await spawnAndWait(process.execPath, [program]);
}

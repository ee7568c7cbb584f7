/**
 * The session server as a process, with its tuning as JSON in the variable TUNING. For drills and
 * tests: an operator needs no such thing.
 */
import { parseConfig } from '../../dist/config.js';
import * as crashPoints from '../../dist/crash-points.js';
import { runSessionServer } from '../../dist/running-server.js';

const config = parseConfig(process.env, JSON.parse(process.env['TUNING'] ?? '{}'));
// An earlier build, from which a drill upgrades, may not have it.
await runSessionServer(config, { onStep: crashPoints.readCrashHook?.(process.env) });

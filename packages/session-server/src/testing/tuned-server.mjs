/**
 * The session server as a process, with its tuning as JSON in the variable TUNING. For drills and
 * tests: an operator needs no such thing.
 */
import { parseConfig } from '../../dist/config.js';
import { armCrashPoint, parseCrashPlan } from '../../dist/crash-points.js';
import { runSessionServer } from '../../dist/running-server.js';

armCrashPoint(parseCrashPlan(process.env));
await runSessionServer(parseConfig(process.env, JSON.parse(process.env['TUNING'] ?? '{}')));

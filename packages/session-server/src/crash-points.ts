import { ConfigError } from './errors.js';

/**
 * Places where the process can be made to die, so that a drill can show that nothing is lost there:
 * each is right after (or before) a step that stores, sends or answers something. `docs/drill.md`
 * says what each one means.
 */
export const CRASH_POINTS = [
  'create:order-priced',
  'create:attempt-stored',
  'create:waiting',
  'create:session-created',
  'create:session-activated',
  'create:attempt-ended',
  'create:before-answer',
  'hint:stored',
  'hint:before-answer',
  'return:recorded',
  'return:before-answer',
  'webhook:stored',
  'webhook:before-answer',
  'webhook:test-counted',
  'webhook:unmatched-retried',
  'webhook:claimed',
  'webhook:marked-unmatched',
  'webhook:completed',
  'webhook:erased',
  'poll:page-read',
  'poll:attempts-found',
  'poll:match-stored',
  'poll:page-processed',
  'poll:ended',
  'schedule:time-applied',
  'schedule:polls-claimed',
  'outbox:claimed',
  'outbox:answered',
  'outbox:delivered-stored',
  'outbox:failure-stored',
  'restore:copied',
  'restore:declared',
  'restore:old-file-kept',
  'restore:file-replaced',
  'restore:adopted',
  'restore:page-reconciled',
  'restore:read',
  'store:recovered',
  'store:written',
  'store:committed',
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/** Where to die, and how many passes from now. */
export interface CrashPlan {
  readonly point: CrashPoint;
  readonly pass: number;
}

let armed: CrashPlan | undefined;
let passes = 0;

/** Dies here, by SIGKILL, if the process was armed for this place; else does nothing. */
export function crashPoint(point: CrashPoint): void {
  if (armed?.point !== point) return;
  passes += 1;
  if (passes === armed.pass) process.kill(process.pid, 'SIGKILL');
}

/** Arms this process; undefined disarms it. */
export function armCrashPoint(plan: CrashPlan | undefined): void {
  armed = plan;
  passes = 0;
}

/**
 * Reads `PAY_CRASH_AT=<point>[:<pass>]`, `create:attempt-stored` or `store:committed:7` for example.
 * Ignored in production.
 *
 * @throws {ConfigError} when there is no such point
 */
export function parseCrashPlan(
  env: Readonly<Record<string, string | undefined>>,
): CrashPlan | undefined {
  const text = env['PAY_CRASH_AT'];
  if (!text || env['PAY_ENVIRONMENT'] === 'production') return undefined;
  const [, name, pass = '1'] = /^([a-z]+:[a-z-]+)(?::([1-9]\d{0,5}))?$/.exec(text) ?? [];
  const point = CRASH_POINTS.find((known) => known === name);
  if (point === undefined) {
    throw new ConfigError('environment', [
      'PAY_CRASH_AT: expected a crash point of docs/drill.md, such as "webhook:stored" or "store:committed:7"',
    ]);
  }
  return { point, pass: Number(pass) };
}

import { ConfigError } from './errors.js';

/**
 * Places where the process can be made to die, so that a drill can show that nothing is lost there:
 * each is right after (or before) a step that stores, sends or answers something. One with the name of a
 * transaction is right after its commit. `tools/drill/README.md` says what each one means.
 */
export const CRASH_POINTS = [
  'order:put',
  'order:void',
  'shop:order-priced',
  'create:begin-attempt',
  'create:waiting',
  'provider:session-created',
  'create:activate-session',
  'create:end-attempt',
  'create:before-answer',
  'hint:record',
  'hint:before-answer',
  'return:record',
  'return:before-answer',
  'webhook:record',
  'webhook:before-answer',
  'webhook:count-test',
  'webhook:retry-unmatched',
  'webhook:claim',
  'webhook:mark-unmatched',
  'webhook:complete',
  'webhook:erase',
  'provider:page-read',
  'poll:attempts-found',
  'poll:store-match',
  'poll:page-processed',
  'poll:ended',
  'schedule:apply-time',
  'outbox:claim',
  'shop:event-answered',
  'outbox:settle',
  'restore:copied',
  'restore:declare',
  'restore:old-file-kept',
  'restore:file-replaced',
  'restore:adopt',
  'restore:page-reconciled',
  'restore:mark-read',
  'store:recover',
  'store:written',
  'store:committed',
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/** Where to die, and how many passes from now. */
export interface CrashPlan {
  readonly point: CrashPoint;
  readonly pass: number;
}

/** Called after each step of {@link CRASH_POINTS}: a test hook. */
export type OnStep = (step: string) => void;

/** What kills this process by SIGKILL at the step that `PAY_CRASH_AT` names; undefined without one. */
export function readCrashHook(
  env: Readonly<Record<string, string | undefined>>,
): OnStep | undefined {
  const plan = parseCrashPlan(env);
  if (!plan) return undefined;
  let passes = 0;
  return (step) => {
    if (step !== plan.point) return;
    passes += 1;
    if (passes === plan.pass) process.kill(process.pid, 'SIGKILL');
  };
}

/**
 * Reads `PAY_CRASH_AT=<point>[:<pass>]`, `create:begin-attempt` or `store:committed:7` for example.
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
      'PAY_CRASH_AT: expected a crash point of tools/drill/README.md, such as "webhook:record" or "store:committed:7"',
    ]);
  }
  return { point, pass: Number(pass) };
}

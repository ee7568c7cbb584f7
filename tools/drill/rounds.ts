import { CRASH_POINTS, type CrashPoint } from '../../packages/session-server/dist/crash-points.js';
import type { Round } from './round.ts';
import type { ScenarioName } from './scenarios.ts';

/**
 * The scenarios that pass each point, and lose something there if anything can be lost. The points of
 * the store are passed by each of them; those of a restore are played in `restore-kill.test.ts`.
 */
export const SCENARIOS_OF: Record<
  Exclude<CrashPoint, `store:${string}` | `restore:${string}`>,
  readonly ScenarioName[]
> = {
  'order:put': ['puts the order', 'puts another price'],
  'order:void': ['makes the order void'],
  'shop:order-priced': ['pays'],
  'create:begin-attempt': ['pays', 'opens in three tabs'],
  'create:waiting': ['waits for the first tab'],
  'provider:session-created': ['pays', 'opens in three tabs'],
  'create:activate-session': ['pays', 'opens in three tabs'],
  'create:end-attempt': ['answer lost'],
  'create:before-answer': ['pays'],
  'hint:record': ['cancels on the page'],
  'hint:before-answer': ['cancels on the page'],
  'return:record': ['pays', 'cancels'],
  'return:before-answer': ['pays', 'cancels'],
  'webhook:record': ['pays', 'vanishes'],
  'webhook:before-answer': ['vanishes'],
  'webhook:count-test': ['webhook test'],
  'webhook:retry-unmatched': ['pays'],
  // Webhooks are processed a moment after they came: a shopper who comes back reads the state without them.
  'webhook:claim': ['vanishes'],
  'webhook:mark-unmatched': ['stray webhook'],
  'webhook:complete': ['vanishes'],
  'webhook:erase': ['pays'],
  'provider:page-read': ['pays', 'vanishes', 'only comes back'],
  'poll:attempts-found': ['pays', 'vanishes'],
  'poll:store-match': ['pays', 'vanishes', 'only comes back', 'wrong amount first'],
  'poll:page-processed': ['vanishes'],
  'poll:ended': ['pays', 'vanishes'],
  'poll:log': ['vanishes'],
  'schedule:apply-time': ['comes too late'],
  'schedule:claim-polls': ['vanishes unheard'],
  'outbox:place': ['pays', 'cancels'],
  'outbox:claim': ['pays', 'cancels'],
  'shop:event-answered': ['pays', 'cancels'],
  'outbox:mark-delivered': ['pays', 'cancels'],
  'outbox:mark-failed': ['shop refuses once'],
};

/** Deaths where something is done for the second time, or among much that comes at once. */
const FURTHER: readonly (readonly [crashAt: readonly string[], scenario: ScenarioName])[] = [
  [['create:begin-attempt:2'], 'asked a new price'],
  [['create:activate-session:2'], 'asked a new price'],
  [['provider:session-created:2'], 'pays the old price'],
  [['return:record'], 'pays the old price'],
  [['poll:store-match'], 'pays the old price'],
  [['order:put:2'], 'puts another price'],
  [['create:begin-attempt:2'], 'puts another price'],
  [['poll:store-match'], 'makes the order void'],
  [['create:begin-attempt:2'], 'renews'],
  [['provider:session-created:2'], 'renews'],
  [['create:activate-session:2'], 'renews'],
  [['webhook:complete'], 'pays twice'],
  [['poll:store-match:2'], 'pays twice'],
  [['shop:event-answered:2'], 'pays twice'],
  [['webhook:complete'], 'is given back'],
  [['poll:store-match:2'], 'is given back'],
  [['shop:event-answered:2'], 'is given back'],
  [['webhook:claim'], 'is proved by a webhook'],
  [['webhook:complete'], 'is proved by a webhook'],
  [['outbox:claim'], 'is proved by a webhook'],
  [['webhook:record:50', 'webhook:before-answer:60', 'webhook:claim'], 'is flooded'],
];

/**
 * Where a poll is under way, the schedule may have claimed the planned one just before the death: the
 * next scheduled one is a minute later.
 */
const DURING_A_POLL = ['provider:page-read', 'poll:attempts-found', 'poll:page-processed'];
const NEXT_POLL_SECONDS = 90;

/** Deaths from outside, at a moment that the provider or the shop knows. */
const FROM_OUTSIDE: readonly ScenarioName[] = [
  'killed while creating',
  'killed while polling',
  'killed while delivering',
];

/**
 * Passes of the group commit in which the process dies; one round each. No more than every scenario is
 * sure to have: commits that come together are one.
 */
const STORE_PASSES = 7;

/** Every crash point with every scenario that passes it, the longest ones first. */
export function namedRounds(): Round[] {
  const further = FURTHER.map(([crashAt, scenario]) => roundOf(crashAt, scenario));
  const rounds = [...outsideRounds(), ...recoveryRounds(), ...storeRounds(), ...further];
  for (const point of CRASH_POINTS) {
    if (point in SCENARIOS_OF) {
      const scenarios = SCENARIOS_OF[point as keyof typeof SCENARIOS_OF];
      rounds.push(...scenarios.map((scenario) => roundOf([point], scenario)));
    }
  }
  const isLong = ({ scenarios }: Round): boolean => scenarios.includes('vanishes unheard');
  return [...rounds.filter(isLong), ...rounds.filter((round) => !isLong(round))];
}

function roundOf(
  crashAt: readonly string[],
  scenario: ScenarioName,
  deaths = crashAt.length,
): Round {
  const isDuringPoll = crashAt.some((point) => DURING_A_POLL.includes(point));
  return {
    title: crashAt.join(', '),
    crashAt,
    scenarios: [scenario],
    deaths,
    ...(isDuringPoll && { withinSeconds: NEXT_POLL_SECONDS }),
  };
}

function outsideRounds(): Round[] {
  return FROM_OUTSIDE.map((scenario) => ({ ...roundOf([], scenario, 1), title: 'from outside' }));
}

/** Dies a second time while it repairs what the first death left. */
function recoveryRounds(): Round[] {
  return [
    roundOf(['store:recover'], 'pays'),
    roundOf(['provider:session-created', 'store:recover'], 'pays'),
    roundOf(['shop:event-answered', 'store:recover'], 'pays'),
    roundOf(['webhook:claim', 'store:recover'], 'vanishes'),
    roundOf(['webhook:mark-unmatched', 'webhook:retry-unmatched'], 'stray webhook'),
  ];
}

function storeRounds(): Round[] {
  return (['store:written', 'store:committed'] as const).flatMap((point) =>
    Array.from({ length: STORE_PASSES }, (_, index) =>
      roundOf([`${point}:${String(index + 1)}`], index % 2 === 0 ? 'pays' : 'cancels'),
    ),
  );
}

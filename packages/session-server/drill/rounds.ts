import { CRASH_POINTS, type CrashPoint } from '../dist/crash-points.js';
import type { Round } from './round.ts';
import type { StoryName } from './stories.ts';

/**
 * The stories that pass each point, and lose something there if anything can be lost. The points of
 * the store are passed by each of them; those of a restore are played in `restore-kill.test.ts`.
 */
const STORIES_OF: Record<
  Exclude<CrashPoint, `store:${string}` | `restore:${string}`>,
  readonly StoryName[]
> = {
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
  // Deliveries are worked on a moment after they came: whoever comes back is told without them.
  'webhook:claim': ['vanishes'],
  'webhook:mark-unmatched': ['stray webhook'],
  'webhook:complete': ['vanishes'],
  'webhook:erase': ['pays'],
  'provider:page-read': ['pays', 'vanishes', 'only comes back'],
  'poll:attempts-found': ['pays', 'vanishes'],
  'poll:store-match': ['pays', 'vanishes', 'only comes back', 'wrong amount first'],
  'poll:page-processed': ['vanishes'],
  'poll:ended': ['pays', 'vanishes'],
  'schedule:apply-time': ['comes too late'],
  'schedule:claim-polls': ['vanishes unheard'],
  'outbox:claim': ['pays', 'cancels'],
  'shop:event-answered': ['pays', 'cancels'],
  'outbox:mark-delivered': ['pays', 'cancels'],
  'outbox:mark-failed': ['shop refuses once'],
};

/** Deaths where something is done for the second time, or among much that comes at once. */
const FURTHER: readonly (readonly [crashAt: readonly string[], story: StoryName])[] = [
  [['create:begin-attempt:2'], 'asked a new price'],
  [['create:activate-session:2'], 'asked a new price'],
  [['provider:session-created:2'], 'pays the old price'],
  [['return:record'], 'pays the old price'],
  [['poll:store-match'], 'pays the old price'],
  [['create:begin-attempt:2'], 'renews'],
  [['provider:session-created:2'], 'renews'],
  [['create:activate-session:2'], 'renews'],
  [['webhook:complete'], 'pays twice'],
  [['poll:store-match:3'], 'pays twice'],
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
 * Where a look is under way, the sweeper may have claimed the planned one just before the death: the
 * next one that nobody asks for is a minute later.
 */
const DURING_A_LOOK = ['provider:page-read', 'poll:attempts-found', 'poll:page-processed'];
const NEXT_LOOK_SECONDS = 90;

/** Deaths from outside, at a moment that the provider or the shop knows. */
const FROM_OUTSIDE: readonly StoryName[] = [
  'killed while opening',
  'killed while looking',
  'killed while telling',
];

/**
 * Passes of the group commit in which the process dies; one round each. No more than every story is
 * sure to have: commits that come together are one.
 */
const STORE_PASSES = 7;

/** Every crash point with every story that passes it, the longest ones first. */
export function namedRounds(): Round[] {
  const further = FURTHER.map(([crashAt, story]) => roundOf(crashAt, story));
  const rounds = [...outsideRounds(), ...recoveryRounds(), ...storeRounds(), ...further];
  for (const point of CRASH_POINTS) {
    if (point in STORIES_OF) {
      const stories = STORIES_OF[point as keyof typeof STORIES_OF];
      rounds.push(...stories.map((story) => roundOf([point], story)));
    }
  }
  const isLong = ({ stories }: Round): boolean => stories.includes('vanishes unheard');
  return [...rounds.filter(isLong), ...rounds.filter((round) => !isLong(round))];
}

function roundOf(crashAt: readonly string[], story: StoryName, deaths = crashAt.length): Round {
  const isDuringLook = crashAt.some((point) => DURING_A_LOOK.includes(point));
  return {
    title: crashAt.join(', '),
    crashAt,
    stories: [story],
    deaths,
    ...(isDuringLook && { withinSeconds: NEXT_LOOK_SECONDS }),
  };
}

function outsideRounds(): Round[] {
  return FROM_OUTSIDE.map((story) => ({ ...roundOf([], story, 1), title: 'from outside' }));
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

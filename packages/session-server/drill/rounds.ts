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
  'create:order-priced': ['pays'],
  'create:attempt-stored': ['pays', 'opens in three tabs'],
  'create:waiting': ['waits for the first tab'],
  'create:session-created': ['pays', 'opens in three tabs'],
  'create:session-activated': ['pays', 'opens in three tabs'],
  'create:attempt-ended': ['answer lost'],
  'create:before-answer': ['pays'],
  'hint:stored': ['cancels on the page'],
  'hint:before-answer': ['cancels on the page'],
  'return:recorded': ['pays', 'cancels'],
  'return:before-answer': ['pays', 'cancels'],
  'webhook:stored': ['pays', 'vanishes'],
  'webhook:before-answer': ['vanishes'],
  'webhook:test-counted': ['webhook test'],
  'webhook:unmatched-retried': ['pays'],
  // Deliveries are worked on a moment after they came: whoever comes back is told without them.
  'webhook:claimed': ['vanishes'],
  'webhook:marked-unmatched': ['stray webhook'],
  'webhook:completed': ['vanishes'],
  'webhook:erased': ['pays'],
  'poll:page-read': ['pays', 'vanishes', 'only comes back'],
  'poll:attempts-found': ['pays', 'vanishes'],
  'poll:match-stored': ['pays', 'vanishes', 'only comes back', 'wrong amount first'],
  'poll:page-processed': ['vanishes'],
  'poll:ended': ['pays', 'vanishes'],
  'schedule:time-applied': ['comes too late'],
  'schedule:polls-claimed': ['vanishes unheard'],
  'outbox:claimed': ['pays', 'cancels'],
  'outbox:answered': ['pays', 'cancels'],
  'outbox:delivered-stored': ['pays', 'cancels'],
  'outbox:failure-stored': ['shop refuses once'],
};

/** Deaths where something is done for the second time, or among much that comes at once. */
const FURTHER: readonly (readonly [crashAt: readonly string[], story: StoryName])[] = [
  [['create:attempt-stored:2'], 'asked a new price'],
  [['create:session-activated:2'], 'asked a new price'],
  [['create:session-created:2'], 'pays the old price'],
  [['return:recorded'], 'pays the old price'],
  [['poll:match-stored'], 'pays the old price'],
  [['create:attempt-stored:2'], 'renews'],
  [['create:session-created:2'], 'renews'],
  [['create:session-activated:2'], 'renews'],
  [['webhook:completed'], 'pays twice'],
  [['poll:match-stored:3'], 'pays twice'],
  [['outbox:answered:2'], 'pays twice'],
  [['webhook:completed'], 'is given back'],
  [['poll:match-stored:2'], 'is given back'],
  [['outbox:answered:2'], 'is given back'],
  [['webhook:claimed'], 'is proved by a webhook'],
  [['webhook:completed'], 'is proved by a webhook'],
  [['outbox:claimed'], 'is proved by a webhook'],
  [['webhook:stored:50', 'webhook:before-answer:60', 'webhook:claimed'], 'is flooded'],
];

/**
 * Where a look is under way, the sweeper may have claimed the planned one just before the death: the
 * next one that nobody asks for is a minute later.
 */
const DURING_A_LOOK = ['poll:page-read', 'poll:attempts-found', 'poll:page-processed'];
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
    roundOf(['store:recovered'], 'pays'),
    roundOf(['create:session-created', 'store:recovered'], 'pays'),
    roundOf(['outbox:answered', 'store:recovered'], 'pays'),
    roundOf(['webhook:claimed', 'store:recovered'], 'vanishes'),
    roundOf(['webhook:marked-unmatched', 'webhook:unmatched-retried'], 'stray webhook'),
  ];
}

function storeRounds(): Round[] {
  return (['store:written', 'store:committed'] as const).flatMap((point) =>
    Array.from({ length: STORE_PASSES }, (_, index) =>
      roundOf([`${point}:${String(index + 1)}`], index % 2 === 0 ? 'pays' : 'cancels'),
    ),
  );
}

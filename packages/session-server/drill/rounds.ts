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
  'open:order-priced': ['pays'],
  'open:attempt-stored': ['pays', 'opens in three tabs'],
  'open:following': ['waits for the first tab'],
  'open:session-created': ['pays', 'opens in three tabs'],
  'open:session-exposed': ['pays', 'opens in three tabs'],
  'open:attempt-ended': ['answer lost'],
  'open:before-answer': ['pays'],
  'hint:stored': ['cancels on the page'],
  'hint:before-answer': ['cancels on the page'],
  'return:recorded': ['pays', 'cancels'],
  'return:before-answer': ['pays', 'cancels'],
  'webhook:stored': ['pays', 'vanishes'],
  'webhook:before-answer': ['vanishes'],
  'webhook:test-counted': ['webhook test'],
  'webhook:unparked': ['pays'],
  // Deliveries are worked on a moment after they came: whoever comes back is told without them.
  'webhook:claimed': ['vanishes'],
  'webhook:parked': ['stray webhook'],
  'webhook:settled': ['vanishes'],
  'webhook:erased': ['pays'],
  'evidence:page-read': ['pays', 'vanishes', 'only comes back'],
  'evidence:attempts-found': ['pays', 'vanishes'],
  'evidence:verdict-stored': ['pays', 'vanishes', 'only comes back', 'wrong amount first'],
  'evidence:page-settled': ['vanishes'],
  'evidence:looked': ['pays', 'vanishes'],
  'sweep:time-applied': ['comes too late'],
  'sweep:looks-claimed': ['vanishes unheard'],
  'events:claimed': ['pays', 'cancels'],
  'events:answered': ['pays', 'cancels'],
  'events:delivered-stored': ['pays', 'cancels'],
  'events:failure-stored': ['shop refuses once'],
};

/** Deaths where something is done for the second time, or among much that comes at once. */
const FURTHER: readonly (readonly [crashAt: readonly string[], story: StoryName])[] = [
  [['open:attempt-stored:2'], 'asked a new price'],
  [['open:session-exposed:2'], 'asked a new price'],
  [['open:session-created:2'], 'pays the old price'],
  [['return:recorded'], 'pays the old price'],
  [['evidence:verdict-stored'], 'pays the old price'],
  [['open:attempt-stored:2'], 'renews'],
  [['open:session-created:2'], 'renews'],
  [['open:session-exposed:2'], 'renews'],
  [['webhook:settled'], 'pays twice'],
  [['evidence:verdict-stored:3'], 'pays twice'],
  [['events:answered:2'], 'pays twice'],
  [['webhook:settled'], 'is given back'],
  [['evidence:verdict-stored:2'], 'is given back'],
  [['events:answered:2'], 'is given back'],
  [['webhook:claimed'], 'is proved by a webhook'],
  [['webhook:settled'], 'is proved by a webhook'],
  [['events:claimed'], 'is proved by a webhook'],
  [['webhook:stored:50', 'webhook:before-answer:60', 'webhook:claimed'], 'is flooded'],
];

/**
 * Where a look is under way, the sweeper may have claimed the planned one just before the death: the
 * next one that nobody asks for is a minute later.
 */
const DURING_A_LOOK = ['evidence:page-read', 'evidence:attempts-found', 'evidence:page-settled'];
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
    roundOf(['open:session-created', 'store:recovered'], 'pays'),
    roundOf(['events:answered', 'store:recovered'], 'pays'),
    roundOf(['webhook:claimed', 'store:recovered'], 'vanishes'),
    roundOf(['webhook:parked', 'webhook:unparked'], 'stray webhook'),
  ];
}

function storeRounds(): Round[] {
  return (['store:written', 'store:committed', 'store:synced'] as const).flatMap((point) =>
    Array.from({ length: STORE_PASSES }, (_, index) =>
      roundOf([`${point}:${String(index + 1)}`], index % 2 === 0 ? 'pays' : 'cancels'),
    ),
  );
}

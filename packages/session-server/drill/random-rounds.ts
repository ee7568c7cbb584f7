import type { Round } from './round.ts';
import type { KillableServer } from './killable-server.ts';
import type { StoryName } from './stories.ts';

const KILLS = 4;
const ORDERS_PER_LIFE = 3;
const LONGEST_LIFE_MS = 1200;
const STORIES: readonly StoryName[] = [
  'pays',
  'vanishes',
  'cancels',
  'cancels on the page',
  'opens in three tabs',
];

/** Rounds with several orders under way that are killed at moments which follow from the seed. */
export function randomRounds(count: number, seed: number): Round[] {
  return Array.from({ length: count }, (_, index) => randomRound(seed + index));
}

function randomRound(seed: number): Round {
  const random = makeRandom(seed);
  const lives = Array.from({ length: KILLS + 1 }, () => Promise.withResolvers<undefined>());
  const moments = Array.from({ length: KILLS }, () => Math.floor(random() * LONGEST_LIFE_MS));
  const stories = Array.from(
    { length: lives.length * ORDERS_PER_LIFE },
    () => STORIES[Math.floor(random() * STORIES.length)] ?? 'pays',
  );
  let life = 0;
  return {
    title: `at random, seed ${String(seed)}`,
    crashAt: [],
    stories,
    deaths: KILLS,
    onStart(server: KillableServer) {
      lives[life]?.resolve(undefined);
      const moment = moments[life];
      life += 1;
      if (moment !== undefined) setTimeout(() => server.kill(), moment);
    },
    async beforeStory(index) {
      await lives[Math.floor(index / ORDERS_PER_LIFE)]?.promise;
    },
  };
}

/** Numbers in [0, 1) that follow from the seed (mulberry32). */
function makeRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

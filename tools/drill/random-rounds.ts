import type { Round } from './round.ts';
import type { KillableServer } from './killable-server.ts';
import type { ScenarioName } from './scenarios.ts';

const KILLS = 4;
const ORDERS_PER_LIFE = 3;
/** How long a life lasts at most from the moment when it listens. */
const LONGEST_LIFE_MS = 400;
/** Share of the lives that end within this long of the start of the process: they may not listen. */
const EARLY_SHARE = 0.25;
const LONGEST_EARLY_LIFE_MS = 800;
const SCENARIOS: readonly ScenarioName[] = [
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
  const ends = Array.from({ length: KILLS }, () =>
    random() < EARLY_SHARE
      ? { isEarly: true, ms: random() * LONGEST_EARLY_LIFE_MS }
      : { isEarly: false, ms: random() * LONGEST_LIFE_MS },
  );
  const scenarios = Array.from(
    { length: lives.length * ORDERS_PER_LIFE },
    () => SCENARIOS[Math.floor(random() * SCENARIOS.length)] ?? 'pays',
  );
  let life = 0;
  return {
    title: `at random, seed ${String(seed)}`,
    crashAt: [],
    scenarios,
    deaths: KILLS,
    onStart(server: KillableServer) {
      lives[life]?.resolve(undefined);
      const end = ends[life];
      life += 1;
      if (end) void killAt(server, end);
    },
    async beforeScenario(index) {
      await lives[Math.floor(index / ORDERS_PER_LIFE)]?.promise;
    },
  };
}

async function killAt(
  server: KillableServer,
  end: { readonly isEarly: boolean; readonly ms: number },
): Promise<void> {
  if (!end.isEarly) await server.untilListening();
  setTimeout(() => server.kill(), end.ms);
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

import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresServer } from '../../packages/session-server/src/testing/postgres-server.ts';
import type { TuningChanges } from '../../packages/session-server/dist/config.js';
import { CRASH_POINTS, type CrashPoint } from '../../packages/session-server/dist/crash-points.js';
import { type PreviousBuild, preparePrevious } from './previous-build.ts';
import { SCENARIOS, type ScenarioName } from './scenarios.ts';
import { type KillableServer, PROGRAM } from './server.ts';

/** What is done to the servers while shoppers pay, and who they are. */
export interface Fault {
  readonly name: string;
  /** What the shoppers do, in turn. */
  readonly scenarios: readonly ScenarioName[];
  /** At least so many orders, and more until the fault is over. Default: each scenario once. */
  readonly orders?: number;
  /** Orders that run at a time. Default: all. */
  readonly atATime?: number;
  /** How many orders begin in a second, instead of `atATime`. */
  readonly ordersASecond?: number;
  /** How many pages open each order at once. Default 1. */
  readonly tabs?: number;
  /** `PAY_CRASH_AT` of the starts, dealt out to the servers in turn. */
  readonly crashAt?: readonly string[];
  /** How many deaths there must be. Default: one for each of `crashAt`. */
  readonly deaths?: number;
  /** How long an order may take, where that is more than its scenario says. */
  readonly withinSeconds?: number;
  /** An order that is paid only after its settle window is not lost. */
  readonly mayBeLate?: boolean;
  readonly tuning?: TuningChanges;
  /** Polls as in production, and no faster. */
  readonly hasDefaultTuning?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** The build that the servers start with. Default: this one. */
  readonly program?: string;
  /** Goes on while shoppers pay; answers what it found wrong. Default: waits for the deaths. */
  readonly disturb?: (
    cluster: Cluster,
    until: (share: number) => Promise<void>,
  ) => Promise<string[] | void>;
}

export interface Cluster {
  readonly servers: readonly KillableServer[];
  readonly postgres: PostgresServer | undefined;
  /** How many orders have begun, and how many of these have not ended. */
  readonly countOrders: () => { readonly orders: number; readonly running: number };
}

/**
 * The scenarios that pass each point, and lose something there if anything can be lost. The points of
 * the store are passed by each of them; those of a restore are played in `restore-kill.test.ts`.
 */
const SCENARIOS_OF: Record<
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
  'poll:ended': ['pays', 'vanishes', 'vanishes unheard'],
  'schedule:apply-time': ['comes too late'],
  'outbox:claim': ['pays', 'cancels'],
  'shop:event-answered': ['pays', 'cancels'],
  'outbox:settle': ['pays', 'cancels', 'shop refuses once'],
};

/** Deaths where something is done for the second time, where much comes at once, or after another death. */
const REPEATED: readonly (readonly [crashAt: string, ...scenarios: ScenarioName[]])[] = [
  ['create:begin-attempt:2', 'asked a new price', 'puts another price', 'renews'],
  ['provider:session-created:2', 'pays the old price', 'renews'],
  ['create:activate-session:2', 'asked a new price', 'renews'],
  ['return:record', 'pays the old price'],
  ['order:put:2', 'puts another price'],
  ['webhook:claim', 'is proved by a webhook'],
  ['webhook:complete', 'pays twice', 'is given back', 'is proved by a webhook'],
  ['poll:store-match', 'pays the old price', 'makes the order void'],
  ['poll:store-match:2', 'pays twice', 'is given back'],
  ['outbox:claim', 'is proved by a webhook'],
  ['shop:event-answered:2', 'pays twice', 'is given back'],
  ['webhook:record:50, webhook:before-answer:60, webhook:claim', 'is flooded'],
  ['store:recover', 'pays'],
  ['provider:session-created, store:recover', 'pays'],
  ['shop:event-answered, store:recover', 'pays'],
  ['webhook:claim, store:recover', 'vanishes'],
  ['webhook:mark-unmatched, webhook:retry-unmatched', 'stray webhook'],
];

/** Deaths from outside, at a moment that the provider or the shop knows. */
const FROM_OUTSIDE: readonly ScenarioName[] = [
  'killed while creating',
  'killed while polling',
  'killed while delivering',
];

/**
 * Passes of the group commit in which the process dies. No more than every scenario is sure to have:
 * commits that come together are one.
 */
const STORE_PASSES = 7;

/** One server on a data file: every crash point with every scenario that passes it, the longest ones first. */
export function oneServerFaults(options: {
  readonly random: number;
  readonly seed: number;
}): Fault[] {
  const atPoints = Object.entries<readonly ScenarioName[]>(SCENARIOS_OF);
  const repeated = REPEATED.map(([crashAt, ...scenarios]) => [crashAt, scenarios] as const);
  const inStore = ['store:written', 'store:committed'].flatMap((point) =>
    Array.from({ length: STORE_PASSES }, (_, index) => {
      const scenario: ScenarioName = index % 2 === 0 ? 'pays' : 'cancels';
      return [`${point}:${String(index + 1)}`, [scenario]] as const;
    }),
  );
  const deaths = [...inStore, ...repeated, ...atPoints].flatMap(([name, scenarios]) =>
    scenarios.map((scenario): Fault => ({
      name,
      scenarios: [scenario],
      crashAt: name.split(', '),
    })),
  );
  const outside = FROM_OUTSIDE.map((scenario): Fault => ({
    ...{ name: 'from outside', scenarios: [scenario], deaths: 1 },
  }));
  const { random, seed } = options;
  const atRandom = Array.from({ length: random }, (_, index) => killsAtRandom(seed + index));
  const isLong = ({ scenarios }: Fault): boolean => scenarios.includes('vanishes unheard');
  const all = [...outside, ...deaths, ...atRandom];
  return [...all.filter(isLong), ...all.filter((fault) => !isLong(fault))];
}

const KILLS = 4;
/** How long a process lasts at most from the moment when it listens. */
const MAX_LIFE_MS = 400;
/** Share of the processes that end within this long of their start: they may not listen yet. */
const EARLY_SHARE = 0.25;
const MAX_EARLY_LIFE_MS = 800;

/** Several orders in progress, and kills at moments that follow from the seed. */
function killsAtRandom(seed: number): Fault {
  const random = makeRandom(seed);
  return {
    name: `at random, seed ${String(seed)}`,
    scenarios: ['pays', 'vanishes', 'cancels', 'cancels on the page', 'opens in three tabs'],
    ...{ orders: 15, atATime: 3, deaths: KILLS },
    async disturb({ servers: [server] }) {
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const isEarly = random() < EARLY_SHARE;
        if (!isEarly) await server?.untilListening();
        await sleep(random() * (isEarly ? MAX_EARLY_LIFE_MS : MAX_LIFE_MS));
        server?.kill();
        await server?.untilDied(kill);
      }
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

/** Longer than each lease. */
const PAUSE_SECONDS = 45;
/** How long PostgreSQL is away, or only reads: longer than a transaction is tried for. */
const AWAY_SECONDS = 20;
/** How often PostgreSQL is restarted in a row. */
const RESTARTS = 5;
/** Those that hold back the provider's answers would hold back other orders' answers, too. */
const HOLDING: readonly ScenarioName[] = ['waits for the first tab'];
const LOAD: readonly ScenarioName[] = [
  ...['pays', 'vanishes', 'only comes back', 'cancels on the page', 'asked a new price'],
] as const;

/** Three servers on one PostgreSQL, by name. */
export const THREE_SERVER_FAULTS: Readonly<
  Record<string, (options: { readonly previous: string | undefined }) => Fault>
> = {
  'crash-points': () => ({
    name: 'every crash point',
    scenarios: [...new Set(Object.values(SCENARIOS_OF).flat())].filter(
      (name) => !HOLDING.includes(name) && !('tuning' in SCENARIOS[name]),
    ),
    ...{ orders: 60, atATime: 16 },
    // That this engine passes under an ordinary load.
    crashAt: CRASH_POINTS.filter(
      (point) => !/^restore:|^store:recover$|^schedule:apply-time$/.test(point),
    ),
  }),
  expiry: () => ({
    name: 'checkouts that expire',
    scenarios: ['comes too late'],
    ...{ orders: 20, atATime: 16 },
    crashAt: Array<string>(3).fill('schedule:apply-time'),
    // Longer than its second visit takes on a busy machine.
    tuning: { expireAfterSeconds: 15 },
  }),
  disasters: () => ({
    name: 'one killed, one hanging, PostgreSQL restarted',
    scenarios: ['pays', 'vanishes', 'only comes back', 'cancels on the page', 'pays'],
    ...{ orders: 1000, atATime: 16, tabs: 10, deaths: 1 },
    async disturb({ servers: [first, second], postgres }, until) {
      await until(0.1);
      first?.kill();
      await until(0.2);
      const paused = second?.pause(PAUSE_SECONDS);
      await until(0.5);
      await postgres?.stop();
      await postgres?.resume();
      await paused;
    },
  }),
  database: () => ({
    name: 'PostgreSQL restarted, stopped fast and at once, then read-only after a failover',
    ...{ scenarios: LOAD, orders: 400, atATime: 16, tabs: 3 },
    async disturb({ postgres }, until) {
      for (const [share, how] of [
        [0.1, 'fast'],
        [0.4, 'immediate'],
      ] as const) {
        await until(share);
        // Again while the servers connect: that is when a stop meets connections that are not in use yet.
        for (let stops = 1; stops <= RESTARTS; stops += 1) {
          await postgres?.stop(how);
          await postgres?.resume();
        }
        await until(share + 0.15);
        await postgres?.stop(how);
        await sleep(AWAY_SECONDS * 1000);
        await postgres?.resume();
      }
      await until(0.7);
      // What took over is a standby that has not been promoted yet.
      await postgres?.query('ALTER SYSTEM SET default_transaction_read_only = on');
      await postgres?.stop('immediate');
      await postgres?.resume();
      await sleep(AWAY_SECONDS * 1000);
      await postgres?.query('ALTER SYSTEM RESET default_transaction_read_only');
      await postgres?.query('SELECT pg_reload_conf()');
    },
  }),
  failover: () => ({
    name: 'PostgreSQL dies, and its standby takes over',
    ...{ scenarios: LOAD, orders: 400, atATime: 16, tabs: 3 },
    async disturb({ postgres }, until) {
      await postgres?.addStandby();
      await until(0.4);
      await postgres?.failOver();
    },
  }),
  upgrade: ({ previous }) => upgrade(preparePrevious(previous)),
};

/** Another build takes the place of each server, one after the other, and gives it back. */
function upgrade({ name, program }: PreviousBuild): Fault {
  return {
    name: `from ${name} to this build and back`,
    ...{ scenarios: LOAD, orders: 300, atATime: 16, tabs: 3, program },
    async disturb({ servers }, until) {
      const steps = [PROGRAM, program].flatMap((to) => servers.map((server) => ({ to, server })));
      for (const [index, { to, server }] of steps.entries()) {
        await until((index + 0.5) / steps.length);
        await server.replace(to);
      }
    },
  };
}

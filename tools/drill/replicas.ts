import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CRASH_POINTS } from '../../packages/session-server/dist/crash-points.js';
import { PostgresServer } from '../../packages/session-server/src/testing/postgres-server.ts';
import { type Plan, play, REPLICAS } from './cluster.ts';
import { within } from './http.ts';
import { type KillableServer, PROGRAM } from './killable-server.ts';
import { closeLane, openLane } from './lane.ts';
import { type PreviousBuild, preparePrevious } from './previous-build.ts';
import { SCENARIOS_OF } from './rounds.ts';
import { SCENARIOS, type ScenarioName } from './scenarios.ts';

/** Longer than each lease. */
const PAUSE_SECONDS = 45;
/** How long PostgreSQL is away, or only reads: longer than a transaction is tried for. */
const AWAY_SECONDS = 20;
/** How often PostgreSQL is restarted in a row. */
const RESTARTS = 5;
/** Crash points that this engine passes, and an ordinary load. */
const POINTS = CRASH_POINTS.filter(
  (point) => !/^restore:|^store:recover$|^schedule:apply-time$/.test(point),
);
/** A crash point that no replica passes for so long under load is passed by none. */
const DEATH_SECONDS = 300;
/** Those that hold back the provider's answers would hold back other orders' answers, too. */
const HOLDING: readonly ScenarioName[] = ['waits for the first tab'];

/** Runs three servers on one PostgreSQL while one or the other dies, hangs or is replaced. */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      orders: { type: 'string' },
      previous: { type: 'string' },
    },
  });
  const { only } = values;
  const makers: Readonly<Record<string, () => Plan>> = {
    'crash-points': crashPoints,
    expiry,
    disasters: () => disasters(Number(values.orders ?? 1000)),
    database: () => databaseFaults(Number(values.orders ?? 400)),
    upgrade: () => upgrade(preparePrevious(values.previous), Number(values.orders ?? 300)),
  };
  const names = only ?? Object.keys(makers);
  const unknown = names.find((name) => makers[name] === undefined);
  if (unknown !== undefined) {
    console.error(`There is no part "${unknown}"; there are ${Object.keys(makers).join(', ')}.`);
    return 2;
  }
  const plans = names.flatMap((name) => makers[name]?.() ?? []);
  const postgres = await PostgresServer.start();
  const lane = await openLane();
  let lost = 0;
  try {
    for (const plan of plans) lost += await play(plan, { lane, postgres });
  } finally {
    await closeLane(lane);
    await postgres.remove();
  }
  console.log(`\nlost: ${String(lost)}`);
  return lost === 0 ? 0 : 1;
}

/** Each replica dies at one crash point after the other, whenever it passes it. */
function crashPoints(): Plan {
  const scenarios = [...new Set(Object.values(SCENARIOS_OF).flat())].filter(
    (name) => !HOLDING.includes(name) && !('tuning' in SCENARIOS[name]),
  );
  return {
    ...{ title: 'every crash point', scenarios, orders: 60, tabs: 1, crashAt: POINTS },
    disturb: ({ replicas }) => untilAllDied(replicas, POINTS.length),
  };
}

/** The one crash point at which checkouts expire. */
function expiry(): Plan {
  const name = 'comes too late';
  const crashAt = Array<string>(REPLICAS).fill('schedule:apply-time');
  return {
    ...{ title: 'checkouts that expire', scenarios: [name], orders: 20, tabs: 1, crashAt },
    // Longer than its second visit takes on a busy machine.
    tuning: { expireAfterSeconds: 15 },
    disturb: ({ replicas }) => untilAllDied(replicas, REPLICAS),
  };
}

function disasters(orders: number): Plan {
  return {
    title: 'one killed, one hanging, PostgreSQL restarted',
    scenarios: ['pays', 'vanishes', 'only comes back', 'cancels on the page', 'pays'],
    ...{ orders, tabs: 10 },
    async disturb({ replicas: [first, second], postgres }, until) {
      await until(0.1);
      first?.kill();
      await until(0.2);
      const paused = second?.pause(PAUSE_SECONDS);
      await until(0.5);
      await postgres.stop();
      await postgres.resume();
      await paused;
    },
  };
}

function databaseFaults(orders: number): Plan {
  return {
    title: 'PostgreSQL restarted, stopped fast and at once, then read-only after a failover',
    scenarios: ['pays', 'vanishes', 'only comes back', 'cancels on the page', 'asked a new price'],
    ...{ orders, tabs: 3 },
    async disturb({ postgres }, until) {
      for (const [share, how] of [
        [0.1, 'fast'],
        [0.4, 'immediate'],
      ] as const) {
        await until(share);
        // Again while the servers connect: that is when a stop meets connections that are not in use yet.
        for (let stops = 1; stops <= RESTARTS; stops += 1) {
          await postgres.stop(how);
          await postgres.resume();
        }
        await until(share + 0.15);
        await postgres.stop(how);
        await sleep(AWAY_SECONDS * 1000);
        await postgres.resume();
      }
      await until(0.7);
      // What took over is a standby that has not been promoted yet.
      await postgres.query('ALTER SYSTEM SET default_transaction_read_only = on');
      await postgres.stop('immediate');
      await postgres.resume();
      await sleep(AWAY_SECONDS * 1000);
      await postgres.query('ALTER SYSTEM RESET default_transaction_read_only');
      await postgres.query('SELECT pg_reload_conf()');
    },
  };
}

/** Another build takes the place of each replica, one after the other, and gives it back. */
function upgrade({ name, program }: PreviousBuild, orders: number): Plan {
  return {
    title: `from ${name} to this build and back`,
    scenarios: ['pays', 'vanishes', 'only comes back', 'cancels on the page', 'asked a new price'],
    ...{ orders, tabs: 3, program },
    async disturb({ replicas }, until) {
      const steps = [PROGRAM, program].flatMap((to) =>
        replicas.map((replica) => ({ to, replica })),
      );
      for (const [index, { to, replica }] of steps.entries()) {
        await until((index + 0.5) / steps.length);
        await replica.replace(to);
      }
    },
  };
}

/** @throws {Error} naming a crash point that a replica does not pass */
async function untilAllDied(replicas: readonly KillableServer[], deaths: number): Promise<void> {
  const each = (index: number): number => Math.ceil((deaths - index) / replicas.length);
  await Promise.all(
    replicas.map(async (replica, index) => {
      for (let death = 1; death <= each(index); death += 1) {
        const what = `a death at ${replica.crashAt ?? 'no crash point'}`;
        await within(DEATH_SECONDS, what, replica.untilDied(death));
      }
    }),
  );
}

/**
 * Does to the session server what may happen to it, and counts what was lost, which must be nothing.
 * `tools/drill/README.md` says how to read what it prints.
 *
 *     node tools/drill/main.ts [--engine sqlite|postgres] [--only <name>]… [--soak <duration>] [--hostile] [--alerts]
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { PostgresServer } from '../../packages/session-server/src/testing/postgres-server.ts';
import { playAlerts } from './alerts.ts';
import { type Fault, oneServerFaults, THREE_SERVER_FAULTS } from './faults.ts';
import { startFixture, stopFixture } from './fixture.ts';
import { playHostile } from './hostile/hostile.ts';
import { type Outcome, play } from './play.ts';
import { soakFault } from './soak.ts';

/** Faults that happen at a time, where each has a server of its own: mostly they wait. */
const LANES = 4;
/** Losses of one fault that are printed. */
const MAX_LINES = 10;
const MINUTES = { m: 1, h: 60 };

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    only: { type: 'string', multiple: true },
    orders: { type: 'string' },
    previous: { type: 'string' },
    random: { type: 'string', default: '10' },
    seed: { type: 'string' },
    soak: { type: 'string' },
    rate: { type: 'string', default: '7.5' },
    curve: { type: 'string', default: new URL('../../.cache/soak.csv', import.meta.url).pathname },
    hostile: { type: 'boolean', default: false },
    alerts: { type: 'boolean', default: false },
    requests: { type: 'string', default: '100000' },
  },
});

function chooseFaults(): Fault[] {
  const { only, orders, previous, random, seed = '1', soak, rate, curve } = values;
  if (soak !== undefined) {
    const [, count, unit] = /^(\d+)([mh])$/.exec(soak) ?? [];
    if (count === undefined) throw new Error(`--soak ${soak}: expected 60m or 24h, for example`);
    const minutes = Number(count) * MINUTES[unit as keyof typeof MINUTES];
    return [soakFault({ minutes, ordersASecond: Number(rate), curve })];
  }
  if (values.engine === 'postgres') {
    return Object.entries(THREE_SERVER_FAULTS)
      .filter(([name]) => only?.includes(name) ?? true)
      .map(([, make]) => ({ ...make({ previous }), ...(orders && { orders: Number(orders) }) }));
  }
  return oneServerFaults({ random: Number(random), seed: Number(seed) }).filter(
    ({ name, scenarios }) =>
      only?.some((part) => `${name} ${scenarios.join()}`.includes(part)) ?? true,
  );
}

function print({ name, scenarios }: Fault, outcome: Outcome): void {
  const { orders, deaths, events, repeats, seconds, late, lost } = outcome;
  const delivered = `delivered ${String(events)}${repeats === 0 ? '' : ` and ${String(repeats)} again`}`;
  console.log(
    [
      name.padEnd(44),
      (orders === 1 ? String(scenarios[0]) : `${String(orders)} orders`).padEnd(23),
      `died ${String(deaths)}x, ${delivered}`.padEnd(30),
      `${seconds.toFixed(1)} s`.padStart(7),
      ...(late.length === 0 ? [] : [`late ${String(late.length)}`]),
      `lost ${String(lost.length)}`,
    ].join('  '),
  );
  for (const line of lost.slice(0, MAX_LINES)) console.log(`    LOST: ${line}`);
  if (lost.length > MAX_LINES) console.log(`    and ${String(lost.length - MAX_LINES)} more`);
}

/** Answers how much was lost. */
async function playAll(faults: readonly Fault[], postgres?: PostgresServer): Promise<number> {
  const startedAt = performance.now();
  const waiting = [...faults];
  const outcomes: Outcome[] = [];
  const playInTurn = async (): Promise<void> => {
    const fixture = await startFixture();
    try {
      for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
        const outcome = await play(fault, fixture, postgres);
        outcomes.push(outcome);
        print(fault, outcome);
      }
    } finally {
      await stopFixture(fixture);
    }
  };
  const lanes = postgres ? 1 : Math.min(LANES, faults.length);
  await Promise.all(Array.from({ length: lanes }, playInTurn));
  const sum = (of: (outcome: Outcome) => number): number =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const lost = sum((outcome) => outcome.lost.length);
  const counts = [
    `${String(faults.length)} faults`,
    `${String(sum(({ deaths }) => deaths))} deaths`,
    `${String(sum(({ orders }) => orders))} orders`,
    `${String(sum(({ events }) => events))} events`,
    `${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
  ];
  console.log(`\n${counts.join(', ')}; lost: ${String(lost)}`);
  return lost;
}

/** Answers the exit code. */
async function main(): Promise<number> {
  const { alerts, hostile, requests, seed = String(randomInt(2 ** 31)) } = values;
  const engine = alerts ? 'postgres' : values.engine;
  if (engine !== 'sqlite' && engine !== 'postgres') {
    console.error(`There is no engine "${engine}"; there are sqlite and postgres.`);
    return 2;
  }
  const faults = hostile || alerts ? [] : chooseFaults();
  if (!hostile && !alerts && faults.length === 0) {
    console.error('No fault has that in its name; tools/drill/README.md lists them.');
    return 2;
  }
  const postgres = engine === 'postgres' ? await PostgresServer.start() : undefined;
  try {
    if (alerts && postgres) return (await playAlerts(postgres, values.only)) === 0 ? 0 : 1;
    const lost = hostile
      ? await playHostile(postgres?.url(), { requests: Number(requests), seed: Number(seed) })
      : await playAll(faults, postgres);
    return lost === 0 ? 0 : 1;
  } finally {
    await postgres?.remove();
  }
}

process.exitCode = await main();

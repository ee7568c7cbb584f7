import { parseArgs } from 'node:util';
import { closeLane, openLane } from './lane.ts';
import { randomRounds } from './random-rounds.ts';
import { type Round, type RoundResult, runRound } from './round.ts';
import { namedRounds } from './rounds.ts';

/** Rounds side by side: mostly they wait. */
const LANES = 4;
/** Losses that a round prints. */
const MAX_LINES = 10;

function chooseRounds(args: readonly string[]): Round[] {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      random: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
    },
  });
  const all = [...namedRounds(), ...randomRounds(Number(values.random), Number(values.seed))];
  const { only } = values;
  if (only === undefined) return all;
  return all.filter(({ title, scenarios }) =>
    only.some((part) => `${title} ${scenarios.join()}`.includes(part)),
  );
}

function printRow(cells: readonly string[]): void {
  const [point = '', scenario = '', ...others] = cells;
  console.log([point.padEnd(44), scenario.padEnd(23), ...others].join('  '));
}

function printResult({ round, deaths, seconds, events, repeats, lost }: RoundResult): void {
  const { title, scenarios } = round;
  const delivered = `delivered ${String(events)}${repeats === 0 ? '' : ` and ${String(repeats)} again`}`;
  printRow([
    title,
    scenarios.length === 1 ? (scenarios[0] ?? '') : `${String(scenarios.length)} orders`,
    `died ${String(deaths)}x, ${delivered}`.padEnd(30),
    `${seconds.toFixed(1)} s`.padStart(7),
    String(lost.length).padStart(4),
  ]);
  for (const line of lost.slice(0, MAX_LINES)) console.log(`    LOST: ${line}`);
  if (lost.length > MAX_LINES) console.log(`    and ${String(lost.length - MAX_LINES)} more`);
}

/** Kills the session server at every crash point and at random moments, and counts what was lost. */
export async function run(args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const rounds = chooseRounds(args);
  if (rounds.length === 0) {
    console.error('No round has that in its name; tools/drill/README.md lists the crash points.');
    return 2;
  }
  const waiting = [...rounds];
  const results: RoundResult[] = [];
  printRow(['crash point', 'scenario', 'what happened'.padEnd(30), '   time', 'lost']);
  const drive = async (): Promise<void> => {
    const lane = await openLane();
    for (let round = waiting.shift(); round !== undefined; round = waiting.shift()) {
      const result = await runRound(round, lane);
      results.push(result);
      printResult(result);
    }
    await closeLane(lane);
  };
  await Promise.all(Array.from({ length: Math.min(LANES, rounds.length) }, drive));
  const sum = (of: (result: RoundResult) => number): string =>
    String(results.reduce((total, result) => total + of(result), 0));
  const orders = sum(({ round }) => round.scenarios.length);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(
    `\n${String(results.length)} rounds, ${sum(({ deaths }) => deaths)} deaths, ${orders} orders, ` +
      `${sum(({ events }) => events)} events, ${seconds} s; lost: ${sum(({ lost }) => lost.length)}`,
  );
  return results.some(({ lost }) => lost.length > 0) ? 1 : 0;
}

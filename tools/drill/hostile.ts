/**
 * Sends the session server what no page, shop or provider would, on both engines:
 *
 *     node drill/main.ts hostile [--requests <number>] [--seed <number>] [--engine sqlite|postgres]…
 */
import { randomInt } from 'node:crypto';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { PostgresServer } from '../../packages/session-server/src/testing/postgres-server.ts';
import { attack, type AttackResult } from './hostile/attack.ts';
import { lay, SIEGES, type SiegeResult } from './hostile/sieges.ts';
import { AMBIGUOUS, HIDING, LAST, statusesOf } from './hostile/smuggling.ts';
import { HostileTarget } from './hostile/target.ts';

const MIB = 2 ** 20;
/** What the heap may have more of after the last tenth of the requests than after the first. */
const MAX_GROWTH_MIB = 10;
/** How many more sockets and the like it may have at the end than at the start. */
const MAX_MORE_RESOURCES = 30;
const ENGINES = ['sqlite', 'postgres'];

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      requests: { type: 'string', default: '100000' },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      engine: { type: 'string', multiple: true, default: ENGINES },
    },
  });
  const options = { requests: Number(values.requests), seed: Number(values.seed) };
  const unknown = values.engine.find((engine) => !ENGINES.includes(engine));
  if (unknown !== undefined) {
    console.error(`There is no engine "${unknown}"; there are ${ENGINES.join(', ')}.`);
    return 2;
  }
  console.log(`seed ${values.seed}, load ${loadavg().map(Math.round).join(' ')}`);
  let failures = 0;
  for (const engine of values.engine) {
    const postgres = engine === 'postgres' ? await PostgresServer.start() : undefined;
    try {
      const found = await play(engine, await HostileTarget.start(postgres?.url()), options);
      for (const failure of found) console.log(`    FOUND: ${failure}`);
      failures += found.length;
    } finally {
      await postgres?.remove();
    }
  }
  console.log(`\nfound: ${String(failures)}`);
  return failures === 0 ? 0 : 1;
}

async function play(
  engine: string,
  target: HostileTarget,
  options: { readonly requests: number; readonly seed: number },
): Promise<string[]> {
  const before = await target.usage();
  const result = await attack(target, options);
  console.log(describeAttack(engine, result));
  const failures = result.failure === undefined ? [] : [result.failure];
  const [first, last] = [result.usage[0], result.usage.at(-1)];
  if (first && last && last.heapBytes - first.heapBytes > MAX_GROWTH_MIB * MIB) {
    failures.push('the heap has grown');
  }
  if (last?.isPolluted) failures.push('the prototype of all objects has changed');
  failures.push(...(await findSmuggled(target)));
  for (const siege of SIEGES) {
    const held = await lay(siege, target);
    console.log(describeSiege(engine, held));
    failures.push(...held.failures);
  }
  const after = await target.usage();
  console.log(
    `${engine}  sockets and the like: ${String(before.resources)} before, ${String(after.resources)} after`,
  );
  if (after.resources > before.resources + MAX_MORE_RESOURCES) failures.push('sockets are left');
  const end = await target.stop();
  if (end !== '0 null') failures.push(`it ended with ${end}`);
  return failures;
}

/** Requests that may hide another one, and were not refused or answered once. */
async function findSmuggled(target: HostileTarget): Promise<string[]> {
  const failures: string[] = [];
  for (const [title, bytes] of Object.entries(AMBIGUOUS)) {
    const statuses = await statusesOf(target, bytes);
    if (statuses.join() !== '400') failures.push(`${title}: ${statuses.join()}`);
  }
  for (const [title, bytes] of Object.entries(HIDING)) {
    const [, ...others] = await statusesOf(target, bytes + LAST);
    if (others.join() !== '404') failures.push(`${title}: ${others.join()}`);
  }
  return failures;
}

function describeAttack(engine: string, result: AttackResult): string {
  const { requests, seconds, routes, operatorPage, slowestMs, usage } = result;
  const megabytes = (of: 'heapBytes' | 'rssBytes'): string =>
    usage.map((one) => Math.round(one[of] / MIB)).join(' ');
  const statuses = [...result.statuses].toSorted(([a], [b]) => a - b);
  return [
    `${engine}  ${String(requests)} requests to ${String(routes.size)} routes, ${(requests / seconds).toFixed(0)} a second, ` +
      `the slowest ${slowestMs.toFixed(0)} ms`,
    `    answers: ${statuses.map((pair) => pair.join(' × ')).join(', ')}`,
    `    operator’s page: ${String(operatorPage.signedIn)} of ${String(operatorPage.answers)} answers from behind the sign-in`,
    `    after each tenth, MiB: heap ${megabytes('heapBytes')}, resident ${megabytes('rssBytes')}`,
  ].join('\n');
}

function describeSiege(engine: string, held: SiegeResult): string {
  const { siege, slowestMs, mebibytes, closedAfterSeconds } = held;
  const closed =
    closedAfterSeconds === undefined ? 'never' : `after ${closedAfterSeconds.toFixed(0)} s`;
  return (
    `${engine}  ${String(siege.connections)} clients that ${siege.title}: ${mebibytes.toFixed(1)} MiB, ` +
    `closed ${closed}; a shopper waited ${slowestMs.toFixed(0)} ms at most`
  );
}

import { loadavg } from 'node:os';
import { attack, type AttackResult } from './attack.ts';
import { FLOODS, type FloodResult, flood } from './floods.ts';
import { HostileTarget } from './target.ts';

const MIB = 2 ** 20;
/** What the heap may have more of after the last tenth of the requests than after the first. */
const MAX_GROWTH_MIB = 10;
/** How many more sockets and the like it may have at the end than at the start. */
const MAX_MORE_RESOURCES = 30;

/**
 * Sends the session server what no page, shop or provider would. Answers how much was found that must not
 * be. What hides a request in another one is sent by `hostile.test.ts`.
 */
export async function playHostile(
  databaseUrl: string | undefined,
  options: { readonly requests: number; readonly seed: number },
): Promise<number> {
  console.log(`seed ${String(options.seed)}, load ${loadavg().map(Math.round).join(' ')}`);
  const target = await HostileTarget.start(databaseUrl);
  const found: string[] = [];
  const before = await target.usage();
  const result = await attack(target, options);
  console.log(describeAttack(result));
  if (result.failure !== undefined) found.push(result.failure);
  const [first, last] = [result.usage[0], result.usage.at(-1)];
  if (first && last && last.heapBytes - first.heapBytes > MAX_GROWTH_MIB * MIB) {
    found.push('the heap has grown');
  }
  if (last?.isPolluted) found.push('the prototype of all objects has changed');
  for (const each of FLOODS) {
    const held = await flood(each, target);
    console.log(describeFlood(held));
    found.push(...held.failures);
  }
  const after = await target.usage();
  console.log(
    `sockets and the like: ${String(before.resources)} before, ${String(after.resources)} after`,
  );
  if (after.resources > before.resources + MAX_MORE_RESOURCES) found.push('sockets are left');
  const end = await target.stop();
  if (end !== '0 null') found.push(`it ended with ${end}`);
  for (const failure of found) console.log(`    FOUND: ${failure}`);
  console.log(`\nfound: ${String(found.length)}`);
  return found.length;
}

function describeAttack(result: AttackResult): string {
  const { requests, seconds, routes, pages, slowestMs, usage } = result;
  const megabytes = (of: 'heapBytes' | 'rssBytes'): string =>
    usage.map((one) => Math.round(one[of] / MIB)).join(' ');
  const statuses = [...result.statuses].toSorted(([a], [b]) => a - b);
  return [
    `${String(requests)} requests to ${String(routes.size)} routes, ${(requests / seconds).toFixed(0)} a second, ` +
      `the slowest ${slowestMs.toFixed(0)} ms`,
    `    answers: ${statuses.map((pair) => pair.join(' × ')).join(', ')}`,
    `    pages: ${String(pages.signedIn)} of ${String(pages.answers)} answers from behind the sign-in`,
    `    after each tenth, MiB: heap ${megabytes('heapBytes')}, resident ${megabytes('rssBytes')}`,
  ].join('\n');
}

function describeFlood({ flood, slowestMs, mebibytes, closedAfterSeconds }: FloodResult): string {
  const closed =
    closedAfterSeconds === undefined ? 'never' : `after ${closedAfterSeconds.toFixed(0)} s`;
  return (
    `${String(flood.connections)} clients that ${flood.title}: ${mebibytes.toFixed(1)} MiB, ` +
    `closed ${closed}; a shopper waited ${slowestMs.toFixed(0)} ms at most`
  );
}

import { setTimeout as pause } from 'node:timers/promises';
import { type LoadResult, median, round } from './load.ts';
import type { BenchProcess } from './process.ts';

/** Rounds that do not count: a server runs for weeks, and is compiled in its first seconds. */
const WARMING_ROUNDS = 6;
const ROUNDS = 31;
/** A server that used less than this share of a processor for so long is idle. */
const IDLE_MS = 50;
const IDLE_SHARE = 0.1;

/** One round: what the load saw, and what the server spent on it. */
interface Round extends LoadResult {
  readonly cpuMicrosPerRequest: number;
  /** Of the PostgreSQL; not a number (`null` in JSON) on a data file. */
  readonly databaseMicrosPerRequest: number;
}

export interface Comparison {
  readonly ours: Round;
  readonly peer: Round;
  /** Our requests a second, in theirs. */
  readonly ratio: number;
  readonly p99Ratio: number;
  /** Our processor time for a request and what follows from it, in theirs. */
  readonly cpuRatio: number;
  /** The processor time of our PostgreSQL for it, in that of theirs. */
  readonly databaseCpuRatio: number;
}

/**
 * Interleaved rounds of both, after some that do not count. Each ratio is the median of the
 * rounds' own ratios: what else the machine does in a round falls on both.
 */
export async function compare(
  ours: BenchProcess,
  peer: BenchProcess,
  requests: number,
  measure: (url: string, requests: number) => Promise<LoadResult>,
  { warming = WARMING_ROUNDS, rounds = ROUNDS } = {},
): Promise<Comparison> {
  const results = { ours: [] as Round[], peer: [] as Round[] };
  for (let at = 0; at < warming; at += 1) {
    await measure(ours.url, requests);
    await measure(peer.url, requests);
  }
  for (let at = 0; at < rounds; at += 1) {
    results.ours.push(await runRound(ours, requests, measure));
    results.peer.push(await runRound(peer, requests, measure));
  }
  const ratioOf = (measure: keyof Round): number =>
    round(
      median(
        results.ours.map((one, at) => one[measure] / (results.peer[at]?.[measure] ?? Number.NaN)),
      ),
    );
  return {
    ours: middle(results.ours),
    peer: middle(results.peer),
    ratio: ratioOf('requestsPerSecond'),
    p99Ratio: ratioOf('p99'),
    cpuRatio: ratioOf('cpuMicrosPerRequest'),
    databaseCpuRatio: ratioOf('databaseMicrosPerRequest'),
  };
}

async function runRound(
  server: BenchProcess,
  requests: number,
  measure: (url: string, requests: number) => Promise<LoadResult>,
): Promise<Round> {
  const before = await server.usage();
  const result = await measure(server.url, requests);
  const after = await untilIdle(server);
  const spent = (what: 'cpuMicros' | 'databaseMicros'): number =>
    Math.round((after[what] - before[what]) / requests);
  return {
    ...result,
    cpuMicrosPerRequest: spent('cpuMicros'),
    databaseMicrosPerRequest: spent('databaseMicros'),
  };
}

/**
 * Waits until a server has nothing more to do, and reports what it has used by then: work that it put
 * off until after its answers is its own, and must not fall on the round of the other one.
 */
async function untilIdle(server: BenchProcess): ReturnType<BenchProcess['usage']> {
  for (let last = await server.usage(); ;) {
    await pause(IDLE_MS);
    const usage = await server.usage();
    if (usage.cpuMicros - last.cpuMicros < IDLE_MS * 1000 * IDLE_SHARE) return usage;
    last = usage;
  }
}

/** The median of each measure alone. */
function middle(rounds: readonly Round[]): Round {
  const of = (measure: keyof Round): number => median(rounds.map((one) => one[measure]));
  return {
    requestsPerSecond: of('requestsPerSecond'),
    p50: of('p50'),
    p99: of('p99'),
    refused: of('refused'),
    cpuMicrosPerRequest: of('cpuMicrosPerRequest'),
    databaseMicrosPerRequest: of('databaseMicrosPerRequest'),
  };
}

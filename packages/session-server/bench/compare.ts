import { type LoadResult, median, round } from './load.ts';
import type { BenchProcess } from './process.ts';

const ROUNDS = 7;

/** One round: what the load saw, and what the server spent on it. */
interface Round extends LoadResult {
  readonly cpuMicrosPerRequest: number;
}

export interface Comparison {
  readonly ours: Round;
  readonly peer: Round;
  /** Our requests a second, in theirs. */
  readonly ratio: number;
  readonly p99Ratio: number;
  /** Our processor time for a request, in theirs: it tells the same on a busy machine. */
  readonly cpuRatio: number;
}

/**
 * Interleaved rounds of both, after one of each that does not count. Each ratio is the median of the
 * rounds' own ratios: what else the machine does in a round falls on both.
 */
export async function compare(
  ours: BenchProcess,
  peer: BenchProcess,
  requests: number,
  measure: (url: string, requests: number) => Promise<LoadResult>,
): Promise<Comparison> {
  const results = { ours: [] as Round[], peer: [] as Round[] };
  await measure(ours.url, requests);
  await measure(peer.url, requests);
  for (let at = 0; at < ROUNDS; at += 1) {
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
  };
}

async function runRound(
  server: BenchProcess,
  requests: number,
  measure: (url: string, requests: number) => Promise<LoadResult>,
): Promise<Round> {
  const before = await server.usage();
  const result = await measure(server.url, requests);
  const after = await server.usage();
  const cpuMicrosPerRequest = Math.round((after.cpuMicros - before.cpuMicros) / requests);
  return { ...result, cpuMicrosPerRequest };
}

/** The median of each measure by itself. */
function middle(rounds: readonly Round[]): Round {
  const of = (measure: keyof Round): number => median(rounds.map((one) => one[measure]));
  return {
    requestsPerSecond: of('requestsPerSecond'),
    p50: of('p50'),
    p99: of('p99'),
    cpuMicrosPerRequest: of('cpuMicrosPerRequest'),
  };
}

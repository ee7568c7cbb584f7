import { type LoadResult, median, round } from './load.ts';
import type { BenchProcess } from './process.ts';
import { createMany, createOne, readState } from './shopper.ts';

const CONCURRENCIES = [50, 500];
const WARMING_ROUNDS = 1;
const ROUNDS = 5;
const REQUESTS = { create: 1000, read: 3000 };

/** What answers: a peer, one replica, or all of them in turn. */
type Answerers = Readonly<Record<'peer' | 'one' | 'three', readonly string[]>>;

/** Checkouts and reads a second of one replica and of three, next to a peer in the same rounds. */
export async function measureReplicas(
  replicas: readonly BenchProcess[],
  peer: BenchProcess,
): Promise<object[]> {
  const urls = replicas.map(({ url }) => url);
  const answerers: Answerers = { peer: [peer.url], one: urls.slice(0, 1), three: urls };
  const ours = await createOne(urls[0] ?? '');
  const theirs = await createOne(peer.url);
  const read = (url: readonly string[], requests: number, concurrency: number) => {
    const { checkout } = url[0] === peer.url ? theirs : ours;
    return readState(url, checkout, requests, concurrency);
  };
  const figures: object[] = [];
  for (const [what, measure] of Object.entries({ create: createMany, read })) {
    for (const concurrency of CONCURRENCIES) {
      const requests = REQUESTS[what as keyof typeof REQUESTS];
      const run = (url: readonly string[]) => measure(url, requests, concurrency);
      figures.push({ what, concurrency, ...(await interleave(answerers, run)) });
    }
  }
  return figures;
}

/** Medians of interleaved rounds. Each ratio is that of the rounds' own ratios to the peer. */
async function interleave(
  answerers: Answerers,
  run: (url: readonly string[]) => Promise<LoadResult>,
): Promise<object> {
  const rounds: Record<keyof Answerers, LoadResult>[] = [];
  for (let at = -WARMING_ROUNDS; at < ROUNDS; at += 1) {
    const peer = await run(answerers.peer);
    const one = await run(answerers.one);
    const three = await run(answerers.three);
    if (at >= 0) rounds.push({ peer, one, three });
  }
  const middle = (of: (results: (typeof rounds)[number]) => number) =>
    round(median(rounds.map(of)));
  const ofEach = (of: (result: LoadResult) => number) => ({
    peer: middle(({ peer }) => of(peer)),
    one: middle(({ one }) => of(one)),
    three: middle(({ three }) => of(three)),
  });
  return {
    requestsPerSecond: ofEach((result) => result.requestsPerSecond),
    p99: ofEach((result) => result.p99),
    refused: ofEach((result) => result.refused),
    ratioOfOne: middle(({ one, peer }) => one.requestsPerSecond / peer.requestsPerSecond),
    ratioOfThree: middle(({ three, peer }) => three.requestsPerSecond / peer.requestsPerSecond),
  };
}

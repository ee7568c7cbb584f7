import { load, type LoadResult, median, round } from './load.ts';
import type { BenchProcess } from './process.ts';
import { CONCURRENCY, createMany, createOne, readState } from './shopper.ts';

const CONCURRENCIES = [50, 500];
const WARMING_ROUNDS = 1;
const ROUNDS = 5;
const REQUESTS = { create: 1000, read: 3000, webhook: 3000 };
/** Checkouts that webhooks come for, in turn. */
const CHECKOUTS = 3000;

/** What answers: a peer, one replica, or two or three of them in turn. */
type Answerers = Readonly<Record<'peer' | 'one' | 'two' | 'three', readonly BenchProcess[]>>;

interface Measured extends LoadResult {
  /** Processor time of a request in microseconds: of what answers, and of its database. */
  readonly serverMicros: number;
  readonly databaseMicros: number;
}

/** Checkouts and reads a second of one, two and three replicas, next to a peer in the same rounds. */
export async function measureReplicas(
  replicas: readonly BenchProcess[],
  peer: BenchProcess,
): Promise<object[]> {
  const answerers: Answerers = {
    ...{ peer: [peer], one: replicas.slice(0, 1) },
    ...{ two: replicas.slice(0, 2), three: replicas },
  };
  const ours = await createOne(replicas[0]?.url ?? '');
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
      figures.push({ what, concurrency, ...(await interleave(answerers, requests, run)) });
    }
  }
  return figures;
}

/** Webhooks a second of one, two and three replicas, each stored before it is answered. */
export async function measureWebhooks(
  replicas: readonly BenchProcess[],
  provider: BenchProcess,
): Promise<object> {
  await createMany(
    replicas.map(({ url }) => url),
    CHECKOUTS,
  );
  const given = (await (await fetch(`${provider.url}/webhook-urls`)).json()) as string[];
  const paths = given.slice(-CHECKOUTS).map((address) => new URL(address).pathname);
  let webhooks = 0;
  const run = (url: readonly string[]) =>
    load({
      ...{ url, requests: REQUESTS.webhook, concurrency: CONCURRENCY },
      request: () => {
        webhooks += 1;
        const body = JSON.stringify({ n: webhooks, pad: 'x'.repeat(300) });
        return { path: paths[webhooks % CHECKOUTS] ?? '', method: 'POST', body };
      },
    });
  const [one, two] = [replicas.slice(0, 1), replicas.slice(0, 2)];
  return interleave({ one, two, three: replicas }, REQUESTS.webhook, run);
}

/** Medians of interleaved rounds. */
async function interleave<Name extends string>(
  answerers: Readonly<Record<Name, readonly BenchProcess[]>>,
  requests: number,
  run: (url: readonly string[]) => Promise<LoadResult>,
): Promise<object> {
  const names = Object.keys(answerers) as Name[];
  const rounds: Record<string, Measured>[] = [];
  for (let at = -WARMING_ROUNDS; at < ROUNDS; at += 1) {
    const results: Record<string, Measured> = {};
    for (const name of names) results[name] = await measure(answerers[name], requests, run);
    if (at >= 0) rounds.push(results);
  }
  const ofEach = (of: (result: Measured) => number) =>
    Object.fromEntries(
      names.map((name) => [
        name,
        round(median(rounds.flatMap(({ [name]: result }) => (result ? [of(result)] : [])))),
      ]),
    );
  return {
    requestsPerSecond: ofEach((result) => result.requestsPerSecond),
    p99: ofEach((result) => result.p99),
    refused: ofEach((result) => result.refused),
    serverMicros: ofEach((result) => result.serverMicros),
    databaseMicros: ofEach((result) => result.databaseMicros),
  };
}

async function measure(
  processes: readonly BenchProcess[],
  requests: number,
  run: (url: readonly string[]) => Promise<LoadResult>,
): Promise<Measured> {
  const usages = () => Promise.all(processes.map((each) => each.usage()));
  const before = await usages();
  const result = await run(processes.map(({ url }) => url));
  const after = await usages();
  const spent = (of: (usage: (typeof before)[number]) => number): number[] =>
    after.map((usage, at) => of(usage) - of(before[at] ?? usage));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    ...result,
    serverMicros: Math.round(sum(spent(({ cpuMicros }) => cpuMicros)) / requests),
    // They share one database: each sees all of what it does.
    databaseMicros: Math.round((spent(({ databaseMicros }) => databaseMicros)[0] ?? 0) / requests),
  };
}

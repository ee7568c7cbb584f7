/**
 * The session server in ratios, each against a peer in the same run, JSON lines on standard output.
 *
 * Rounds are interleaved (ours, peer, ours, peer, …) and compared round by round, so that what else
 * the machine does falls on both. `node bench/run.ts read webhooks` runs these two only.
 *
 * Replicas, database and load share the processors of one machine: what three replicas answer beside
 * one says nothing about three machines.
 */
import { availableParallelism, loadavg } from 'node:os';
import { PostgresServer } from '../src/testing/postgres-server.ts';
import { compare } from './compare.ts';
import { load, round } from './load.ts';
import { measureEvidence } from './measure-evidence.ts';
import { measureHistory } from './measure-history.ts';
import { measureLists } from './measure-lists.ts';
import { measureWaiters } from './measure-waiters.ts';
import { measureReplicas } from './measure-replicas.ts';
import { type BenchProcess, startProcess } from './process.ts';
import { CONCURRENCY, createMany, createOne, readState } from './shopper.ts';

/** Checkouts that webhooks come for, in turn: about twenty for each in the end. */
const CHECKOUTS = 5000;
const WEBHOOK_PADDING = 'x'.repeat(300);

const provider = await startProcess('provider.ts');
const env = { PROVIDER_URL: provider.url };

const BENCHES = {
  async open() {
    const [ours, peer] = await startPair('peer.ts');
    const comparison = await compare(ours, peer, 2000, createMany);
    print('create a checkout, stored before it is answered', {
      ...comparison,
      ratioAtLeast: 0.45,
      p99RatioAtMost: 2,
    });
    await Promise.all([ours.stop(), peer.stop()]);
  },

  async read() {
    const [ours, peer] = await startPair('peer.ts');
    const { checkout } = await createOne(ours.url);
    const comparison = await compare(ours, peer, 6000, (url, requests) =>
      readState(url, checkout, requests),
    );
    print('read a state', { ...comparison, ratioAtLeast: 0.65 });
    await Promise.all([ours.stop(), peer.stop()]);
  },

  async webhooks() {
    const [ours, bound] = await startPair('webhook-bound.ts');
    const paths = await webhookPaths(ours.url);
    let webhooks = 0;
    const comparison = await compare(ours, bound, 3000, (url, requests) =>
      load({
        url,
        requests,
        concurrency: CONCURRENCY,
        request: () => {
          webhooks += 1;
          const body = `{"n":${String(webhooks)},"pad":"${WEBHOOK_PADDING}"}`;
          const path = paths[webhooks % paths.length] ?? '';
          return { path, method: 'POST', body };
        },
      }),
    );
    print('receive a webhook, stored before it is answered', { ...comparison, ratioAtLeast: 0.5 });
    await Promise.all([ours.stop(), bound.stop()]);
  },

  async waiters() {
    const ours = await startProcess('server.ts', env);
    print('shoppers who wait', await measureWaiters(ours));
    await ours.stop();
  },

  async lists() {
    for (const merchants of [10, 10_000]) {
      print('list calls while shoppers wait', await measureLists(merchants, env));
    }
  },

  async replicas() {
    await onPostgres(async (postgres) => {
      const replicas = await startReplicas(postgres);
      const peer = await startProcess('peer.ts', env);
      for (const figures of await measureReplicas(replicas, peer)) {
        print('one replica and three on PostgreSQL', figures);
      }
      await Promise.all([...replicas, peer].map((process) => process.stop()));
    });
  },

  async evidence() {
    await onPostgres(async (postgres) => {
      const replicas = await startReplicas(postgres);
      print('from evidence to the last answer', await measureEvidence(replicas, provider));
      await Promise.all(replicas.map((replica) => replica.stop()));
    });
  },

  async history() {
    print('after many other orders', await measureHistory(env));
    await onPostgres(async (postgres) => {
      print('after many other orders', await measureHistory(env, postgres));
    });
  },
};

const wanted = process.argv.slice(2);
for (const [name, run] of Object.entries(BENCHES)) {
  if (wanted.length === 0 || wanted.includes(name)) await run();
}
await provider.stop();

async function onPostgres(work: (postgres: PostgresServer) => Promise<void>): Promise<void> {
  const postgres = await PostgresServer.start();
  try {
    await work(postgres);
  } finally {
    await postgres.remove();
  }
}

function startReplicas(postgres: PostgresServer): Promise<BenchProcess[]> {
  const own = { ...env, DATABASE_URL: postgres.url() };
  return Promise.all([1, 2, 3].map(() => startProcess('server.ts', own)));
}

function startPair(peer: string) {
  return Promise.all([startProcess('server.ts', env), startProcess(peer, env)]);
}

/** The webhook addresses of new checkouts, in the order in which they were created. */
async function webhookPaths(url: string): Promise<string[]> {
  await createMany(url, CHECKOUTS);
  const given = (await (await fetch(`${provider.url}/webhook-urls`)).json()) as string[];
  return given.slice(-CHECKOUTS).map((address) => new URL(address).pathname);
}

function print(bench: string, figures: object): void {
  process.stdout.write(`${JSON.stringify({ bench, ...figures, ...machine() })}\n`);
}

/** How busy the machine was over the last minute: figures of a busy one are provisional. */
function machine(): object {
  return { processors: availableParallelism(), load: round(loadavg()[0] ?? 0) };
}

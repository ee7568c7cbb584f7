/**
 * The session server in ratios, each against a peer in the same run, JSON lines on standard output.
 *
 * Rounds are interleaved (ours, peer, ours, peer, …) and compared round by round, so that what else
 * the machine does falls on both. `node tools/bench/run.ts read outbox` runs these two only.
 *
 * `PAY_NAMED_STATEMENTS=on` has PostgreSQL keep the plans of our statements: it is off as in the server.
 *
 * Replicas, database and load share the processors of one machine: what three replicas answer next to
 * one says nothing about three machines.
 */
import { availableParallelism, loadavg } from 'node:os';
import { PostgresServer } from '../../packages/session-server/src/testing/postgres-server.ts';
import { compare } from './compare.ts';
import { load, round } from './load.ts';
import { measureEvidence } from './measure-evidence.ts';
import { measureHistory } from './measure-history.ts';
import { measureLists } from './measure-lists.ts';
import { measureOutbox } from './measure-outbox.ts';
import { measureWaiters } from './measure-waiters.ts';
import { measureRetention } from './measure-retention.ts';
import { measureSearch } from './measure-search.ts';
import { measureReplicas, measureWebhooks } from './measure-replicas.ts';
import { type BenchProcess, startProcess } from './process.ts';
import { CONCURRENCY, createMany, createOne, readState } from './shopper.ts';

/** Checkouts that webhooks come for, in turn: about twenty for each in the end. */
const CHECKOUTS = 5000;
const WEBHOOK_PADDING = 'x'.repeat(300);

/** Requests of one round, and the wanted ratios to the peer. */
const CREATE = {
  sqlite: { requests: 1000, wanted: { ratioAtLeast: 0.95, cpuRatioAtMost: 1.5 } },
  postgres: {
    requests: 500,
    wanted: { ratioAtLeast: 0.45, cpuRatioAtMost: 2.8, databaseCpuRatioAtMost: 3 },
  },
} as const;
const ROUNDS = { warming: 2, rounds: 11 };

const provider = await startProcess('provider.ts');
type Env = Readonly<Record<string, string>>;
const env = { PROVIDER_URL: provider.url };

const BENCHES = {
  async create() {
    await onEachEngine(async (ours, peer, engine) => {
      const { requests, wanted } = CREATE[engine];
      const comparison = await compare(ours, peer, requests, createMany, ROUNDS);
      const what = 'create a checkout, stored before it is answered';
      print(what, { engine, ...comparison, ...wanted });
    });
  },

  async read() {
    await onEachEngine(async (ours, peer, engine) => {
      const [ourOwn, theirOwn] = await Promise.all([createOne(ours.url), createOne(peer.url)]);
      const read = (url: string, requests: number) =>
        readState(url, (url === ours.url ? ourOwn : theirOwn).checkout, requests);
      const comparison = await compare(ours, peer, 3000, read, ROUNDS);
      print('read a state from the store', { engine, ...comparison, ratioAtLeast: 0.75 });
    });
  },

  async outbox() {
    await onPostgres((ours) =>
      onPostgres(async (peer) => {
        const comparison = await measureOutbox(env, ours, peer);
        print('deliver an event', { ...comparison, ratioAtLeast: 0.6 });
      }),
    );
  },

  async webhooks() {
    const [ours, bound] = await Promise.all([
      startProcess('server.ts', env),
      startProcess('webhook-bound.ts', env),
    ]);
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
      const peer = await startProcess('peer.ts', { ...env, DATABASE_URL: postgres.url() });
      for (const figures of await measureReplicas(replicas, peer)) {
        print('one, two and three replicas on PostgreSQL', figures);
      }
      const webhooks = await measureWebhooks(replicas, provider);
      print('one, two and three replicas on PostgreSQL', { what: 'webhook', ...webhooks });
      await Promise.all([...replicas, peer].map((process) => process.stop()));
    });
  },

  async evidence() {
    for (const count of [1, 2, 3]) {
      await onPostgres(async (postgres) => {
        // Of its own: what another one was paid for would use up the quota of pages.
        const own = await startProcess('provider.ts');
        const replicas = await startReplicas(postgres, count, own.url);
        print('from evidence to the last answer', await measureEvidence(replicas, own));
        await Promise.all([...replicas, own].map((process) => process.stop()));
      });
    }
  },

  async history() {
    print('after many other orders', await measureHistory(env));
    await onPostgres(async (postgres) => {
      print('after many other orders', await measureHistory(env, postgres));
    });
  },

  async search() {
    print('find one order of a million', await measureSearch());
    await onPostgres(async (postgres) => {
      print('find one order of a million', await measureSearch(postgres));
    });
  },

  async retention() {
    print('remove the rows of old orders', await measureRetention());
    await onPostgres(async (postgres) => {
      print('remove the rows of old orders', await measureRetention(postgres));
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

/** Both on a data file, then each on a PostgreSQL of its own, so that the processor time of each can be measured. */
async function onEachEngine(
  work: (ours: BenchProcess, peer: BenchProcess, engine: keyof typeof CREATE) => Promise<void>,
): Promise<void> {
  const start = async (engine: keyof typeof CREATE, ourEnv: Env, peerEnv: Env): Promise<void> => {
    const ours = await startProcess('server.ts', ourEnv);
    const peer = await startProcess('peer.ts', peerEnv);
    await work(ours, peer, engine);
    await Promise.all([ours.stop(), peer.stop()]);
  };
  await start('sqlite', env, env);
  await onPostgres((first) =>
    onPostgres((second) =>
      start(
        'postgres',
        { ...env, DATABASE_URL: first.url() },
        { ...env, DATABASE_URL: second.url() },
      ),
    ),
  );
}

function startReplicas(
  postgres: PostgresServer,
  count = 3,
  providerUrl = provider.url,
): Promise<BenchProcess[]> {
  const own = { PROVIDER_URL: providerUrl, DATABASE_URL: postgres.url() };
  return Promise.all(Array.from({ length: count }, () => startProcess('server.ts', own)));
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

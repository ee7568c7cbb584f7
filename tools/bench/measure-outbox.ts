import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PgBoss } from 'pg-boss';
import {
  type PostgresServer,
  queryAt,
} from '../../packages/session-server/src/testing/postgres-server.ts';
import { compare, type Comparison } from './compare.ts';
import { type LoadResult, summarize } from './load.ts';
import { startProcess } from './process.ts';
import { seedPostgres } from './seed-history.ts';

export const OUTBOX_QUEUE = 'events';
const EVENTS = 1000;
const MERCHANTS = 50;
const ROUNDS = { warming: 1, rounds: 5 };

export interface OutboxJob {
  readonly body: string;
}

type Env = Readonly<Record<string, string>>;

/**
 * Events delivered a second, ours and by pg-boss, to a shop that acknowledges each at once: from the first of
 * a thousand that wait to the last. What puts them there costs neither server anything.
 */
export async function measureOutbox(
  env: Env,
  ours: PostgresServer,
  peer: PostgresServer,
): Promise<Comparison> {
  const shop = await startShop();
  const ownEnv = { ...env, BENCH_EVENTS_URL: shop.url, BENCH_MERCHANTS: String(MERCHANTS) };
  const ourEnv = { ...ownEnv, DATABASE_URL: ours.url() };
  // The first start makes the tables.
  await (await startProcess('server.ts', ourEnv)).stop();
  await seedPostgres(ours.url(), EVENTS, MERCHANTS);
  const server = await startProcess('server.ts', ourEnv);
  const boss = await startProcess('outbox-peer.ts', { ...ownEnv, DATABASE_URL: peer.url() });
  const sender = new PgBoss({ connectionString: peer.url(), supervise: false, schedule: false });
  await sender.start();
  const jobs = await readBodies(ours);
  const deliver = async (url: string, count: number): Promise<LoadResult> => {
    const arrived = shop.waitFor(count);
    await (url === server.url ? makeDue(ours) : sender.insert(OUTBOX_QUEUE, jobs));
    return arrived;
  };
  try {
    return await compare(server, boss, EVENTS, deliver, ROUNDS);
  } finally {
    await sender.stop();
    await Promise.all([server.stop(), boss.stop()]);
    shop.close();
  }
}

/** The events of past orders wait again, as new ones do. */
async function makeDue(postgres: PostgresServer): Promise<void> {
  await queryAt(
    postgres.url(),
    `UPDATE outbox_events SET status = 'pending', tries = 0, position = NULL,
       due_at = ${String(Date.now())}`,
  );
}

async function readBodies(postgres: PostgresServer): Promise<{ data: OutboxJob }[]> {
  const rows = await queryAt(postgres.url(), 'SELECT body FROM outbox_events');
  return rows.map(({ body }) => ({ data: { body: String(body) } }));
}

/** A shop that acknowledges every event, and says when they came. */
async function startShop() {
  let arrivals: number[] = [];
  let onArrival: () => void = () => undefined;
  const server = createServer((request, response) => {
    arrivals.push(performance.now());
    request.resume();
    response.writeHead(204).end();
    onArrival();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/events`,
    async waitFor(count: number): Promise<LoadResult> {
      arrivals = [];
      await new Promise<void>((resolve) => {
        onArrival = () => {
          if (arrivals.length === count) resolve();
        };
      });
      const [first = 0] = arrivals;
      return summarize(
        arrivals.map((at) => at - first),
        ((arrivals.at(-1) ?? 0) - first) / 1000,
      );
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import {
  PostgresServer,
  queryAt,
} from '../../packages/session-server/src/testing/postgres-server.ts';
import { findPostmaster, readDatabaseMicros } from './database-time.ts';
import { startProcess } from './process.ts';
import { createOne } from './shopper.ts';

const ROWS = 'SELECT session_id FROM peer_checkouts';
const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function startPostgres(): Promise<PostgresServer> {
  const postgres = await PostgresServer.start();
  cleanUps.push(() => postgres.remove());
  return postgres;
}

/** Where the peer stores, and how another connection reads it. */
const ENGINES = {
  async postgres() {
    const postgres = await startPostgres();
    return { env: { DATABASE_URL: postgres.url() }, read: () => queryAt(postgres.url(), ROWS) };
  },
  sqlite() {
    const folder = mkdtempSync(join(tmpdir(), 'peer-test-'));
    cleanUps.push(() => {
      rmSync(folder, { recursive: true });
    });
    const read = (): object[] => {
      const database = new DatabaseSync(join(folder, 'peer.sqlite'), { readOnly: true });
      const rows = database.prepare(ROWS).all();
      database.close();
      return rows;
    };
    return { env: { BENCH_FOLDER: folder }, read };
  },
};

describe.each(Object.entries(ENGINES))('the peer of the benchmarks, on %s', (_, open) => {
  it('has committed a checkout before it calls the provider, and its session before it answers', async () => {
    const { env, read } = await open();
    const seenByProvider: object[][] = [];
    const provider = createServer((request, response) => {
      request.resume();
      void Promise.resolve(read()).then((rows) => {
        seenByProvider.push(rows);
        response.end('{"session_id":"session-1"}');
      });
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    const { port } = provider.address() as AddressInfo;
    cleanUps.push(() => {
      provider.closeAllConnections();
      provider.close();
    });
    const peer = await startProcess('peer.ts', {
      ...env,
      PROVIDER_URL: `http://127.0.0.1:${String(port)}`,
    });
    cleanUps.push(() => peer.stop());

    const { checkout } = await createOne(peer.url);

    expect(seenByProvider).toMatchObject([[{ session_id: null }]]);
    expect(await read()).toMatchObject([{ session_id: 'session-1' }]);
    const status = await fetch(`${peer.url}/v1/checkouts?id=${checkout}:0`);
    expect(await status.json()).toEqual({ checkouts: [{ checkout, state: 'open', revision: 1 }] });
  });
});

describe.runIf(process.platform === 'linux')('the processor time of a PostgreSQL', () => {
  it('has the work of a connection in it that has ended', async () => {
    const postgres = await startPostgres();
    const postmaster = await findPostmaster(postgres.url());
    const before = readDatabaseMicros(postmaster);
    // A second of work, which a busy machine may share out.
    await postgres.query(`DO $$ DECLARE started timestamptz := clock_timestamp(); BEGIN
      WHILE clock_timestamp() < started + interval '1 second' LOOP END LOOP; END $$`);
    await expect.poll(() => readDatabaseMicros(postmaster) - before).toBeGreaterThan(100_000);
  });
});

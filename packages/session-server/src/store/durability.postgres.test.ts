import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.js';
import { PostgresServer } from '../testing/postgres-server.js';
import { StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import { TestStore } from '../testing/test-store.js';
import { PostgresDatabase } from './postgres-database.js';

const WRITER = fileURLToPath(new URL('../testing/write-until-killed.mjs', import.meta.url));
const WRITERS = 8;
const WRITES = 40;

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.remove());

async function open(): Promise<TestStore> {
  const database = await PostgresDatabase.open(server.url());
  return new TestStore(database, { clock: systemClock, rules: TEST_RULES });
}

/** Each of these checkouts must be there, with its session. */
async function expectAll(acknowledged: readonly string[]): Promise<void> {
  const store = await open();
  const found = await store.findMany(acknowledged);
  expect(found.map(({ id }) => id).toSorted()).toEqual(acknowledged.toSorted());
  for (const id of acknowledged) {
    expect(await store.findAttempts(id)).toMatchObject([{ status: 'active' }]);
  }
  await store.close();
}

describe('what a store in PostgreSQL has acknowledged', () => {
  it('is there after the database server was cut off while it was written to', async () => {
    const store = await open();
    const acknowledged: string[] = [];
    const enough = Promise.withResolvers<void>();
    let isOver = false;
    const write = async (writer: number): Promise<void> => {
      for (let count = 0; !isOver; count += 1) {
        const order = `${String(writer)}.${String(count)}`;
        const made = await new StoreHarness(store).activate({ order }).catch(() => undefined);
        if (made) acknowledged.push(made.checkout.id);
        if (acknowledged.length >= WRITES) enough.resolve();
      }
    };
    const writing = Array.from({ length: WRITERS }, (_, writer) => write(writer));
    await enough.promise;
    await server.stop('immediate');
    isOver = true;
    await server.resume();
    await Promise.all(writing);
    await store.close();
    await expectAll(acknowledged);
  });

  it('is there after the process that wrote it was killed, of what it had committed', async () => {
    const acknowledged: string[] = [];
    const writer = spawn(process.execPath, [WRITER, server.url(), 'killed'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(writer, 'close');
    createInterface({ input: writer.stdout }).on('line', (line) => {
      acknowledged.push(line);
      if (acknowledged.length === WRITES) writer.kill('SIGKILL');
    });
    expect(await ended).toEqual([null, 'SIGKILL']);
    await expectAll(acknowledged);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../clock.js';
import { RunLoops } from '../run-loop.js';
import { PostgresDatabase } from '../store/postgres-database.js';
import { createTestDatabase, type TestDatabase } from '../testing/postgres-store.js';
import { VERSION } from '../version.js';
import { Servers } from './servers.js';

const SILENT_LOGGER = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
const HOUR_MS = 3_600_000;

describe('servers that share a database', () => {
  let made: TestDatabase;
  const started: { close(): Promise<void> }[] = [];
  beforeEach(async () => {
    made = await createTestDatabase();
  });
  afterEach(async () => {
    for (const one of started.splice(0).toReversed()) await one.close();
    await made.drop();
  });

  async function start(name: string, clock: Clock): Promise<Servers> {
    const database = await PostgresDatabase.open(made.url, { clock, logger: SILENT_LOGGER });
    started.push(database);
    const servers = new Servers({
      loops: new RunLoops({ database, clock, logger: SILENT_LOGGER, tickMs: 20 }),
      database,
      clock,
      name,
      encryption: { keyId: `key of ${name}` },
      reconciliation: {
        countPollers: () => ({ all: 1, backingOff: 1, backfillSince: undefined }),
      },
      merchants: { all: () => Promise.resolve([]) },
    });
    started.push(servers);
    return servers;
  }

  const namesOf = async (servers: Servers) => (await servers.all()).map(({ name }) => name);

  it('each say how they are until they are stopped, the one that is asked first', async () => {
    const clock = { now: () => Date.now() };
    const [one, two] = [await start('one', clock), await start('two', clock)];
    await expect.poll(() => namesOf(two)).toEqual(['two', 'one']);
    await expect.poll(() => namesOf(one)).toEqual(['one', 'two']);
    const [, other] = await one.all();
    expect(other).toMatchObject({
      ...{ version: VERSION, encryptionKey: 'key of two', listsBackingOff: 1, merchants: 0 },
      clockAheadMs: expect.any(Number) as number,
    });
    await two.close();
    expect(await namesOf(one)).toEqual(['one']);
  });

  it('are seen by the clock of the one that is asked, however theirs are set', async () => {
    const one = await start('one', { now: () => Date.now() });
    await start('two', { now: () => Date.now() + 5 * HOUR_MS });
    await expect.poll(() => namesOf(one)).toEqual(['one', 'two']);
    const [own, other] = await one.all();
    expect(other?.clockAheadMs).toBeGreaterThan(4.9 * HOUR_MS);
    expect(Math.abs((own?.seenAt ?? 0) - (other?.seenAt ?? 0))).toBeLessThan(HOUR_MS / 60);
  });

  it('are still named when they fall silent, and forgotten after an hour', async () => {
    let now = Date.now();
    const one = await start('one', { now: () => now });
    await made.query(
      `INSERT INTO servers (id, state, seen_at)
        VALUES ('dead', '{"name":"dead","seenAt":${String(now)}}', ${String(now)})`,
    );
    const { seenAt } = (await one.all())[1] ?? {};
    expect(seenAt).toBeGreaterThan(now - HOUR_MS / 60);
    now += 2 * HOUR_MS;
    expect(await namesOf(one)).toEqual(['one']);
    const rows = () => made.query(`SELECT 1 FROM servers WHERE id = 'dead'`);
    await expect.poll(async () => (await rows()).length).toBe(0);
  });
});

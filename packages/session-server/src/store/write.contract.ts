import { expect, it } from 'vitest';
import type { StoreFixture } from '../testing/store-fixture.js';
import { getCounter, setCounter } from './database.js';
import { sql } from './sql.js';

/** What a statement does that may be lost with a crash. */
export function describeWrites(fixture: StoreFixture): void {
  const read = (name: string) => getCounter(fixture.store.database, name);

  it('one statement that may be lost is stored, and returns its rows', async () => {
    const { database } = fixture.store;
    await database.transaction('test:set', (tx) => setCounter(tx, 'one', 1));
    const rows = await database.write(
      (unsynced) => sql`
        UPDATE counters SET value = value + 1 WHERE name = ${'one'} ${unsynced} RETURNING value`,
    );
    expect(rows).toEqual([{ value: 2 }]);
    expect(await read('one')).toBe(2);
    await database.transaction('test:set', (tx) => setCounter(tx, 'two', 1));
    expect(await read('two')).toBe(1);
  });

  it('changes rows by a table of numbers, also where some are missing', async () => {
    const { database } = fixture.store;
    await database.transaction('test:set', async (tx) => {
      for (const name of ['one', 'two', 'three']) await setCounter(tx, name, name.length);
    });
    const changed = sql.values(
      'changed',
      ['was', 'becomes'],
      [
        [3, undefined],
        [5, 50],
      ],
    );
    await database.write(
      (unsynced) => sql`
        WITH ${changed} UPDATE counters SET value = coalesce(changed.becomes, value)
        FROM changed WHERE counters.value = changed.was ${unsynced} RETURNING name`,
    );
    expect([await read('one'), await read('two'), await read('three')]).toEqual([3, 3, 50]);
  });
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestDatabase } from '../testing/postgres-store.js';

const PAGE = join(import.meta.dirname, '../../../../docs/scale.md');

it('autovacuum comes sooner with the statements of docs/scale.md', async () => {
  const [, statements = ''] = /```sql\n([^`]+)```/.exec(readFileSync(PAGE, 'utf8')) ?? [];
  const database = await createTestDatabase();
  await database.query(statements);
  const tables = await database.query(
    `SELECT relname FROM pg_class WHERE 'autovacuum_vacuum_scale_factor=0.02' = ANY (reloptions)`,
  );
  expect(tables.map(({ relname }) => relname).toSorted()).toEqual([
    ...['attempts', 'checkouts', 'orders', 'outbox_events'],
  ]);
  await database.drop();
});

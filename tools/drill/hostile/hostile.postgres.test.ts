import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../packages/session-server/src/testing/postgres-store.ts';
import { attack } from './attack.ts';
import { HostileTarget } from './target.ts';

const SEED = Date.now() % 2 ** 31;

let database: TestDatabase;
let target: HostileTarget;
beforeAll(async () => {
  database = await createTestDatabase();
  target = await HostileTarget.start(database.url);
});
afterAll(async () => {
  await target.stop();
  await database.drop();
});

it('hostile requests are answered with no error of the server, and with no secret', async () => {
  const { failure } = await attack(target, { requests: 2000, seed: SEED });
  expect(failure).toBeUndefined();
});

// A process that writes checkouts into a data file or a PostgreSQL database, and prints the id of each one that the database
// has acknowledged, until it is killed. It runs on the built package, as a server does.
import process from 'node:process';
import { activateSession } from '../../dist/checkouts/attempt-repository.js';
import { beginAttempt } from '../../dist/checkouts/checkout-transactions.js';
import { recoverFromCrash } from '../../dist/crash-recovery.js';
import { PostgresDatabase } from '../../dist/store/postgres-database.js';
import { SqliteDatabase } from '../../dist/store/sqlite-database.js';

const [, , path, run] = process.argv;
const WRITERS = 8;

const database = path.startsWith('postgres:')
  ? await PostgresDatabase.open(path)
  : new SqliteDatabase(path);
await recoverFromCrash(database, Date.now());
const context = {
  clock: { now: () => Date.now() },
  rules: {
    expireAfterSeconds: 3600,
    settleWindowSeconds: 300,
    sendLeaseSeconds: 15,
    renewalsPerHour: 3,
    watchSeconds: 86_400,
    refundWatchSeconds: 86_400,
    maxOrderId: 2 ** 31 - 1,
  },
  onChange() {},
  orderIds: {},
};

async function write(writer) {
  for (let count = 0; ; count += 1) {
    const request = {
      merchant: 'teashop',
      order: `run-${run}.${writer}.${count}`,
      orderVersion: 'version-1',
      amountMinor: 999,
      currency: 'GBP',
      decimals: 2,
      account: 'default',
      providerMerchantId: 1001,
    };
    const { checkout, attempt } = await database.transaction('begin', (tx) =>
      beginAttempt(tx, request, context),
    );
    const sessionId = `session-${attempt.orderId}`;
    await activateSession(database, attempt, sessionId, Date.now());
    process.stdout.write(`${checkout.id}\n`);
  }
}

await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));

// A process that writes checkouts into a data file, and prints the id of each one that the store
// has acknowledged, until it is killed. It runs on the built package, as a server does.
import process from 'node:process';
import { SqliteCheckoutStore } from '../../dist/store/sqlite-store.js';

const [, , path, run] = process.argv;
const WRITERS = 8;

const store = await SqliteCheckoutStore.open({
  path,
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
});

async function write(writer) {
  for (let count = 0; ; count += 1) {
    const { checkout, attempt } = await store.beginAttempt({
      merchant: 'teashop',
      order: `run-${run}.${writer}.${count}`,
      orderVersion: 'version-1',
      amountMinor: 999,
      currency: 'GBP',
      decimals: 2,
      providerMerchantId: 1001,
    });
    await store.activateSession(attempt.orderId, `session-${attempt.orderId}`);
    process.stdout.write(`${checkout.id}\n`);
  }
}

await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));

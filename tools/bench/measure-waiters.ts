import { Agent } from 'undici';
import { round } from './load.ts';
import type { BenchProcess } from './process.ts';
import { cancel, CONCURRENCY, type CreatedCheckout, createOne } from './shopper.ts';

const WAITERS = 10_000;
/** As many as the server lets wait for one checkout. */
const PER_CHECKOUT = 4;

/** Memory of shoppers who wait, and how long after the first change the last of them is answered. */
export async function measureWaiters(server: BenchProcess): Promise<object> {
  const { url } = server;
  const opened: CreatedCheckout[] = [];
  for (let at = 0; at < WAITERS / PER_CHECKOUT; at += 1) opened.push(await createOne(url));
  const agent = new Agent({ connections: WAITERS });
  const before = await server.usage();
  const ask = async (checkout: string): Promise<number> => {
    const path = `/v1/checkouts?id=${checkout}:1&wait=25`;
    const { body } = await agent.request({ origin: url, path, method: 'GET' });
    await body.dump();
    return performance.now();
  };
  const waiting = opened.flatMap(({ checkout }) =>
    Array.from({ length: PER_CHECKOUT }, () => ask(checkout)),
  );
  // One more request is answered only after those before it have been read.
  await fetch(`${url}/healthz`);
  const during = await server.usage();
  const reportedAt = performance.now();
  const queue = [...opened];
  const report = async (): Promise<void> => {
    for (let next = queue.pop(); next; next = queue.pop()) await cancel(url, next);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, report));
  const answeredAt = await Promise.all(waiting);
  await agent.close();
  return {
    waiters: WAITERS,
    bytesPerWaiter: Math.round((during.bytes - before.bytes) / WAITERS),
    secondsFromFirstChangeToLastAnswer: round((Math.max(...answeredAt) - reportedAt) / 1000),
  };
}

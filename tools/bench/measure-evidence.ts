import { Agent } from 'undici';
import { median, round } from './load.ts';
import type { BenchProcess } from './process.ts';
import { CONCURRENCY, type CreatedCheckout, createOne } from './shopper.ts';

const WAITERS = 10_000;
const PER_CHECKOUT = 4;
/** Who come at the same moment: a busy server closes connections on which it reads nothing for 15 s. */
const AT_ONCE = 500;

/**
 * Shoppers who wait at several replicas until the provider lists their payments: how long after that the
 * last of them has the answer.
 */
export async function measureEvidence(
  replicas: readonly BenchProcess[],
  provider: BenchProcess,
): Promise<object> {
  const urls = replicas.map(({ url }) => url);
  const opened = await createAll(urls, WAITERS / PER_CHECKOUT);
  const agent = new Agent({ connections: WAITERS });
  let waits = 0;
  let refused = 0;
  let reset = 0;
  const waitForPayment = async (origin: string, checkout: string): Promise<number> => {
    for (let revision = 1; ;) {
      waits += 1;
      const path = `/v1/checkouts?id=${checkout}:${String(revision)}&wait=25`;
      const response = await agent.request({ origin, path, method: 'GET' }).catch(() => undefined);
      if (!response) {
        reset += 1;
        continue;
      }
      const { body, statusCode } = response;
      if (statusCode === 503) {
        await body.dump();
        refused += 1;
        continue;
      }
      const { checkouts } = (await body.json()) as StatusReply;
      if (checkouts[0]?.state === 'paid') return performance.now();
      revision = checkouts[0]?.revision ?? revision;
    }
  };
  const waiting: Promise<number>[] = [];
  for (let at = 0; at < WAITERS; at += 1) {
    const { checkout = '' } = opened[Math.floor(at / PER_CHECKOUT)] ?? {};
    waiting.push(waitForPayment(urls[at % urls.length] ?? '', checkout));
    // One more request is answered only after those before it have been read.
    if (waiting.length % AT_ONCE === 0)
      await Promise.all(urls.map((url) => fetch(`${url}/healthz`)));
  }
  const paidAt = performance.now();
  await fetch(`${provider.url}/pay-all`, { method: 'POST' });
  const seconds = (await Promise.all(waiting)).map((at) => (at - paidAt) / 1000);
  await agent.close();
  return {
    waiters: WAITERS,
    replicas: replicas.length,
    payments: opened.length,
    longPolls: waits,
    refused,
    reset,
    secondsToMiddleAnswer: round(median(seconds)),
    secondsToLastAnswer: round(Math.max(...seconds)),
  };
}

interface StatusReply {
  readonly checkouts: readonly { readonly state: string; readonly revision: number }[];
}

async function createAll(urls: readonly string[], count: number): Promise<CreatedCheckout[]> {
  const opened: CreatedCheckout[] = [];
  let next = 0;
  const open = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) {
      opened.push(await createOne(urls[at % urls.length] ?? ''));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, open));
  return opened;
}

/**
 * The session server in ratios, each against a peer in the same run, JSON lines on standard output.
 *
 * Rounds are interleaved (ours, peer, ours, peer, …) and the medians compared, so that what else the
 * machine does falls on both.
 */
import { Agent, type Dispatcher } from 'undici';
import { BENCH_MERCHANT_ID, BENCH_ORIGIN } from './merchant.ts';
import { load, type LoadResult, median, round } from './load.ts';
import { measureCommitBound } from './commit-bound.ts';
import { startProcess } from './process.ts';

const ROUNDS = 5;
const CONCURRENCY = 50;
const WEBHOOK_PADDING = 'x'.repeat(300);
const JSON_HEADERS = { 'content-type': 'application/json', origin: BENCH_ORIGIN };

const provider = await startProcess('provider.ts');
const env = { PROVIDER_URL: provider.url };
const ours = await startProcess('server.ts', env);
const peer = await startProcess('peer.ts', env);

let order = 0;
const open = (url: string, requests: number): Promise<LoadResult> =>
  load({
    url,
    requests,
    concurrency: CONCURRENCY,
    request: () => {
      order += 1;
      const body = JSON.stringify({ merchant: BENCH_MERCHANT_ID, order: `A${String(order)}` });
      return { path: '/v1/checkouts', method: 'POST', headers: JSON_HEADERS, body };
    },
  });

async function openOne(): Promise<{ checkout: string; sessionId: string }> {
  order += 1;
  const response = await fetch(`${ours.url}/v1/checkouts`, {
    method: 'POST',
    headers: JSON_HEADERS,
    body: JSON.stringify({ merchant: BENCH_MERCHANT_ID, order: `A${String(order)}` }),
  });
  return (await response.json()) as { checkout: string; sessionId: string };
}

await compare('open a checkout, stored before it is answered', 0.65, (url) => open(url, 2000));

const { checkout } = await openOne();
await compare('read a state', 0.8, (url) =>
  load({
    url,
    requests: 6000,
    concurrency: CONCURRENCY,
    request: () => ({ path: `/v1/checkouts?id=${checkout}:0`, method: 'GET' }),
  }),
);

await measureWebhooks();
await measureWaiters();
await Promise.all([ours.stop(), peer.stop(), provider.stop()]);

/** Interleaved rounds of both; the ratio of their medians is what counts. */
async function compare(
  name: string,
  target: number,
  measure: (url: string) => Promise<LoadResult>,
): Promise<void> {
  const results = { ours: [] as LoadResult[], peer: [] as LoadResult[] };
  await measure(ours.url);
  await measure(peer.url);
  for (let at = 0; at < ROUNDS; at += 1) {
    results.ours.push(await measure(ours.url));
    results.peer.push(await measure(peer.url));
  }
  const rate = (result: LoadResult): number => result.requestsPerSecond;
  const [a, b] = [median(results.ours, rate), median(results.peer, rate)];
  print({
    bench: name,
    ours: a,
    peer: b,
    ratio: round(a.requestsPerSecond / b.requestsPerSecond),
    atLeast: target,
    p99Ratio: round(a.p99 / b.p99),
    p99AtMost: 2,
  });
}

/** Webhook intake against the rows that the disk can make durable when as many share a commit. */
async function measureWebhooks(): Promise<void> {
  const path = await webhookPath();
  const post = (requests: number): Promise<LoadResult> =>
    load({
      url: ours.url,
      requests,
      concurrency: CONCURRENCY,
      request: (index) => ({
        path,
        method: 'POST',
        body: `{"n":${String(index)},"pad":"${WEBHOOK_PADDING}"}`,
      }),
    });
  await post(1000);
  const rounds: { rate: number; bound: number }[] = [];
  for (let at = 0; at < ROUNDS; at += 1) {
    const { requestsPerSecond: rate } = await post(3000);
    rounds.push({ rate, bound: measureCommitBound(CONCURRENCY, 20_000) });
  }
  const { rate, bound } = median(rounds, (round) => round.rate / round.bound);
  print({
    bench: 'take a webhook, stored before it is answered',
    ours: { requestsPerSecond: rate },
    bound: { requestsPerSecond: bound },
    ratio: round(rate / bound),
    atLeast: 0.7,
  });
}

/** Memory of shoppers who wait, and how long the last of them waits for news. */
async function measureWaiters(): Promise<void> {
  const waiters = 10_000;
  const perCheckout = 4;
  const opened: { checkout: string; sessionId: string }[] = [];
  for (let at = 0; at < waiters / perCheckout; at += 1) opened.push(await openOne());
  const agent = new Agent({ connections: waiters });
  const before = await ours.memory();
  const ask = (checkout: string): Promise<number> =>
    agent
      .request({ origin: ours.url, path: `/v1/checkouts?id=${checkout}:1&wait=25`, method: 'GET' })
      .then(async ({ body }: Dispatcher.ResponseData) => {
        await body.dump();
        return performance.now();
      });
  const waiting = opened.flatMap(({ checkout }) =>
    Array.from({ length: perCheckout }, () => ask(checkout)),
  );
  // One more question is answered only after those before it have been read.
  await fetch(`${ours.url}/healthz`);
  const during = await ours.memory();
  const toldAt = performance.now();
  const queue = [...opened];
  const teller = async (): Promise<void> => {
    for (let next = queue.pop(); next; next = queue.pop())
      await cancel(next.checkout, next.sessionId);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, teller));
  const answeredAt = await Promise.all(waiting);
  await agent.close();
  print({
    bench: 'shoppers who wait',
    waiters,
    bytesPerWaiter: Math.round((during - before) / waiters),
    secondsFromFirstNewsToLastAnswer: round((Math.max(...answeredAt) - toldAt) / 1000),
  });
}
/** The webhook address of the checkout that was opened last. */
async function webhookPath(): Promise<string> {
  await openOne();
  const url = (await (await fetch(`${provider.url}/webhook-url`)).json()) as string;
  return new URL(url).pathname;
}

async function cancel(checkout: string, sessionId: string): Promise<void> {
  await fetch(`${ours.url}/v1/checkouts/${checkout}/hints`, {
    method: 'POST',
    headers: JSON_HEADERS,
    body: JSON.stringify({ kind: 'cancelled', sessionId }),
  });
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

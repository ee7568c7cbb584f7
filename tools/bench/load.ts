import { Agent, type Dispatcher } from 'undici';

export interface LoadResult {
  /** Of those that were served. */
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** How many were answered with 503: more came at the same time than the database serves in time. */
  readonly refused: number;
}

export interface LoadOptions {
  /** Or several, in turn. */
  readonly url: string | readonly string[];
  readonly requests: number;
  readonly concurrency: number;
  /** The request of this index: method, path, headers, body. */
  readonly request: (index: number) => Omit<Dispatcher.DispatchOptions, 'origin'>;
}

/** Sends so many requests, so many at a time, over kept-alive connections, and measures each. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const { url, requests, concurrency, request } = options;
  const origins = [url].flat();
  const agent = new Agent({ connections: concurrency, pipelining: 1 });
  const latencies: number[] = [];
  let refused = 0;
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < requests; index = next++) {
      const startedAt = performance.now();
      const { statusCode, body } = await agent.request({
        origin: origins[index % origins.length] ?? '',
        ...request(index),
      });
      await body.dump();
      if (statusCode === 503) {
        refused += 1;
        continue;
      }
      if (statusCode >= 300) throw new Error(`request ${String(index)}: ${String(statusCode)}`);
      latencies.push(performance.now() - startedAt);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: concurrency }, worker));
  const seconds = (performance.now() - startedAt) / 1000;
  await agent.close();
  return { ...summarize(latencies, seconds), refused };
}

/** @param latencies of what was served in this time, in milliseconds */
export function summarize(latencies: readonly number[], seconds: number): LoadResult {
  const sorted = latencies.toSorted((a, b) => a - b);
  return {
    requestsPerSecond: Math.round(sorted.length / seconds),
    p50: round(quantile(sorted, 0.5)),
    p99: round(quantile(sorted, 0.99)),
    refused: 0,
  };
}

/** The middle one of several measurements. */
export function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

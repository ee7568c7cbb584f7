import { setTimeout as pause } from 'node:timers/promises';
import { RawConnection } from './raw-connection.ts';
import type { HostileTarget } from './target.ts';

const MIB = 2 ** 20;
/** What a shopper may wait for an answer in the meantime. */
const MAX_WAIT_MS = 5000;
const ASK_MS = 50;
const REQUEST = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n';
const HEAD = 'POST /v1/checkouts HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
const WITH_ORIGIN = `${HEAD}Origin: http://shop.localhost:4100\r\n`;

/** Many clients that hold connections and give nothing for them. */
export interface Flood {
  readonly title: string;
  readonly connections: number;
  /** Sent once by each. */
  readonly opening: string;
  /** Then sent once a second. */
  readonly drop?: string;
  /** How long it reads nothing. Default: it reads what comes. */
  readonly readsAfterSeconds?: number;
  /** Until the server has closed them all. */
  readonly seconds: number;
}

/** The timeouts of the server, and five seconds for each in which it finds out; the rest is for a slow machine. */
export const FLOODS: readonly Flood[] = [
  { title: 'connect and stay silent', connections: 1000, opening: '', seconds: 40 },
  { title: 'stay after an answer', connections: 1000, opening: REQUEST, seconds: 100 },
  {
    title: 'send a header a second',
    connections: 300,
    opening: HEAD,
    drop: 'X-More: 1\r\n',
    seconds: 40,
  },
  {
    title: 'send a byte of a body a second',
    connections: 300,
    opening: `${WITH_ORIGIN}Content-Length: 1000\r\n\r\n{`,
    drop: ' ',
    seconds: 60,
  },
  {
    title: 'send a chunk a second',
    connections: 300,
    opening: `${WITH_ORIGIN}Transfer-Encoding: chunked\r\n\r\n`,
    drop: '1\r\n \r\n',
    seconds: 60,
  },
  {
    title: 'ask and never read',
    connections: 20,
    opening: REQUEST.repeat(300),
    readsAfterSeconds: 140,
    seconds: 150,
  },
];

export interface FloodResult {
  readonly flood: Flood;
  /** The longest that a shopper waited for an answer. */
  readonly slowestMs: number;
  readonly mebibytes: number;
  /** When the last connection was closed. */
  readonly closedAfterSeconds: number | undefined;
  readonly failures: readonly string[];
}

export async function flood(flood: Flood, target: HostileTarget): Promise<FloodResult> {
  const before = await target.usage();
  const connections = await Promise.all(
    Array.from({ length: flood.connections }, () => RawConnection.open(target.ports.public)),
  );
  const startedAt = performance.now();
  const elapsed = (): number => (performance.now() - startedAt) / 1000;
  for (const connection of connections) {
    if (flood.readsAfterSeconds !== undefined) connection.stopReading();
    connection.write(flood.opening);
  }
  const over = new AbortController();
  const shopper = askUntil(over.signal, target);
  const dripping = drip(over.signal, connections, flood.drop);
  await Promise.all([target.send('/readyz'), pause(1000)]);
  const during = await target.usage();
  if (flood.readsAfterSeconds !== undefined) {
    await pause(flood.readsAfterSeconds * 1000);
    for (const connection of connections) connection.discard();
  }
  const late = pause((flood.seconds - elapsed()) * 1000, undefined, { signal: over.signal });
  const closed = Promise.all(connections.map((connection) => connection.untilClosed()));
  const closedAfterSeconds = await Promise.race([
    closed.then(elapsed),
    late.catch(() => undefined),
  ]);
  over.abort();
  const [slowestMs] = await Promise.all([shopper, dripping]);
  const left = connections.filter((connection) => !connection.isClosed).length;
  for (const connection of connections) connection.close();
  const failures = [
    ...(slowestMs > MAX_WAIT_MS ? [`a shopper waited ${slowestMs.toFixed(0)} ms`] : []),
    ...(left > 0 ? [`${String(left)} connections were open after ${String(flood.seconds)} s`] : []),
    ...(target.errors === '' ? [] : [`the log says: ${target.errors}`]),
  ];
  const mebibytes = (during.rssBytes - before.rssBytes) / MIB;
  return { flood, slowestMs, mebibytes, closedAfterSeconds, failures };
}

/** A shopper among them. Answers the longest that an answer took. */
async function askUntil(signal: AbortSignal, target: HostileTarget): Promise<number> {
  const { checkout = '' } = await target.visitor(0);
  let slowestMs = 0;
  while (!signal.aborted) {
    const startedAt = performance.now();
    const { status } = await target.send(`/v1/checkouts?id=${checkout}:0`);
    if (status !== 200) throw new Error(`a shopper was answered ${String(status)}`);
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    await pause(ASK_MS);
  }
  return slowestMs;
}

async function drip(
  signal: AbortSignal,
  connections: readonly RawConnection[],
  drop: string | undefined,
): Promise<void> {
  while (drop !== undefined && !signal.aborted) {
    for (const connection of connections) connection.write(drop);
    await pause(1000, undefined, { signal }).catch(() => undefined);
  }
}

/** Finds ports that are free on this machine. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** A port that was asked for, and the one that is used. They differ when the first was taken. */
export interface PortChoice {
  readonly wanted: number;
  readonly port: number;
}

const TRIES = 50;
/**
 * From here on, systems give out ports for any listener and for each outgoing connection. One
 * below stays free until its process starts, also while that is dead and started again.
 */
const FIRST_BUSY_PORT = 32_768;
const FIRST_QUIET_PORT = 20_000;
const LOOPBACKS = ['127.0.0.1', '::1'];

/**
 * The wanted port or the next free one above it; 0 means any free one. `taken` are ports that are
 * promised already.
 */
export async function findFreePort(
  wanted: number,
  taken: ReadonlySet<number> = new Set(),
): Promise<PortChoice> {
  if (wanted === 0) return { wanted, port: await findAnyFreePort(taken) };
  for (let port = wanted; port < wanted + TRIES && port <= 65_535; port += 1) {
    if (!taken.has(port) && (await isFree(port))) return { wanted, port };
  }
  throw new Error(
    `No port is free from ${wanted} to ${wanted + TRIES - 1}. Close something there.`,
  );
}

async function findAnyFreePort(taken: ReadonlySet<number>): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const port = randomInt(FIRST_QUIET_PORT, FIRST_BUSY_PORT);
    if (!taken.has(port) && (await isFree(port))) return port;
  }
  throw new Error('No port is free on 127.0.0.1.');
}

/**
 * Both loopbacks count: browsers try `::1` first for names under `localhost`, and would reach
 * another program that listens there.
 */
async function isFree(port: number): Promise<boolean> {
  for (const host of LOOPBACKS) {
    if ((await listenOnce(port, host)) === undefined) return false;
  }
  return true;
}

/** The port that was listened on, or undefined when it is in use. */
function listenOnce(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      // A machine without IPv6 has no listener there.
      const isAbsent = error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT';
      resolve(isAbsent ? port : undefined);
    });
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' ? (address?.port ?? port) : port);
      });
    });
  });
}

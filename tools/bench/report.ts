import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a program of the benchmarks has used since it started. */
export interface Usage {
  /** Resident memory, in bytes. */
  readonly bytes: number;
  /** Time on a processor, its own and the system's for it, in microseconds. */
  readonly cpuMicros: number;
}

/**
 * Reports to the parent process where this one listens, and what it has used whenever it is
 * asked; closes when the parent disconnects.
 */
export function reportToParent(port: number, close: () => Promise<void> | void): void {
  process.send?.({ port });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ bytes: process.memoryUsage.rss(), cpuMicros: user + system } satisfies Usage);
  });
  process.once('disconnect', () => {
    void Promise.resolve(close()).then(() => process.exit());
  });
}

/** Listens on a free port of this machine, and reports it. */
export function listenAndReport(
  server: Server,
  close: () => Promise<void> | void = () => undefined,
): void {
  server.listen(0, '127.0.0.1', () => {
    reportToParent((server.address() as AddressInfo).port, close);
  });
}

import type { Prometheus } from './prometheus.ts';
import { KillableServer } from './server.ts';

/** Servers of one environment, each of which is watched while it runs. */
export class WatchedServers {
  readonly #env: Readonly<Record<string, string>>;
  readonly #prometheus: Prometheus;
  readonly #running = new Set<KillableServer>();

  constructor(env: Readonly<Record<string, string>>, prometheus: Prometheus) {
    this.#env = env;
    this.#prometheus = prometheus;
  }

  /** Resolves when it listens. @param more of its own environment */
  async add(more: Readonly<Record<string, string>> = {}): Promise<KillableServer> {
    const server = new KillableServer({ env: { ...this.#env, ...more }, crashAt: [] });
    this.#running.add(server);
    await this.watch();
    return server;
  }

  async remove(server: KillableServer): Promise<void> {
    this.#running.delete(server);
    await server.stop();
    await this.watch();
  }

  /** Those that were started again have other ports. */
  async watch(): Promise<void> {
    const running = [...this.#running];
    await Promise.all(running.map((server) => server.untilListening()));
    this.#prometheus.watch(running.flatMap(({ ports }) => ports?.operatorPort ?? []));
  }

  /** What they have logged since the last time, each message once. */
  takeMessages(): string[] {
    const lines = [...this.#running].flatMap((server) => server.takeOutput().split('\n'));
    const messages = lines.flatMap((line) => /"msg":"([^"]+)"/.exec(line)?.[1] ?? []);
    return [...new Set(messages)];
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running].map((server) => server.stop()));
  }
}

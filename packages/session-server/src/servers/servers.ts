import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../clock.js';
import type { DataEncryption } from '../encryption.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import type { ReconciliationService } from '../reconciliation/service.js';
import type { RunLoop, RunLoops } from '../run-loop.js';
import type { Database } from '../store/database.js';
import { sql } from '../store/sql.js';
import { VERSION } from '../version.js';

/** How often a server says how it is. */
export const BEAT_MS = 5000;
/** One that has been silent for longer is forgotten. */
const FORGET_MS = 3_600_000;
const STALL_RESOLUTION_MS = 100;

/** How one server of a store is. Times are in milliseconds since 1970. */
export interface ServerState {
  /** `PAY_SERVER_NAME` */
  readonly name: string;
  readonly version: string;
  readonly startedAt: number;
  /** When it last said so, by the clock of the server that is asked. */
  readonly seenAt: number;
  /** How far its clock is ahead of that of the database; undefined where there is only one server. */
  readonly clockAheadMs?: number | undefined;
  /** The name of the key that it encrypts with. */
  readonly encryptionKey: string;
  /** Lists of the provider that it does not poll for now, because they failed. */
  readonly listsBackingOff: number;
  /** The longest time that its event loop stood still in the last {@link BEAT_MS}. */
  readonly stalledMs: number;
  readonly merchants: number;
}

export interface ServersOptions {
  readonly loops: RunLoops;
  readonly database: Database;
  readonly clock: Clock;
  readonly name: string;
  readonly encryption: Pick<DataEncryption, 'keyId'>;
  readonly reconciliation: Pick<ReconciliationService, 'countPollers'>;
  readonly merchants: Pick<MerchantSource, 'all'>;
}

/**
 * The servers of a store, this one among them. Where several share it, each writes its state into one row,
 * which it deletes when it is stopped.
 */
export class Servers {
  readonly #options: ServersOptions;
  readonly #id = randomUUID();
  readonly #startedAt: number;
  readonly #stalls: ReturnType<typeof monitorEventLoopDelay>;
  readonly #loop: RunLoop;
  #stalledMs = 0;
  #forgotAt = 0;

  constructor(options: ServersOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
    this.#stalls = monitorEventLoopDelay({ resolution: STALL_RESOLUTION_MS });
    this.#stalls.enable();
    this.#loop = options.loops.start({ name: 'servers', run: () => this.#beat() });
  }

  /** This one first, then the others by their names. */
  async all(): Promise<readonly ServerState[]> {
    const { database } = this.#options;
    const own = await this.#own();
    if (!database.isShared) return [own];
    const rows = await database.all(sql`
      SELECT state FROM servers WHERE id <> ${this.#id} AND seen_at >= ${own.seenAt - FORGET_MS}`);
    const others = rows.map((row) => {
      const other = JSON.parse(String(row['state'])) as ServerState;
      const clockDifference = (other.clockAheadMs ?? 0) - (own.clockAheadMs ?? 0);
      return { ...other, seenAt: other.seenAt - clockDifference };
    });
    return [own, ...others.toSorted((one, other) => (one.name < other.name ? -1 : 1))];
  }

  async close(): Promise<void> {
    await this.#loop.close();
    this.#stalls.disable();
    const { database } = this.#options;
    if (!database.isShared) return;
    // Without a store, the others see it fall silent.
    await database
      .write((unsynced) => sql`DELETE FROM servers WHERE id = ${this.#id} ${unsynced}`)
      .catch(() => undefined);
  }

  async #own(): Promise<ServerState> {
    const { database, clock, name, encryption, reconciliation, merchants } = this.#options;
    return {
      name,
      version: VERSION,
      startedAt: this.#startedAt,
      seenAt: clock.now(),
      clockAheadMs: database.clockAheadMs(),
      encryptionKey: encryption.keyId,
      listsBackingOff: reconciliation.countPollers().backingOff,
      stalledMs: this.#stalledMs,
      merchants: (await merchants.all()).length,
    };
  }

  async #beat(): Promise<number> {
    this.#stalledMs = Math.max(0, Math.round(this.#stalls.max / 1e6) - STALL_RESOLUTION_MS);
    this.#stalls.reset();
    const { database } = this.#options;
    if (!database.isShared) return BEAT_MS;
    const own = await this.#own();
    const state = JSON.stringify(own);
    await database.write(
      (unsynced) => sql`
        INSERT INTO servers (id, state, seen_at) VALUES (${this.#id}, ${state}, ${own.seenAt})
        ON CONFLICT (id) DO UPDATE SET state = excluded.state, seen_at = excluded.seen_at
        WHERE true ${unsynced}`,
    );
    const oldest = own.seenAt - FORGET_MS;
    if (this.#forgotAt < oldest) {
      await database.write(
        (unsynced) => sql`DELETE FROM servers WHERE seen_at < ${oldest} ${unsynced}`,
      );
      this.#forgotAt = own.seenAt;
    }
    return BEAT_MS;
  }
}

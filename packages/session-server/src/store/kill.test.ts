import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.js';
import { DatabaseInUseError } from './data-file.js';
import { TestStore } from '../testing/test-store.js';

const WRITER = fileURLToPath(new URL('../testing/write-until-killed.mjs', import.meta.url));
const NOTE_SYNCS = new URL('../testing/note-syncs.mjs', import.meta.url).href;
const BUILT = fileURLToPath(new URL('../../dist/store/sqlite-database.js', import.meta.url));
const KILLS = 10;
const MAX_WRITES = 150;
const RULES = {
  expireAfterSeconds: 3600,
  settleWindowSeconds: 300,
  sendLeaseSeconds: 15,
  renewalsPerHour: 3,
  watchSeconds: 86_400,
  refundWatchSeconds: 86_400,
  maxOrderId: 2 ** 31 - 1,
};

/** A second process that writes into the data file. */
class Writer {
  /** Every checkout that its store has acknowledged. */
  readonly acknowledged: string[] = [];
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;
  #onWrite: () => void = () => undefined;

  readonly #path: string;

  constructor(path: string, run: number) {
    this.#path = path;
    this.#process = spawn(process.execPath, ['--import', NOTE_SYNCS, WRITER, path, String(run)], {
      env: { ...process.env, SYNC_NOTES: `${path}.syncs` },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#ended = once(this.#process, 'close');
    if (!this.#process.stdout) throw new Error('the writer has no output');
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      this.acknowledged.push(line);
      this.#onWrite();
    });
  }

  /** Resolves when it has written that often; rejects when it ends before. */
  async hasWritten(count: number): Promise<void> {
    const written = new Promise<void>((resolve) => {
      this.#onWrite = () => {
        if (this.acknowledged.length >= count) resolve();
      };
      this.#onWrite();
    });
    const died = this.#ended.then(() => {
      throw new Error('the writer ended early');
    });
    await Promise.race([written, died]);
  }

  /** Kills it, and reads what it had still to say. What it wrote stays, on the disk or not. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
  }

  /** Kills it as a power cut would: of its log, what the last sync has kept is there, and no more. */
  async cutPower(): Promise<void> {
    await this.kill();
    truncateSync(`${this.#path}-wal`, Number(readFileSync(`${this.#path}.syncs`, 'utf8')));
    rmSync(`${this.#path}-shm`, { force: true });
  }
}

let folder: string;
let path: string;
beforeAll(() => {
  if (!existsSync(BUILT)) throw new Error('run "pnpm build" first: the writer runs on dist');
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kill-'));
  path = join(folder, 'data.sqlite');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});
const open = () => TestStore.open({ path, clock: systemClock, rules: RULES });

describe('a store whose process is killed', () => {
  it.each([
    { end: 'kill', what: 'has lost nothing that it acknowledged' },
    { end: 'cutPower', what: 'has lost nothing of it either where the power goes, too' },
  ] as const)('$what, ten times over', async ({ end }) => {
    const acknowledged: string[] = [];
    for (let run = 0; run < KILLS; run += 1) {
      const writer = new Writer(path, run);
      await writer.hasWritten(randomInt(1, MAX_WRITES));
      await writer[end]();
      acknowledged.push(...writer.acknowledged);

      const store = await open();
      const found = await store.findMany(acknowledged);
      expect(found.map(({ id }) => id)).toEqual(acknowledged);
      for (const id of writer.acknowledged) {
        expect(await store.findAttempts(id)).toMatchObject([{ status: 'active' }]);
      }
      await store.close();
    }
    const database = new DatabaseSync(path, { readOnly: true });
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    database.close();
  });

  it('held its file for itself, and lets go of it when it dies', async () => {
    const writer = new Writer(path, 0);
    await writer.hasWritten(1);
    await expect(open()).rejects.toThrow(DatabaseInUseError);
    await writer.kill();
    const store = await open();
    await store.ping();
    await store.close();
  });
});

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../packages/session-server/src/testing/postgres-server.ts';
import { send } from './http.ts';

const RULES = new URL('../../ops/prometheus-rules.yaml', import.meta.url);
/** Of the system. */
const PROGRAM = 'prometheus';

/** A Prometheus that asks the servers each second, with the rules of `ops/` shortened. */
export class Prometheus {
  readonly #process: ChildProcess;
  readonly #url: string;
  readonly #targets: string;

  private constructor(child: ChildProcess, port: number, targets: string) {
    this.#process = child;
    this.#url = `http://127.0.0.1:${String(port)}`;
    this.#targets = targets;
  }

  /** @throws {Error} when the system has none */
  static async start(folder: string): Promise<Prometheus> {
    if (spawnSync(PROGRAM, ['--version']).error) {
      throw new Error('Prometheus is not installed: apt-get install prometheus');
    }
    const at = (name: string) => join(folder, name);
    writeFileSync(at('rules.yaml'), shortenRules(readFileSync(RULES, 'utf8')));
    writeFileSync(at('targets.json'), '[]');
    writeFileSync(
      at('prometheus.yml'),
      JSON.stringify({
        global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
        rule_files: ['rules.yaml'],
        scrape_configs: [
          {
            job_name: 'pay-session-server',
            file_sd_configs: [{ files: ['targets.json'], refresh_interval: '1s' }],
          },
        ],
      }),
    );
    const port = await findFreePort();
    const child = spawn(
      PROGRAM,
      [
        `--config.file=${at('prometheus.yml')}`,
        `--storage.tsdb.path=${at('data')}`,
        `--web.listen-address=127.0.0.1:${String(port)}`,
        '--log.level=error',
      ],
      { stdio: 'inherit' },
    );
    await once(child, 'spawn');
    return new Prometheus(child, port, at('targets.json'));
  }

  watch(ports: readonly number[]): void {
    const targets = ports.map((port) => `127.0.0.1:${String(port)}`);
    const text = JSON.stringify([{ targets, labels: { environment: 'sandbox' } }]);
    // Prometheus reads it at any time.
    writeFileSync(`${this.#targets}.new`, text);
    renameSync(`${this.#targets}.new`, this.#targets);
  }

  /** Answers those that do not fire in time. */
  async untilFiring(alerts: readonly string[], seconds: number): Promise<string[]> {
    const giveUpAt = performance.now() + seconds * 1000;
    const missing = new Set(alerts);
    while (missing.size > 0 && performance.now() < giveUpAt) {
      const firing = await this.#firing().catch(() => []);
      for (const name of firing) missing.delete(name);
      await sleep(500);
    }
    return [...missing];
  }

  stop(): void {
    this.#process.kill();
  }

  async #firing(): Promise<string[]> {
    const { text } = await send(`${this.#url}/api/v1/alerts`);
    const { data } = JSON.parse(text) as {
      data: { alerts: { state: string; labels: { alertname: string } }[] };
    };
    return data.alerts
      .filter(({ state }) => state === 'firing')
      .map(({ labels }) => labels.alertname);
  }
}

/** The rules with seconds in place of minutes, and minutes in place of hours; an age of hours, too, in seconds. */
function shortenRules(rules: string): string {
  return rules
    .replaceAll(/(for: |\[)(\d+)m\b/g, '$1$2s')
    .replaceAll(/(for: )(\d+)h\b/g, '$1$2m')
    .replaceAll(/(_seconds\)+ > )(\d+)$/gm, (_, words: string, n: string) => {
      const seconds = Number(n);
      return words + String(seconds / (seconds < 3600 ? 60 : 3600));
    });
}

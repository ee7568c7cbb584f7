import { toPlainText } from '../output/plain-text.js';
import type { Terminal } from '../output/terminal.js';

const MIN_PAUSE_MILLISECONDS = 200;

/** Progress of an export on a terminal: rows, rows a second, the date reached. */
export class ProgressLine {
  readonly #terminal: Terminal;
  readonly #startedAt = performance.now();
  readonly #rowsBefore: number;
  #shownAt = 0;

  constructor(terminal: Terminal, rowsBefore: number) {
    this.#terminal = terminal;
    this.#rowsBefore = rowsBefore;
  }

  show(rows: number, bytes: number, reached: string | undefined): void {
    const now = performance.now();
    if (!this.#terminal.showsProgress || now - this.#shownAt < MIN_PAUSE_MILLISECONDS) return;
    this.#shownAt = now;
    const day = reached === undefined ? '' : ` · back to ${toPlainText(reached.slice(0, 10))}`;
    this.#terminal.progress(
      `${formatCount(rows)} rows · ${this.#rate(rows)} · ${formatBytes(bytes)}${day}`,
    );
  }

  /** Removes the line, and says in words what was done in this run. */
  end(rows: number): string {
    this.#terminal.progress('');
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const here = this.#rowsBefore === 0 ? '' : `, ${formatCount(rows - this.#rowsBefore)} of them`;
    return `${formatCount(rows)} rows${here} in ${seconds.toFixed(1)} s (${this.#rate(rows)})`;
  }

  #rate(rows: number): string {
    const seconds = Math.max(0.001, (performance.now() - this.#startedAt) / 1000);
    return `${formatCount(Math.round((rows - this.#rowsBefore) / seconds))} rows/s`;
  }
}

export function formatCount(count: number): string {
  // Not `toLocaleString`, whose first call loads the languages of the world.
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

export function formatBytes(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** All rows of a filter as a file: how far it is, a way to stop it, and never half a file. */
import { html, nothing, type TemplateResult } from 'lit';
import type { ConsoleProblem } from '../console-view.js';
import { formatNumber } from './formatting.js';
import { renderProblem } from './states.js';

const [CARRIAGE_RETURN, NEW_LINE] = [13, 10];

/** What there is to draw: the button, the progress, or what came of it. */
type ExportState =
  | { readonly kind: 'ready' }
  | { readonly kind: 'running'; readonly lines: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'saved'; readonly lines: number }
  | { readonly kind: 'failed'; readonly problem: ConsoleProblem };

export class CsvExport {
  readonly #query: string;
  readonly #onChange: () => void;
  #state: ExportState = { kind: 'ready' };
  #running = new AbortController();

  constructor(query: string, onChange: () => void) {
    this.#query = query;
    this.#onChange = onChange;
  }

  /** A newer list takes its place. */
  stop(): void {
    this.#running.abort();
  }

  /** One button that starts and stops: it keeps the focus. */
  render(): TemplateResult {
    const state = this.#state;
    const isRunning = state.kind === 'running';
    return html`<div class="exporting">
        <button
          type="button"
          class="outline"
          @click=${() => (isRunning ? this.#cancel() : void this.#run())}
        >
          ${isRunning ? 'Stop' : 'Export all as CSV'}
        </button>
        ${isRunning ? html`<progress aria-label="Export"></progress>` : nothing}
        <span role="status">${sayState(state)}</span>
      </div>
      ${state.kind === 'failed' ? renderProblem(state.problem) : nothing}`;
  }

  #cancel(): void {
    this.#running.abort();
    this.#show({ kind: 'stopped' });
  }

  #show(state: ExportState): void {
    this.#state = state;
    this.#onChange();
  }

  async #run(): Promise<void> {
    this.#running = new AbortController();
    const { signal } = this.#running;
    this.#show({ kind: 'running', lines: 0 });
    try {
      const response = await fetch(`/api/transactions.csv?${this.#query}`, { signal });
      if (!response.ok || response.body === null) {
        this.#show({ kind: 'failed', problem: (await response.json()) as ConsoleProblem });
        return;
      }
      const { parts, lines } = await this.#read(response.body);
      save(new Blob(parts, { type: 'text/csv' }));
      this.#show({ kind: 'saved', lines });
    } catch {
      if (!signal.aborted) this.#show({ kind: 'failed', problem: CUT_OFF });
    }
  }

  async #read(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    // The header is no row.
    let lines = -1;
    let last = 0;
    for (const reader = body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) return { parts, lines };
      parts.push(value);
      for (const byte of value) {
        if (byte === NEW_LINE && last === CARRIAGE_RETURN) lines += 1;
        last = byte;
      }
      this.#show({ kind: 'running', lines: Math.max(lines, 0) });
    }
  }
}

const CUT_OFF: ConsoleProblem = {
  status: 0,
  code: 'export_cut_off',
  title: 'The export was cut off.',
  detail: 'A page of the provider failed, or the console was stopped. No file was saved.',
  next: 'Export again, or ask for fewer days at a time.',
  outcome: 'not_sent',
};

function sayState(state: ExportState): string {
  switch (state.kind) {
    case 'running':
      return `${sayRows(state.lines)} so far …`;
    case 'stopped':
      return 'Stopped. No file was saved.';
    case 'saved':
      return `${sayRows(state.lines)} saved.`;
    case 'ready':
    case 'failed':
      return '';
  }
}

function sayRows(lines: number): string {
  return `${formatNumber(String(lines))} row${lines === 1 ? '' : 's'}`;
}

function save(blob: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = 'transactions.csv';
  link.click();
  URL.revokeObjectURL(link.href);
}

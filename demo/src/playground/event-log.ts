/** The log of the playground: the newest line at the end, and in view unless somebody scrolled up. */
import { html, render, type TemplateResult } from 'lit';
import type { LogEntry } from './event-entry.js';

const MAX_ENTRIES = 300;

export class EventLog {
  readonly #host: HTMLElement;
  #entries: readonly LogEntry[] = [];

  constructor(host: HTMLElement) {
    this.#host = host;
    this.#draw();
  }

  add(entry: LogEntry): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#host;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < 4;
    this.#entries = [...this.#entries, entry].slice(-MAX_ENTRIES);
    this.#draw();
    if (isAtEnd) this.#host.scrollTop = this.#host.scrollHeight;
  }

  clear(): void {
    this.#entries = [];
    this.#draw();
  }

  #draw(): void {
    const isEmpty = this.#entries.length === 0;
    render(
      isEmpty
        ? html`<p class="hint">Nothing yet.</p>`
        : html`<ol>
            ${this.#entries.map(renderEntry)}
          </ol>`,
      this.#host,
    );
  }
}

function renderEntry({ atMs, name, details, tone }: LogEntry): TemplateResult {
  return html`<li class=${tone}>
    <span class="at">${(atMs / 1000).toFixed(2)} s</span>
    <span class="what"
      ><b>${name}</b> ${details.map(
        ([field, value]) => html`<span class="detail"><i>${field}</i> ${value}</span> `,
      )}</span
    >
  </li>`;
}

/** The log of the playground: the newest line at the end, and in view unless the person scrolled up. */
import { html, render, type TemplateResult } from 'lit';

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

export interface LogEntry {
  /** Milliseconds since the tag was put on the page. */
  readonly atMs: number;
  readonly name: string;
  readonly details: readonly (readonly [name: string, value: string])[];
  /** `did` is an action of the page; `bad` is a failure. */
  readonly tone: 'event' | 'did' | 'good' | 'bad';
}

/** Every event that the tag fires. */
export const EVENT_NAMES = [
  'pay-statechange',
  'pay-ready',
  'pay-paid',
  'pay-declined',
  'pay-failed',
  'pay-unconfirmed',
  'pay-cancel',
  'pay-back',
  'pay-expired',
  'pay-error',
  'pay-redirect',
  'pay-metric',
] as const;

const BAD: readonly string[] = ['pay-error', 'pay-failed', 'pay-declined', 'pay-unconfirmed'];
const MAX_CHARACTERS = 60;

/** The event with all that it carries: its own fields, whatever they are. */
export function describeEvent(event: Event, atMs: number): LogEntry {
  return {
    atMs,
    name: event.type,
    details: Object.entries(event)
      .filter(([name, value]) => name !== 'isTrusted' && value !== undefined)
      .map(([name, value]) => [name, writeValue(value)]),
    tone: event.type === 'pay-paid' ? 'good' : BAD.includes(event.type) ? 'bad' : 'event',
  };
}

function writeValue(value: unknown): string {
  if (typeof value === 'number') return String(Math.round(value * 10) / 10);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

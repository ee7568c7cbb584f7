/** What the schedules of a form say, in words and with their next runs, while they are typed. */
import { html, nothing, render, type TemplateResult } from 'lit';
import type { ScheduleView } from '../console-view.js';
import { read } from './console-api.js';
import type { RowFields } from './row-fields.js';

/** A person goes on typing within this time. */
const PAUSE_MS = 300;

export interface ScheduleCheckOptions {
  /** With a field `schedule` in each row. */
  readonly rows: RowFields;
  readonly form: HTMLFormElement;
  readonly timezone: HTMLInputElement;
  readonly output: HTMLElement;
}

export function watchSchedules({ rows, form, timezone, output }: ScheduleCheckOptions): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let newest = new AbortController();

  const check = async (): Promise<void> => {
    newest.abort();
    newest = new AbortController();
    const { signal } = newest;
    const zone = timezone.value.trim() || 'UTC';
    const found = await Promise.all(
      rows.rows.map(async ({ schedule = '' }) => {
        if (schedule === '') return undefined;
        const query = new URLSearchParams({ schedule, timezone: zone });
        // Without an answer there are no words; the form works all the same.
        return read<ScheduleView>(`/api/schedule?${query}`, signal).catch(() => undefined);
      }),
    );
    if (!signal.aborted) render(renderSchedules(found, zone), output);
  };

  for (const changed of [form, timezone]) {
    changed.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(() => void check(), PAUSE_MS);
    });
  }
}

function renderSchedules(
  found: readonly (ScheduleView | undefined)[],
  zone: string,
): TemplateResult | typeof nothing {
  if (found.every((schedule) => schedule === undefined)) return nothing;
  return html`<div class="total" role="status">
    ${found.map((schedule, index) => {
      if (schedule === undefined) return nothing;
      const { words, nextRuns = [] } = schedule;
      if (words === undefined) {
        return html`<p>
          Transfer ${index + 1}: not a cron expression that can be read for certain. It is sent as
          it is.
        </p>`;
      }
      return html`<p>Transfer ${index + 1}: <b>${words}</b></p>
        ${renderRuns(nextRuns)}`;
    })}
    <small>Next runs in ${zone}.</small>
  </div>`;
}

export function renderRuns(nextRuns: readonly string[]): TemplateResult | typeof nothing {
  if (nextRuns.length === 0) return nothing;
  return html`<ul class="runs" aria-label="Next runs">
    ${nextRuns.map((run) => html`<li>${run}</li>`)}
  </ul>`;
}

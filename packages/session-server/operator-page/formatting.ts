import { html, type TemplateResult } from 'lit';

const DAY_AND_TIME = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'medium',
});

/** A moment in the zone of the person; the title has it in UTC. */
export function time(ms: number): TemplateResult {
  const date = new Date(ms);
  const utc = date.toISOString();
  return html`<time datetime=${utc} title="${utc.replace('T', ' ').replace('Z', ' UTC')}"
    >${DAY_AND_TIME.format(date)}</time
  >`;
}

/** Counts stop at 10,000. */
export function count(value: number): string {
  return value >= 10_000 ? '10,000 or more' : value.toLocaleString('en');
}

import { html, type TemplateResult } from 'lit';

const PARTS: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
};
const IN_UTC = new Intl.DateTimeFormat(undefined, { ...PARTS, timeZone: 'UTC' });
const IN_OWN_ZONE = new Intl.DateTimeFormat(undefined, PARTS);

/** A moment in UTC, as the log, the commands and the provider's list have it; the title has it in the zone of the person. */
export function time(ms: number): TemplateResult {
  const date = new Date(ms);
  return html`<time datetime=${date.toISOString()} title=${IN_OWN_ZONE.format(date)}
    >${IN_UTC.format(date)}</time
  >`;
}

/** A moment in the zone of the person, as a shop counts its days; the title has it in UTC. */
export function localTime(ms: number): TemplateResult {
  const date = new Date(ms);
  return html`<time datetime=${date.toISOString()} title=${IN_UTC.format(date)}
    >${IN_OWN_ZONE.format(date)}</time
  >`;
}

/** Counts stop at 10,000. */
export function count(value: number): string {
  return value >= 10_000 ? '10,000 or more' : value.toLocaleString('en');
}

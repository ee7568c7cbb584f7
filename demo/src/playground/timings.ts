/** The tag's `pay-metric` as bars: from the tag on the page, and from the start of paying. */
import type { MetricName } from '@pay-checkout/widget';
import { html, svg, type TemplateResult } from 'lit';

/** Milliseconds of each metric so far; the latest one of a name counts. */
export type Timings = Partial<Record<MetricName, number>>;

interface Bar {
  readonly name: MetricName;
  readonly what: string;
  readonly durationMs: number;
  /** Part of the whole width, 0 to 100; more does not fit, and the bar is drawn cut. */
  readonly percent: number;
  readonly isCut: boolean;
}

const FROM_TAG: readonly (readonly [MetricName, string])[] = [
  ['paint', 'first drawn'],
  ['loader', 'SDK loaded'],
];
const FROM_START: readonly (readonly [MetricName, string])[] = [
  ['session', 'checkout open'],
  ['ready', 'form usable'],
  ['outcome', 'it is known'],
];

const SMALLEST_PERCENT = 0.6;

/** Lays the bars out. The outcome takes as long as a person: it does not stretch the scale. */
export function layOutBars(timings: Timings): readonly Bar[] {
  const known = [...FROM_TAG, ...FROM_START].flatMap(([name, what]) => {
    const durationMs = timings[name];
    return durationMs === undefined ? [] : [{ name, what, durationMs }];
  });
  const machine = known.filter(({ name }) => name !== 'outcome');
  const scaleMs = Math.max(
    1,
    ...(machine.length > 0 ? machine : known).map((bar) => bar.durationMs),
  );
  return known.map((bar) => ({
    ...bar,
    percent: Math.min(100, Math.max(SMALLEST_PERCENT, (bar.durationMs / scaleMs) * 100)),
    isCut: bar.durationMs > scaleMs,
  }));
}

export function renderTimings(timings: Timings): TemplateResult {
  const bars = layOutBars(timings);
  if (bars.length === 0) return html`<p class="hint">Nothing has been measured yet.</p>`;
  const group = (title: string, names: readonly (readonly [MetricName, string])[]) => {
    const rows = bars.filter((bar) => names.some(([name]) => name === bar.name));
    return rows.length === 0 ? '' : renderGroup(title, rows);
  };
  return html`${group('From the tag on the page', FROM_TAG)}
  ${group('From the start of paying', FROM_START)}`;
}

function renderGroup(title: string, rows: readonly Bar[]): TemplateResult {
  return html`<figure class="timings">
    <figcaption>${title}</figcaption>
    ${rows.map(renderBar)}
  </figure>`;
}

/** The words stand beside the picture and not in it, so that large letters find room. */
function renderBar({ name, what, durationMs, percent, isCut }: Bar): TemplateResult {
  return html`<div class="bar ${name}">
    <p>
      <span>${name} <span class="what">${what}</span></span>
      <span>${formatMs(durationMs)}</span>
    </p>
    <svg width="100%" height="10" aria-hidden="true">
      <rect class="track" width="100%" height="10" rx="5"></rect>
      <rect width="${isCut ? 92 : percent}%" height="10" rx="5"></rect>
      ${
        isCut
          ? svg`<rect x="94%" width="2%" height="10"></rect>
            <rect x="98%" width="2%" height="10" rx="5"></rect>`
          : ''
      }
    </svg>
  </div>`;
}

function formatMs(durationMs: number): string {
  return durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
}

/** The phases of the tag as badges: the one it is in, and those that it has been through. */
import type { Phase, Settlement, Presentation, MetricName } from '@pay-checkout/widget';
import { html, type TemplateResult, svg } from 'lit';

/** What each phase means, for a person who points at it. The compiler knows if one is missing. */
const PHASES: Readonly<Record<Phase, string>> = {
  idle: 'not started',
  opening: 'the checkout is being created',
  address: 'the shopper is asked for the address',
  ready: 'the form can be used',
  redirecting: 'the page is about to be left',
  confirming: 'the shopper came back; the payment is being confirmed',
  paid: 'certain: a transaction of the provider matches',
  failed: 'certain: it did not go through',
  cancelled: 'the shopper cancelled',
  left: 'the shopper went back',
  expired: 'it was open for too long',
  unconfirmed: 'not confirmed in time',
  problem: 'a technical problem',
};

export interface PhaseView {
  readonly phase: Phase;
  readonly visited: ReadonlySet<Phase>;
  /** Where the payment happens, once it is chosen. */
  readonly way: Presentation | undefined;
  readonly settlement: Settlement | undefined;
}

export function renderPhases({ phase, visited, way, settlement }: PhaseView): TemplateResult {
  return html`<ol class="phases">
      ${Object.entries(PHASES).map(([name, what]) => {
        const isHere = name === phase;
        const state = isHere ? 'is-here' : visited.has(name as Phase) ? 'is-past' : '';
        return html`<li class=${state} title=${what} aria-current=${isHere ? 'step' : 'false'}>
          ${name}${state === 'is-past' ? html`<span class="unseen"> (has been)</span>` : ''}
        </li>`;
      })}
    </ol>
    <dl class="known">
      <div>
        <dt>Meaning</dt>
        <dd data-fact="meaning">${PHASES[phase]}</dd>
      </div>
      <div>
        <dt>Presentation</dt>
        <dd data-fact="way">${way ?? 'not yet'}</dd>
      </div>
      <div>
        <dt><code>whenSettled</code></dt>
        <dd data-fact="settled">
          ${
            settlement === undefined
              ? 'pending'
              : `${settlement.outcome}, ${settlement.certain ? 'certain' : 'not certain'}`
          }
        </dd>
      </div>
    </dl>`;
}

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

const MIN_PERCENT = 0.6;

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
    percent: Math.min(100, Math.max(MIN_PERCENT, (bar.durationMs / scaleMs) * 100)),
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

/** The words stand next to the picture and not in it, so that large letters find room. */
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

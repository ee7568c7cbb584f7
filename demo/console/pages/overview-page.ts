/** The overview: the partner's analytics, in figures and charts. */
import { html, nothing, render, type TemplateResult } from 'lit';
import { find } from '../../shared/pages/find.js';
import type { AnalyticsView } from '../console-view.js';
import { renderGroup } from './charts.js';
import { read } from './console-api.js';
import { count, formatNumber, renderOthers, humanise } from './formatting.js';
import { readAddress, toQuery, watchFilters, readKnownThings, suggest } from './forms.js';
import { Loader } from './loader.js';
import { renderState } from './states.js';
import { Waiting } from './waiting.js';

const form = find(document, '#filters', HTMLFormElement);
const partner = find(form, '#partner_name', HTMLInputElement);
const timeframe = find(form, '#timeframe', HTMLSelectElement);
const firstDay = find(form, '#from_date', HTMLInputElement);
const lastDay = find(form, '#to_date', HTMLInputElement);
const host = find(document, '#result', HTMLElement);
const loader = new Loader({
  host,
  waiting: new Waiting(find(document, '#waiting', HTMLElement)),
  form,
});

void start();

async function start(): Promise<void> {
  const { partners } = await readKnownThings();
  suggest(
    'partners',
    partners.map((value) => ({ value })),
  );
  // The default when the address names no partner.
  partner.defaultValue = partners[0] ?? '';
  readAddress(form);
  showDays();
  timeframe.addEventListener('change', showDays);
  watchFilters(form, () => {
    showDays();
    load();
  });
  if (partner.value !== '') load();
  else render(renderState(NO_PARTNER), host);
}

const NO_PARTNER = {
  title: 'No partner chosen',
  next: 'Enter the name of a partner as the provider knows it, then press Show.',
} as const;

const NO_FIGURES = {
  title: 'The provider has nothing to show for this timeframe.',
  next: 'Try a longer timeframe or another partner.',
} as const;

function load(): void {
  const query = toQuery(form).toString();
  void loader.load({
    ask: (signal) => read<AnalyticsView>(`/api/analytics?${query}`, signal),
    draw: renderAnalytics,
    summary: ({ figures, groups }) =>
      `${count(Object.keys(figures).length, 'figure')} and ${count(groups.length, 'chart')}.`,
  });
}

/** The two days belong to one timeframe; the others are not sent any. */
function showDays(): void {
  const isCustom = timeframe.value === 'custom';
  for (const day of [firstDay, lastDay]) {
    day.disabled = !isCustom;
    day.closest<HTMLElement>('.field')?.toggleAttribute('hidden', !isCustom);
  }
}

function renderAnalytics({ figures, groups, others }: AnalyticsView): TemplateResult {
  const series = groups.filter(({ isSeries }) => isSeries);
  const named = groups.filter(({ isSeries }) => !isSeries);
  const isEmpty = Object.keys(figures).length === 0 && groups.length === 0;
  if (isEmpty) return renderState(NO_FIGURES);
  return html`
    <section aria-labelledby="figures">
      <h2 id="figures">Figures</h2>
      <dl class="facts figures">
        ${Object.entries(figures).map(
          ([name, text]) =>
            html`<div>
              <dt>${humanise(name)}</dt>
              <dd>${text === '' ? html`<small>no value</small>` : formatNumber(text)}</dd>
            </div>`,
        )}
      </dl>
    </section>
    ${
      groups.length === 0
        ? nothing
        : html`<section aria-labelledby="charts">
            <h2 id="charts">Charts</h2>
            <div class="charts">${[...series, ...named].map(renderGroup)}</div>
          </section>`
    }
    ${renderOthers(others)}
    <p><small>Names and numbers come from the provider; its specification lists none.</small></p>
  `;
}

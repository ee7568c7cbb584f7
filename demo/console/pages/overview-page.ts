/** The overview: the partner's analytics, in figures and charts. */
import { html, render, type TemplateResult } from 'lit';
import { find } from '../../shared/pages/find.js';
import type { AnswerView } from '../console-view.js';
import { renderAnswer } from './answer.js';
import { read } from './console-api.js';
import { count } from './formatting.js';
import { readAddress, suggestKnownThings, toQuery, watchFilters } from './forms.js';
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
  const { partners } = await suggestKnownThings();
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
    ask: (signal) => read<AnswerView>(`/api/operations/analytics.partner?${query}`, signal),
    draw: renderAnalytics,
    summary: ({ fields, groups }) =>
      `${count(Object.keys(fields).length, 'figure')} and ${count(groups.length, 'chart')}.`,
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

function renderAnalytics(answer: AnswerView): TemplateResult {
  const isEmpty = Object.keys(answer.fields).length === 0 && answer.groups.length === 0;
  if (isEmpty) return renderState(NO_FIGURES);
  return html`${renderAnswer(answer, { isMetrics: true })}
    <p><small>Names and numbers come from the provider; its specification lists none.</small></p>`;
}

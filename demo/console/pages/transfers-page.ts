/** The scheduled transfers of a merchant account. */
import { html, nothing, render, type TemplateResult } from 'lit';
import { find } from '../../shared/pages/find.js';
import type { TransfersView, TransferView } from '../console-view.js';
import { startActionForm } from './action-form.js';
import { read } from './console-api.js';
import { count, renderOthers } from './formatting.js';
import { readAddress, toQuery, watchFilters, readKnownThings, suggestMerchants } from './forms.js';
import { Loader } from './loader.js';
import { renderState } from './states.js';
import { Waiting } from './waiting.js';
import { nestRows, RowFields } from './row-fields.js';
import { renderRuns, watchSchedules } from './schedule-check.js';

/** Fields with a column of their own. */
const COLUMNS = [
  ['id', 'Transfer'],
  ['merchantAccount', 'Account'],
  ['currency', 'Currency'],
  ['schedule', 'Schedule'],
  ['status', 'Status'],
] as const;

const form = find(document, '#filters', HTMLFormElement);
const merchant = find(form, '#mid', HTMLInputElement);
const host = find(document, '#result', HTMLElement);
const loader = new Loader({
  host,
  waiting: new Waiting(find(document, '#waiting', HTMLElement)),
  form,
});

const body = find(document, '#body', HTMLFormElement);
watchSchedules({
  rows: new RowFields(find(body, '[data-rows="data"]', HTMLElement)),
  form: body,
  timezone: find(form, '#timezone', HTMLInputElement),
  output: find(body, '#schedule-words', HTMLElement),
});
startActionForm<TransfersView>({
  form: body,
  waiting: find(document, '#body-waiting', HTMLElement),
  result: find(document, '#body-result', HTMLElement),
  path: '/api/transfers',
  busy: 'Asking the provider…',
  toBody: (fields) => ({ ...Object.fromEntries(toQuery(form)), ...nestRows(fields) }),
  draw: (view) =>
    html`<section>
      <h2 tabindex="-1" data-focus>The provider’s answer to this body</h2>
      ${renderTransfers(view)}
    </section>`,
});

void start();

async function start(): Promise<void> {
  const known = await readKnownThings();
  suggestMerchants('merchants', known);
  merchant.defaultValue = String(known.merchants[0]?.id ?? '');
  readAddress(form);
  watchFilters(form, load);
  if (merchant.value !== '') load();
  else render(renderState(NO_MERCHANT), host);
}

const NO_MERCHANT = {
  title: 'No merchant chosen',
  next: 'Enter the number of a merchant, then press Show.',
} as const;

const NO_TRANSFERS = {
  title: 'No scheduled transfers',
  next: 'The provider has none for this merchant. Try another merchant; the provider sets transfers up.',
} as const;

function load(): void {
  const query = toQuery(form).toString();
  void loader.load({
    ask: (signal) => read<TransfersView>(`/api/transfers?${query}`, signal),
    draw: renderTransfers,
    summary: ({ transfers }) => `${count(transfers.length, 'scheduled transfer')}.`,
  });
}

function renderTransfers({ transfers }: TransfersView): TemplateResult {
  if (transfers.length === 0) return renderState(NO_TRANSFERS);
  return html`<table class="rows" role="table">
      <caption>
        As the provider sends them
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${COLUMNS.map(([, title]) => html`<th role="columnheader" scope="col">${title}</th>`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${transfers.map(renderTransfer)}
      </tbody>
    </table>
    <p class="hint">
      In which time zone the provider reads a schedule is not shown: the next runs are worked out in
      the one that you choose.
    </p>`;
}

function renderTransfer({ fields, words, nextRuns = [] }: TransferView): TemplateResult {
  const shown = COLUMNS.map(([field]) => field as string);
  const others = Object.entries(fields).filter(([name]) => !shown.includes(name));
  return html`<tr role="row">
    ${COLUMNS.map(
      ([field, title]) =>
        html`<td role="cell" data-title=${title}>
          <span>
            ${fields[field] ?? '–'}
            ${field === 'id' ? renderOthers(Object.fromEntries(others)) : nothing}
            ${field === 'schedule' && words !== undefined ? html`<br /><b>${words}</b>` : nothing}
            ${field === 'schedule' ? renderRuns(nextRuns) : nothing}
          </span>
        </td>`,
    )}
  </tr>`;
}

/** The scheduled transfers of a merchant account. */
import { type Cell, renderTable } from '@pay-checkout/page-kit/parts';
import { html, nothing, render, type TemplateResult } from 'lit';
import { find } from '../../shared/pages/find.js';
import type { TransfersView, TransferView } from '../console-view.js';
import { startActionForm } from './action-form.js';
import { read } from './console-api.js';
import { count, renderOthers } from './formatting.js';
import { readAddress, suggestKnownThings, toQuery, watchFilters } from './forms.js';
import { Loader } from './loader.js';
import { renderOutcome, renderState } from './states.js';
import { Waiting } from './waiting.js';
import { nestRows, RowFields } from './row-fields.js';
import { renderRuns, watchSchedules } from './schedule-check.js';

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
    renderOutcome('good', 'The provider’s answer to this body', renderTransfers(view)),
});

void start();

async function start(): Promise<void> {
  const known = await suggestKnownThings();
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
  return html`${renderTable(
      'Transfers, as the provider sends them',
      ['Transfer', 'Account', 'Currency', 'Schedule', 'Status'],
      transfers.map(cellsOf),
    )}
    <p>
      <small>
        In which time zone the provider reads a schedule is not shown: the next runs are worked out
        in the one that you choose.
      </small>
    </p>`;
}

function cellsOf({ fields, words, nextRuns = [] }: TransferView): Cell[] {
  const { id, merchantAccount, currency, schedule, status, ...others } = fields;
  return [
    html`${id ?? '–'} ${renderOthers(Object.entries(others))}`,
    merchantAccount,
    currency,
    html`${schedule ?? '–'} ${words === undefined ? nothing : html`<br /><b>${words}</b>`}
    ${renderRuns(nextRuns)}`,
    status,
  ];
}

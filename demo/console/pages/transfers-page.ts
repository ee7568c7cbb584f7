/** The scheduled transfers of a merchant account. */
import { html, type TemplateResult } from 'lit';
import { find } from '../../shared/pages/find.js';
import type { ProviderFields, TransfersView } from '../console-view.js';
import { read } from './console-api.js';
import { count, renderOthers } from './formatting.js';
import { readAddress, toQuery, watchFilters, readKnownThings, suggestMerchants } from './forms.js';
import { Loader, Waiting } from './loader.js';

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
const loader = new Loader({
  host: find(document, '#result', HTMLElement),
  waiting: new Waiting(find(document, '#waiting', HTMLElement)),
  form,
});

void start();

async function start(): Promise<void> {
  const known = await readKnownThings();
  suggestMerchants('merchants', known);
  merchant.defaultValue = String(known.merchants[0]?.id ?? '');
  readAddress(form);
  watchFilters(form, load);
  if (merchant.value !== '') load();
}

function load(): void {
  const query = toQuery(form).toString();
  void loader.load({
    ask: (signal) => read<TransfersView>(`/api/transfers?${query}`, signal),
    draw: renderTransfers,
    summary: ({ transfers }) => `${count(transfers.length, 'scheduled transfer')}.`,
  });
}

function renderTransfers({ transfers }: TransfersView): TemplateResult {
  if (transfers.length === 0) {
    return html`<p class="lead">This merchant has no scheduled transfers.</p>`;
  }
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
      A schedule is a cron expression or words, and its time zone is not known: it is shown as it
      came. <code>pay-partner transfers list</code> puts the former into words.
    </p>`;
}

function renderTransfer(transfer: ProviderFields): TemplateResult {
  const shown = COLUMNS.map(([field]) => field as string);
  const others = Object.entries(transfer).filter(([name]) => !shown.includes(name));
  return html`<tr role="row">
    ${COLUMNS.map(
      ([field, title]) =>
        html`<td role="cell" data-title=${title}>
          <span>
            ${transfer[field] ?? '–'}
            ${field === 'id' ? renderOthers(Object.fromEntries(others)) : ''}
          </span>
        </td>`,
    )}
  </tr>`;
}

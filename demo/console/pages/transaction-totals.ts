/** What the rows that are shown come to, in each currency, exactly. */
import { html, nothing, type TemplateResult } from 'lit';
import type { ProviderFields } from '../console-view.js';
import { addDecimals, isDecimal } from '../decimal.js';
import { count, formatMoney } from './formatting.js';

const MONEY = [
  ['amount', 'Amount'],
  ['amountRefunded', 'Refunded'],
  ['service_fee', 'Service fees'],
  ['deductions', 'Deductions'],
  ['net', 'Net'],
] as const;

export function renderTotals(rows: readonly ProviderFields[]): TemplateResult | typeof nothing {
  if (rows.length === 0) return nothing;
  const currencies = new Map<string, ProviderFields[]>();
  for (const row of rows) {
    const currency = row['currencyCode'] ?? '';
    const group = currencies.get(currency);
    if (group === undefined) currencies.set(currency, [row]);
    else group.push(row);
  }
  return html`<details class="totals" open>
    <summary>Totals of ${count(rows.length, 'transaction')} shown</summary>
    <table class="rows" role="table">
      <caption class="unseen">
        Totals by currency
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">Currency</th>
          <th role="columnheader" scope="col" class="number">Transactions</th>
          ${MONEY.map(([, title]) => html`<th role="columnheader" scope="col" class="number">${title}</th>`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${[...currencies].map(([currency, group]) => renderCurrency(currency, group))}
      </tbody>
    </table>
  </details>`;
}

function renderCurrency(currency: string, rows: readonly ProviderFields[]): TemplateResult {
  return html`<tr role="row">
    <td role="cell" data-title="Currency"><b>${currency === '' ? 'none' : currency}</b></td>
    <td role="cell" data-title="Transactions" class="number"><span>${rows.length}</span></td>
    ${MONEY.map(([field, title]) => {
      const values = rows.map((row) => row[field]).filter(isDecimal);
      const missing = rows.length - values.length;
      return html`<td role="cell" data-title=${title} class="number">
        <span
          >${values.length === 0 ? '–' : formatMoney(addDecimals(values), currency)}${
            missing > 0 && values.length > 0
              ? html`<br /><span class="hint">of ${values.length}</span>`
              : nothing
          }</span
        >
      </td>`;
    })}
  </tr>`;
}

/** What the rows that are shown come to, in each currency, exactly. */
import { renderTable } from '@pay-checkout/page-kit/parts';
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
  const currencies = [...new Set(rows.map(currencyOf))].map((currency): Group => [
    currency,
    rows.filter((row) => currencyOf(row) === currency),
  ]);
  return html`<details class="totals" open>
    <summary>Totals of ${count(rows.length, 'transaction')} shown</summary>
    ${renderTable('Totals by currency', COLUMNS, currencies.map(cellsOf))}
  </details>`;
}

const currencyOf = (row: ProviderFields): string => row['currencyCode'] ?? '';

/** A currency, and the rows in it. */
type Group = readonly [currency: string, rows: readonly ProviderFields[]];

const COLUMNS = [
  'Currency',
  { title: 'Transactions', isNumber: true },
  ...MONEY.map(([, title]) => ({ title, isNumber: true })),
];

const cellsOf = (group: Group) => [
  html`<b>${group[0] === '' ? 'none' : group[0]}</b>`,
  group[1].length,
  ...MONEY.map(([field]) => renderSum(field, group)),
];

function renderSum(field: string, [currency, rows]: Group): TemplateResult | string {
  const values = rows.map((row) => row[field]).filter(isDecimal);
  if (values.length === 0) return '–';
  const sum = formatMoney(addDecimals(values), currency);
  return values.length === rows.length ? sum : html`${sum}<br /><small>of ${values.length}</small>`;
}

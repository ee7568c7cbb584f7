/** Transactions as a table; on a narrow page each row is a card. */
import { html, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import type { ProviderFields } from '../../../shared/console-view.js';
import { renderFields } from './field-list.js';
import {
  describeAmount,
  describeMethod,
  describeRefund,
  describeStatus,
  MomentWords,
} from './transaction-words.js';

const TITLES = ['Time', 'Order', 'Merchant', 'Paid with', 'Status', 'Amount'] as const;

/**
 * The roles are said aloud: a table that is laid out as cards would lose them. A page that stands is
 * not drawn again when the next one is added.
 */
export function renderTransactions(
  pages: readonly (readonly ProviderFields[])[],
  timezone: string | undefined,
): TemplateResult {
  const moments = new MomentWords(timezone);
  let before = 0;
  return html`<table class="transactions" role="table">
    <caption>
      Newest first. Times in ${moments.zone}.
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${TITLES.map(
          (title) =>
            html`<th role="columnheader" scope="col" class=${title === 'Amount' ? 'number' : ''}>
              ${title}
            </th>`,
        )}
        <th role="columnheader" scope="col"><span class="unseen">Everything</span></th>
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${pages.map((rows) => {
        const first = before;
        before += rows.length;
        return guard([rows, moments.zone], () =>
          rows.map((row, index) => renderRow(row, first + index, moments)),
        );
      })}
    </tbody>
  </table>`;
}

function renderRow(row: ProviderFields, index: number, moments: MomentWords): TemplateResult {
  const refund = describeRefund(row);
  const status = row['status'] ?? '';
  return html`<tr role="row">
      <td role="cell" data-title="Time">
        <time datetime=${row['transactionTime'] ?? ''}>
          ${moments.describe(row['transactionTime'])}
        </time>
      </td>
      <td role="cell" data-title="Order">${row['orderRef'] ?? '–'}</td>
      <td role="cell" data-title="Merchant">${row['merchantName'] ?? row['merchantId'] ?? '–'}</td>
      <td role="cell" data-title="Paid with">${describeMethod(row)}</td>
      <td role="cell" data-title="Status">
        <span class="status" data-status=${status}>${describeStatus(row)}</span>
        ${refund === undefined ? nothing : html`<span class="refund">${refund}</span>`}
      </td>
      <td role="cell" data-title="Amount" class="number amount">${describeAmount(row)}</td>
      <td role="cell" class="unfold">
        <button
          type="button"
          class="link"
          aria-expanded="false"
          aria-controls="row-${index}"
          aria-label="All fields of ${row['orderRef'] ?? row['id'] ?? `row ${index + 1}`}"
          @click=${unfold}
        >
          All fields
        </button>
      </td>
    </tr>
    <tr role="row" id="row-${index}" class="all-fields" hidden>
      <td role="cell" colspan="7">${renderFields(row)}</td>
    </tr>`;
}

function unfold({ currentTarget: button }: Event): void {
  if (!(button instanceof HTMLButtonElement)) return;
  const row = document.getElementById(button.getAttribute('aria-controls') ?? '');
  if (row === null) return;
  row.hidden = !row.hidden;
  button.setAttribute('aria-expanded', String(!row.hidden));
}

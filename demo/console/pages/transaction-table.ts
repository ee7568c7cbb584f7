/** Transactions as a table; on a narrow page each row is a card. */
import { html, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import type { ProviderFields } from '../console-view.js';
import { renderFields, formatMoney, isAmount } from './formatting.js';

const TITLES = ['Time', 'Order', 'Merchant', 'Paid with', 'Status', 'Amount'] as const;

/**
 * The roles are explicit: a table that is laid out as cards would lose them. A page that is shown is
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
        <th role="columnheader" scope="col"><span class="unseen">All fields</span></th>
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

const STATUS_WORDS = new Map([
  ['SUCCESS', 'Succeeded'],
  ['REFUNDED', 'Refunded'],
]);

export function describeStatus(row: ProviderFields): string {
  const status = row['status'] ?? '';
  return STATUS_WORDS.get(status) ?? (status === '' ? 'No status' : status);
}

/** What was given back, or nothing. */
export function describeRefund(row: ProviderFields): string | undefined {
  const refunded = row['amountRefunded'];
  if (!isAmount(refunded)) return undefined;
  return `${formatMoney(refunded, row['currencyCode'] ?? '')} given back`;
}

export function describeAmount(row: ProviderFields): string {
  return formatMoney(row['amount'] ?? '–', row['currencyCode'] ?? '');
}

export function describeMethod(row: ProviderFields): string {
  const digits = row['last4Digits'];
  return [row['paymentMethod'], digits && `•••• ${digits}`].filter(Boolean).join(' ') || '–';
}

/** A moment in the given zone; a zone that this browser does not know is said in UTC. */
export class MomentWords {
  readonly zone: string;
  readonly #format: Intl.DateTimeFormat;

  constructor(zone: string | undefined) {
    this.zone = zone !== undefined && isZone(zone) ? zone : 'UTC';
    this.#format = new Intl.DateTimeFormat('en-GB', {
      ...{ dateStyle: 'medium', timeStyle: 'short' },
      timeZone: this.zone,
    });
  }

  describe(text: string | undefined): string {
    const time = Date.parse(text ?? '');
    return Number.isNaN(time) ? (text ?? '–') : this.#format.format(time);
  }
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

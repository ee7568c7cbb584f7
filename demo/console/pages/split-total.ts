/** What the shares of a split come to, exactly, while they are typed. */
import { html, nothing, type TemplateResult } from 'lit';
import {
  addDecimals,
  compareDecimals,
  countFractionDigits,
  isDecimal,
  percentOf,
  subtractDecimals,
} from '../decimal.js';

type Row = Readonly<Record<string, string>>;

/** A share, and what it is of the amount; undefined where that is not known. */
interface Share {
  readonly partner: string;
  readonly value?: string;
  readonly note?: string;
}

/** Nothing until there is a share with a value. */
export function renderSplitTotal(
  amount: string,
  rows: readonly Row[],
): TemplateResult | typeof nothing {
  const filled = rows.filter((row) => row['value'] !== '');
  if (filled.length === 0) return nothing;
  const shares = filled.map((row) => readShare(row, amount));
  const known = shares.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const total = addDecimals(known);
  return html`<div class="total" role="status">
    <ul>
      ${shares.map(
        ({ partner, value, note }) =>
          html`<li>
            <span>${partner}</span> <b>${value ?? 'not known'}</b>
            ${note === undefined ? nothing : html`<span class="quiet">${note}</span>`}
          </li>`,
      )}
    </ul>
    ${isDecimal(amount) ? renderRest(amount, total) : html`<p>Together <b>${total}</b></p>`}
    ${known.length < shares.length ? html`<p class="quiet">Not every share is counted.</p>` : nothing}
  </div>`;
}

function renderRest(amount: string, total: string): TemplateResult {
  if (compareDecimals(total, amount) > 0) {
    return html`<p class="is-bad">
      Together <b>${total}</b>: <b>${subtractDecimals(total, amount)}</b> more than the amount of
      ${amount}.
    </p>`;
  }
  return html`<p>
    Together <b>${total}</b> of ${amount}; the merchant has
    <b>${subtractDecimals(amount, total)}</b>.
  </p>`;
}

function readShare(row: Row, amount: string): Share {
  const { value = '', value_type: kind = '' } = row;
  const partner = `Partner ${row['partner_merchant_id'] || '?'}`;
  if (!isDecimal(value)) return { partner, note: 'is not a decimal such as 0.25' };
  if (kind === 'percent') {
    if (!isDecimal(amount)) return { partner, note: `${value} % of an amount that is missing` };
    const note = `${value} %; the provider’s document does not show this kind, or how it rounds`;
    return { partner, value: percentOf(amount, value), note };
  }
  if (kind !== 'amount') {
    return { partner, note: kind === '' ? 'needs a kind of value' : `${kind} is not counted` };
  }
  const isLonger = isDecimal(amount) && countFractionDigits(value) > countFractionDigits(amount);
  return { partner, value, ...(isLonger && { note: 'has more decimals than the amount' }) };
}

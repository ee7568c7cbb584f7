import { linkTo, queryOf } from '@pay-checkout/page-kit/address';
import { html, nothing, type TemplateResult } from 'lit';
import type { ReportRow, ReportTotal, ReportView } from '../../src/report/report-view.js';
import { ApiError, download } from '../frame/api.js';
import { page } from '../frame/page.js';
import { orderLink, renderSection } from '../frame/parts.js';

const LISTS = [
  ['missing', 'Paid here, and not listed by the provider'],
  ['unknown', 'Listed, and unknown here'],
  ['matched', 'Matched'],
] as const;

/** A day of the provider's list against the orders. */
export const reportPage = page<ReportView | undefined>({
  path: 'report',
  nav: 'Report',
  title: ({ day }) => (day ? `Report of ${day}` : 'Report of a day'),
  read: ({ day, merchant }) => (day ? `report${queryOf({ day, merchant })}` : undefined),
  // It reads the provider's list.
  everySeconds: 3600,
  draw: (report, { day, merchant }) =>
    html`${renderForm(day, merchant)}
    ${report && day ? renderReport(report, day, merchant) : nothing}`,
});

function renderForm(day: string | undefined, merchant = ''): TemplateResult {
  const today = new Date();
  const yesterday = new Date(today.getTime() - 86_400_000);
  const show = (event: SubmitEvent): void => {
    event.preventDefault();
    const fields = new FormData(event.target as HTMLFormElement);
    const textOf = (name: string) => (fields.get(name) as string).trim();
    location.hash = linkTo('report', { day: textOf('day'), merchant: textOf('merchant') });
  };
  return html`<form @submit=${show}>
    <fieldset class="grid">
      <label>
        Day (UTC)
        <input
          name="day"
          type="date"
          required
          max=${dateOf(today)}
          .value=${day ?? dateOf(yesterday)}
        />
      </label>
      <label>
        Merchant
        <input name="merchant" placeholder="all" .value=${merchant} />
      </label>
    </fieldset>
    <button>Compare</button>
  </form>`;
}

function dateOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function renderReport(
  report: ReportView,
  day: string,
  merchant: string | undefined,
): TemplateResult {
  const { isComplete, problems, totals } = report;
  const save = async (event: Event): Promise<void> => {
    const button = event.target as HTMLButtonElement;
    const said = button.nextElementSibling as HTMLElement;
    button.disabled = true;
    said.textContent = 'Reading …';
    try {
      await download(`report.csv${queryOf({ day, merchant })}`, `report-${day}.csv`);
      said.textContent = '';
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      said.textContent = error.message;
    }
    button.disabled = false;
  };
  return html`${
      isComplete
        ? nothing
        : html`<article class="is-bad" role="alert">
            <p>This report is incomplete, and nothing is said to be missing.</p>
            <ul>
              ${problems.map((problem) => html`<li>${problem}</li>`)}
            </ul>
          </article>`
    }
    ${renderTotals(totals)}
    <p>
      <button class="outline" @click=${save}>Download as CSV</button>
      <span role="status"></span>
    </p>
    ${LISTS.map(([kind, title]) => renderList(title, report[kind], countOf(totals, kind)))}`;
}

function countOf(totals: readonly ReportTotal[], kind: 'missing' | 'unknown' | 'matched'): number {
  return totals.reduce((sum, total) => sum + total[kind].count, 0);
}

function renderTotals(totals: readonly ReportTotal[]): TemplateResult {
  const counted = ({ count, amount }: ReportTotal['matched']) =>
    html`${count.toLocaleString('en')} ${count === 0 ? nothing : html`<small>for ${amount}</small>`}`;
  return renderSection(
    'Totals',
    ['Merchant', 'Currency', 'Matched', 'Unknown', 'Missing', 'Refunded', 'Fees', 'Splits'],
    totals.map(({ merchant, currency, matched, unknown, missing, refunded, fees, splits }) => [
      merchant || 'of several',
      currency || '–',
      counted(matched),
      counted(unknown),
      counted(missing),
      refunded,
      fees,
      splits.length === 0
        ? '–'
        : html`${splits.map(
            ({ partnerMerchantId, typeId, amount }) =>
              html`<div>${amount} <small>to ${partnerMerchantId}, type ${typeId}</small></div>`,
          )}`,
    ]),
    'No transactions.',
  );
}

function renderList(title: string, rows: readonly ReportRow[], count: number): TemplateResult {
  return html`${renderSection(
    `${title} ${count.toLocaleString('en')}`,
    ['Transaction', 'Time', 'Status', 'Amount', 'Fee', 'Order'],
    rows.map((row) => [
      html`<code>${row.transaction || '–'}</code>`,
      row.transactionTime,
      row.status || '–',
      `${row.amount} ${row.currency}`,
      row.serviceFee || '–',
      row.order ? orderLink(row.merchant, row.order) : '–',
    ]),
    'None.',
  )}
  ${count > rows.length ? html`<p>The first ${rows.length}. The CSV has all.</p>` : nothing}`;
}

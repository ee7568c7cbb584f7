/** One transaction: its money, what happened in which order, and every field. */
import { renderFacts } from '@pay-checkout/page-kit/parts';
import { html, nothing, render, type TemplateResult } from 'lit';
import { find } from '../../shared/pages/find.js';
import type { ProviderFields, TransactionView } from '../console-view.js';
import { read } from './console-api.js';
import { formatMoney, isAmount, renderFields } from './formatting.js';
import { Loader } from './loader.js';
import { renderState } from './states.js';
import { Waiting } from './waiting.js';
import {
  describeAmount,
  describeMethod,
  describeStatus,
  MomentWords,
  pathOfTransaction,
} from './transaction-words.js';

const NO_TRANSACTION = {
  title: 'No transaction chosen',
  next: 'Go to all transactions, and choose one by its order.',
} as const;

const host = find(document, '#result', HTMLElement);
const loader = new Loader({
  host,
  waiting: new Waiting(find(document, '#waiting', HTMLElement)),
});
const moments = new MomentWords(Intl.DateTimeFormat().resolvedOptions().timeZone);

if (new URLSearchParams(location.search).has('id')) {
  void loader.load({
    ask: (signal) => read<TransactionView>(`/api/transaction${location.search}`, signal),
    draw: renderTransaction,
    summary: () => '',
  });
} else {
  render(renderState(NO_TRANSACTION), host);
}

const MONEY = [
  ['amount', 'Amount'],
  ['service_fee', 'Service fee'],
  ['deductions', 'Deductions'],
  ['net', 'Net'],
  ['amountRefunded', 'Refunded'],
] as const;

function renderTransaction({ transaction, related, orderUrl }: TransactionView): TemplateResult {
  const { currencyCode: currency = '', orderRef, merchantName, merchantId } = transaction;
  return html`
    <section aria-label="Summary">
      <p class="big-amount">${describeAmount(transaction)}</p>
      <p>
        <span data-status=${transaction['status'] ?? ''}> ${describeStatus(transaction)} </span>
        · ${merchantName ?? merchantId ?? 'no merchant'} · ${orderRef ?? 'no order reference'}
      </p>
      ${
        orderUrl === undefined
          ? nothing
          : html`<p><a href=${orderUrl} rel="noopener">Its order in the session server</a></p>`
      }
    </section>
    <section aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      <ol class="timeline">
        ${listSteps(transaction, related).map(
          ({ when, what }) => html`<li><small>${when}</small><br />${what}</li>`,
        )}
      </ol>
      <p>
        <small>Times in ${moments.zone}. The provider gives one time for each transaction.</small>
      </p>
    </section>
    <section aria-labelledby="money">
      <h2 id="money">Money</h2>
      ${renderFacts(
        MONEY.filter(([field]) => transaction[field] !== undefined).map(
          ([field, title]) => [title, formatMoney(transaction[field] || '–', currency)] as const,
        ),
        'facts figures',
      )}
    </section>
    <section aria-labelledby="all">
      <h2 id="all">All fields</h2>
      ${renderFields(Object.entries(transaction))}
    </section>
  `;
}

interface Step {
  readonly at: string;
  readonly when: string;
  readonly what: TemplateResult;
}

/** In the order of time; what the provider gives no time for comes last. */
function listSteps(transaction: ProviderFields, related: readonly ProviderFields[]): Step[] {
  const step = (row: ProviderFields, what: TemplateResult): Step => ({
    at: row['transactionTime'] ?? '',
    when: moments.describe(row['transactionTime']),
    what,
  });
  const own = html`<b>${describeAmount(transaction)}</b> paid with ${describeMethod(transaction)}`;
  const others = related.map((row) =>
    step(
      row,
      html`<a href=${pathOfTransaction(row)}>Another transaction</a> of the same order:
        ${describeAmount(row)}, ${describeStatus(row).toLowerCase()}`,
    ),
  );
  const steps = [step(transaction, own), ...others].sort((one, other) =>
    one.at < other.at ? -1 : 1,
  );
  const { amountRefunded: refunded, currencyCode: currency = '' } = transaction;
  if (!isAmount(refunded) && transaction['status'] !== 'REFUNDED') return steps;
  const what = isAmount(refunded)
    ? html`<b>${formatMoney(refunded, currency)}</b> given back`
    : html`Given back; how much is not in this transaction`;
  return [...steps, { at: '', when: 'Time not given', what }];
}

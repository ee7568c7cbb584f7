import { html, nothing, type TemplateResult } from 'lit';
import type { TransactionRow } from '../../src/transactions/transaction.js';
import { badge, money, readForm, renderFacts, sessionLink, time } from '../parts.js';
import { view, type Frame } from '../view.js';

interface Stored {
  readonly row: TransactionRow;
  readonly isListed: boolean;
  readonly listedAt?: string;
  readonly sessionId?: string;
}

/** One transaction, its refund and when it is listed. */
export const transactionView = view<Stored>({
  path: 'transactions/:id',
  under: 'transactions',
  title: ({ id = '' }) => `Transaction ${id}`,
  read: (read, { id = '' }) => read(`transactions/${encodeURIComponent(id)}`),
  draw: ({ row, isListed, listedAt, sessionId }, _params, frame) =>
    html`${renderFacts([
        ['Status', row.status && badge(row.status)],
        ['Amount', money(row.amount, row.currencyCode)],
        ['Refunded', money(row.amountRefunded, row.currencyCode)],
        ['Listed', isListed ? 'yes' : listedAt ? html`from ${time(listedAt)}` : 'not yet'],
        ['Session', sessionId && sessionLink(sessionId)],
      ])}
      ${renderRefund(row, frame)} ${renderListing(row.id, isListed, frame)}
      <h2>Fields</h2>
      ${renderFacts(Object.entries(row).map(([name, value]) => [name, String(value)] as const))}`,
});

/** Refunds the rest, or a part of it. */
export function renderRefund(row: TransactionRow, frame: Frame): TemplateResult | typeof nothing {
  if (row.status === 'REFUNDED') return nothing;
  const refund = (body: object) =>
    frame.act({
      path: `transactions/${encodeURIComponent(row.id)}/refund`,
      body,
      done: ({ status }: { status: string }) => `Refunded. The transaction is ${status}.`,
    });
  const refundPart = (event: SubmitEvent) => {
    const { amount, as } = readForm(event);
    void refund({ amount, as });
  };
  return html`<article aria-label="Refund">
    <form class="inline" @submit=${refundPart}>
      <label for="amount">Refund</label>
      <input
        id="amount"
        name="amount"
        inputmode="decimal"
        placeholder="a part, such as 1.50"
        required
      />
      <label for="as">by</label>
      <select id="as" name="as">
        <option value="change">changing the row</option>
        <option value="add">adding a row</option>
      </select>
      <button class="outline">Refund this part</button>
    </form>
    <div class="buttons">
      <button @click=${() => refund({})}>Refund the rest</button>
    </div>
  </article>`;
}

function renderListing(id: string, isListed: boolean, frame: Frame): TemplateResult {
  const setSeconds = (seconds: number, done: string) =>
    frame.act({
      path: `transactions/${encodeURIComponent(id)}/visibility`,
      body: { seconds },
      done,
    });
  const hide = (event: SubmitEvent) => {
    const seconds = Number(readForm(event)['seconds']);
    void setSeconds(seconds, `It is hidden from the list for ${String(seconds)} seconds.`);
  };
  return html`<article aria-label="Listing">
    <form class="inline" @submit=${hide}>
      <label for="seconds">Hide it from the list for</label>
      <input
        id="seconds"
        name="seconds"
        type="number"
        min="0"
        max="1000000000"
        value="60"
        required
      />
      <span>seconds</span>
      <button class="outline">Hide</button>
      ${isListed ? nothing : html`<button type="button" class="outline" @click=${() => setSeconds(0, 'It is in the list now.')}>List it now</button>`}
    </form>
  </article>`;
}

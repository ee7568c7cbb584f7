import { renderFacts } from '@pay-checkout/page-kit/parts';
import { html, nothing, type TemplateResult } from 'lit';
import type { TransactionRow } from '../../src/transactions/transaction.js';
import { renderForm } from '../forms.js';
import { badge, money, sessionLink, time } from '../parts.js';
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
  const say = ({ status }: Pick<TransactionRow, 'status'>) =>
    `Refunded. The transaction is ${String(status)}.`;
  const refundRest = () =>
    frame.act({
      path: `transactions/${encodeURIComponent(row.id)}/refund`,
      body: {},
      done: say,
    });
  return html`<article aria-label="Refund">
    ${renderForm<TransactionRow>(frame, {
      buttons: { 'transactions/{id}/refund': 'Refund this part' },
      id: row.id,
      fields: {
        amount: { label: 'Refund', placeholder: 'a part, such as 1.50', isRequired: true },
        as: {
          label: 'by',
          options: [
            ['change', 'changing the row'],
            ['add', 'adding a row'],
          ],
        },
      },
      done: say,
    })}
    <p class="buttons">
      <button class="outline" @click=${refundRest}>Refund the rest</button>
    </p>
  </article>`;
}

function renderListing(id: string, isListed: boolean, frame: Frame): TemplateResult {
  const list = () =>
    frame.act({
      path: `transactions/${encodeURIComponent(id)}/visibility`,
      body: { seconds: 0 },
      done: 'It is in the list now.',
    });
  return html`<article aria-label="Listing">
    ${renderForm(frame, {
      buttons: { 'transactions/{id}/visibility': 'Hide' },
      id,
      fields: { seconds: { label: 'Hide it from the list for, in seconds', value: 60 } },
      done: (_answer, { body }) =>
        `It is hidden from the list for ${String(body['seconds'])} seconds.`,
    })}
    ${
      isListed
        ? nothing
        : html`<p class="buttons">
            <button class="outline" @click=${list}>List it now</button>
          </p>`
    }
  </article>`;
}

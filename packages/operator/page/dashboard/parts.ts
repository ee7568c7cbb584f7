/** What several pages of a merchant draw. */
import { linkTo } from '@pay-checkout/page-kit/address';
import { type Cell } from '@pay-checkout/page-kit/parts';
import { html, nothing, type TemplateResult } from 'lit';
import type { CheckView, MerchantEventView, TryView } from '../../src/dashboard/view.js';
import { localTime } from '../frame/formatting.js';
import { type PageActions } from '../frame/page.js';
import { words } from '../frame/parts.js';

export function orderPath(order: string): string {
  return `orders/${encodeURIComponent(order)}`;
}

export function orderLink(order: string): TemplateResult {
  return html`<a href=${linkTo(orderPath(order))}>${order}</a>`;
}

const STATUSES: Readonly<Partial<Record<string, string>>> = {
  pending: 'waiting',
  dead_lettered: 'given up',
  skipped: 'in the feed',
};

export const EVENT_COLUMNS = ['Event', 'Order', 'Status', 'Tries', 'Stored', 'Action'] as const;

export function eventCells(event: MerchantEventView, actions: PageActions): Cell[] {
  const { id, type, order, status, dueAt, tries, createdAt, canSend } = event;
  return [
    html`${type}<br /><small><code>${id}</code></small>`,
    orderLink(order),
    html`${STATUSES[status] ?? words(status)}${
      dueAt === undefined || status !== 'pending'
        ? nothing
        : html`<br /><small>next try ${localTime(dueAt)}</small>`
    }`,
    tries.length === 0
      ? '–'
      : html`<details>
          <summary>${tries.length}: ${tries[0]?.answer}</summary>
          <ul>
            ${tries.map(renderTry)}
          </ul>
        </details>`,
    localTime(createdAt),
    canSend
      ? html`<button
          class="outline"
          aria-label="Send again: ${type} of ${order}"
          @click=${() =>
            actions.act({
              path: `events/${encodeURIComponent(id)}/redeliver`,
              done: 'The event is being sent again, with the same id.',
            })}
        >
          Send again
        </button>`
      : '–',
  ];
}

function renderTry({ at, number, answer, isTaken }: TryView): TemplateResult {
  const result = isTaken ? html`<ins>${answer}</ins>` : html`<del>${answer}</del>`;
  return html`<li>${number}. ${result} <small>${localTime(at)}</small></li>`;
}

/** What came of the last check, below its button. */
export function renderCheck(
  kept: unknown,
  what: CheckView['what'],
): TemplateResult | typeof nothing {
  const check = kept as Partial<CheckView> | undefined;
  if (check?.what !== what) return nothing;
  const advice =
    what === 'receiver'
      ? 'A receiver answers 2xx to what it has verified and stored, also to a type that it does not know.'
      : 'The server was answered; a shopper’s browser may be answered otherwise, as on your own machine.';
  return html`<p role="status">
    ${check.isGood === true ? html`<ins>✓ ${check.text}</ins>` : html`<span class="is-bad">✗ ${check.text}</span>`}
    <br /><small>${check.isGood === true ? nothing : advice}</small>
  </p>`;
}

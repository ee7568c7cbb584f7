import { html, nothing, type TemplateResult } from 'lit';
import type {
  AttemptView,
  CheckoutView,
  EventView,
  OrderView,
  TimelineEntry,
} from '../src/page-view.js';
import { describeEntry } from '../src/timeline-words.js';
import { time } from './formatting.js';
import { page, type PageActions } from './page.js';
import { orderPath, renderTable, words } from './parts.js';
import { redeliver } from './queue-page.js';

/** Everything about one order, and what may be done about it. */
export const orderPage = page<OrderView>({
  path: 'orders/:merchant/:order',
  title: ({ order = '' }) => `Order ${order}`,
  read: ({ merchant = '', order = '' }) => orderPath(merchant, order),
  draw: (view, _params, actions) => {
    const { merchant, order, state, price, createdAt, updatedAt, erasedAt, keepDays } = view;
    const path = orderPath(merchant, order);
    return html`<dl class="facts">
        ${fact('Merchant', merchant)} ${fact('State', state)}
        ${price === undefined ? nothing : fact('Price', price)} ${fact('Created', time(createdAt))}
        ${fact('Changed', time(updatedAt))}
        ${erasedAt === undefined ? nothing : fact('Erased', time(erasedAt))}
      </dl>
      ${view.checkouts.map((checkout) => renderAttention(checkout, actions))}
      <p class="buttons">
        ${
          view.attempts.length === 0
            ? nothing
            : html`<button
                  class="button"
                  @click=${() => actions.act({ path: `${path}/poll`, done: 'The provider’s list will be read within seconds.' })}
                >
                  Poll now
                </button>
                <button
                  class="button quiet"
                  @click=${() => actions.act({ path: `${path}/explain`, done: 'The provider’s list was read.', isKept: true })}
                >
                  Explain
                </button>`
        }
        ${
          view.canVoid
            ? html`<button class="button quiet is-bad" @click=${() => actions.act(makeVoid(path))}>
                Make void …
              </button>`
            : nothing
        }
      </p>
      ${renderLines(actions.kept)}
      <h2>Timeline</h2>
      <p class="hint">
        Newest first. Steps are kept for ${keepDays} days. Polls with the same result are counted,
        and added once a minute.
      </p>
      ${
        view.entries.length === 0
          ? html`<p class="empty">No steps of this order are kept.</p>`
          : html`<ol class="timeline">
              ${view.entries.map(renderEntry)}
            </ol>`
      }
      ${view.events.length === 0 ? nothing : renderEvents(view.events, actions)}
      ${view.attempts.length === 0 ? nothing : renderAttempts(view.attempts, actions.consoleUrl)}
      ${view.checkouts.length === 0 ? nothing : renderCheckouts(view.checkouts)}`;
  },
});

function fact(name: string, value: string | TemplateResult): TemplateResult {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

function renderAttention(
  { id, openAttention }: CheckoutView,
  actions: PageActions,
): TemplateResult | typeof nothing {
  if (openAttention.length === 0) return nothing;
  return html`<section class="attention" aria-label="Attention">
    <p><strong>Check before shipping:</strong> ${openAttention.map(words).join(', ')}</p>
    <button
      class="button"
      @click=${() =>
        actions.act({
          path: `checkouts/${encodeURIComponent(id)}/resolve`,
          body: { attention: openAttention },
          done: 'Resolved. It comes back when there is new attention.',
          note: {
            title: 'Resolve',
            text: 'This removes it from the queues. The shop still sees its attention.',
            button: 'Resolve',
            isRequired: true,
          },
        })}
    >
      Resolve …
    </button>
  </section>`;
}

function makeVoid(path: string) {
  return {
    path: `${path}/void`,
    done: 'The order is void.',
    note: {
      title: 'Make this order void?',
      text: 'No checkout of it is created any more. A session that is open at the provider can still be paid: that payment is honoured, with attention.',
      button: 'Make void',
      isRequired: true,
    },
  };
}

function renderLines(kept: unknown): TemplateResult | typeof nothing {
  const { lines } = (kept ?? {}) as { readonly lines?: readonly string[] };
  if (lines === undefined) return nothing;
  return html`<h2>What the provider’s list says</h2>
    <pre tabindex="0" aria-label="Explanation">${lines.join('\n')}</pre>`;
}

/** How much an entry says for certain. */
const TONES: Partial<Record<TimelineEntry['kind'], string>> = {
  transaction: 'is-good',
  audit: 'is-person',
  hint: 'is-hint',
  return: 'is-hint',
  webhook: 'is-hint',
};

function toneOf(entry: TimelineEntry): string {
  if (entry.kind === 'delivery') return entry.detail.result === 'acknowledged' ? '' : 'is-wait';
  if (entry.kind === 'session') return entry.detail.result === 'created' ? '' : 'is-bad';
  if (entry.kind === 'match') return entry.detail.result === 'mismatch' ? 'is-bad' : '';
  if (entry.kind === 'state') {
    if (entry.detail.attention) return 'is-bad';
    return entry.detail.to === 'paid' ? 'is-good' : '';
  }
  return TONES[entry.kind] ?? '';
}

function renderEntry(entry: TimelineEntry): TemplateResult {
  return html`<li class=${toneOf(entry)}>
    <span class="when">${time(entry.at)}</span> <span class="what">${describeEntry(entry)}</span>
  </li>`;
}

function renderEvents(events: readonly EventView[], actions: PageActions): TemplateResult {
  return html`<h2>Events to the shop</h2>
    ${renderTable(
      'Events to the shop',
      ['Event', 'Status', 'Tries', 'Stored', 'Action'],
      events.map(({ id, type, status, tries, createdAt, dueAt }) => [
        html`${type}<br /><code>${id}</code>`,
        html`${words(status)}${dueAt === undefined ? '' : html`<br /><span class="hint">next try ${time(dueAt)}</span>`}`,
        String(tries),
        time(createdAt),
        ['dead_lettered', 'delivered'].includes(status) || (status === 'pending' && tries > 0)
          ? html`<button class="button quiet" @click=${() => actions.act(redeliver(id))}>
              Redeliver<span class="unseen"> ${type}</span>
            </button>`
          : '–',
      ]),
    )}`;
}

function renderAttempts(
  attempts: readonly AttemptView[],
  consoleUrl: string | undefined,
): TemplateResult {
  return html`<h2>Attempts</h2>
    ${renderTable(
      'Attempts',
      ['Reference', 'Status', 'Provider', 'Created', 'Scheduled polls'],
      attempts.map((attempt) => [
        html`<code>${attempt.reference}</code>${
            consoleUrl === undefined
              ? nothing
              : html`<br /><a
                    href="${consoleUrl}/transactions?${new URLSearchParams({ q: attempt.reference })}"
                    rel="noopener"
                    >Its transactions<span class="unseen"> of ${attempt.reference}</span></a
                  >`
          }`,
        words(attempt.status),
        `${String(attempt.providerMerchantId)} at ${attempt.account}`,
        time(attempt.createdAt),
        html`${attempt.polls} since ${time(attempt.watchedFrom)}<br /><span class="hint"
            >${attempt.nextPollAt === undefined ? 'no more' : html`next ${time(attempt.nextPollAt)}`}</span
          >`,
      ]),
    )}`;
}

function renderCheckouts(checkouts: readonly CheckoutView[]): TemplateResult {
  return html`<h2>Checkouts</h2>
    ${renderTable(
      'Checkouts',
      ['Checkout', 'State', 'Price', 'Refunded', 'Paid by', 'Attention', 'Request'],
      checkouts.map((checkout) => [
        html`<code>${checkout.id}</code>`,
        checkout.state,
        html`<span class="amount">${checkout.amount} ${checkout.currency}</span>`,
        checkout.refund === 'none'
          ? '–'
          : html`<span class="amount">${checkout.amountRefunded} ${checkout.currency}</span>`,
        checkout.paidBy === undefined ? '–' : html`<code>${checkout.paidBy}</code>`,
        checkout.attention.map(words).join(', ') || '–',
        checkout.requestId === undefined ? '–' : html`<code>${checkout.requestId}</code>`,
      ]),
    )}`;
}

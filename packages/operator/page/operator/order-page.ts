import { type Cell, renderFacts } from '@pay-checkout/page-kit/parts';
import { html, nothing, type TemplateResult } from 'lit';
import type {
  AttemptView,
  CheckoutView,
  EventView,
  OrderView,
  TimelineEntry,
} from '../../src/page-view.js';
import { describeEntry } from '../../src/timeline-words.js';
import { time } from '../frame/formatting.js';
import { type Action, page, type PageActions } from '../frame/page.js';
import { orderPath, renderSection, words } from '../frame/parts.js';
import { RESOLVE, renderRedeliver } from './queue-page.js';

/** One order: its timeline, events, attempts and checkouts, with the actions on it. */
export const orderPage = page<OrderView>({
  path: 'orders/:merchant/:order',
  title: ({ order = '' }) => `Order ${order}`,
  read: ({ merchant = '', order = '' }) => orderPath(merchant, order),
  draw: (view, _params, actions) => {
    const { merchant, order, state, price, createdAt, updatedAt, erasedAt, removedAt, keepDays } =
      view;
    const path = orderPath(merchant, order);
    const facts: readonly (readonly [name: string, value: Cell])[] = [
      ['Merchant', merchant],
      ['State', html`<strong>${state}</strong>`],
      ['Price', price],
      ['Created', time(createdAt)],
      ['Changed', time(updatedAt)],
      ['Erased', erasedAt === undefined ? undefined : time(erasedAt)],
      ['History removed', removedAt === undefined ? undefined : time(removedAt)],
    ];
    return html`${renderFacts(facts.filter(([, value]) => value !== undefined))}
      ${view.checkouts.map((checkout) => renderAttention(checkout, actions))}
      <p>
        ${
          view.attempts.length === 0 || !actions.may('act')
            ? nothing
            : html`<button
                  @click=${() => actions.act({ path: `${path}/poll`, done: 'The provider’s list will be read within seconds.' })}
                >
                  Poll now
                </button>
                <button
                  class="outline"
                  @click=${() => actions.act({ path: `${path}/explain`, done: 'The provider’s list was read.', isKept: true })}
                >
                  Explain
                </button>`
        }
        ${
          actions.may('act')
            ? html`<button class="outline" @click=${() => actions.act(addNote(path))}>
                Add a note …
              </button>`
            : nothing
        }
        ${
          view.canVoid && actions.may('admin')
            ? html`<button class="outline secondary" @click=${() => actions.act(makeVoid(path))}>
                Make void …
              </button>`
            : nothing
        }
      </p>
      ${renderLines(actions.kept)}
      <h2>Timeline</h2>
      <p>
        <small
          >Newest first. Steps are kept for ${keepDays} days. Polls with the same result are
          counted, and added once a minute.</small
        >
      </p>
      ${
        view.entries.length === 0
          ? html`<p>No steps of this order are kept.</p>`
          : html`<ul class="timeline">
              ${view.entries.map(
                (entry) =>
                  html`<li class=${toneOf(entry)}>
                    <small>${time(entry.at)}</small><br /><span>${describeEntry(entry)}</span>
                  </li>`,
              )}
            </ul>`
      }
      ${renderEvents(view.events, actions)} ${renderAttempts(view.attempts, actions.consoleUrl)}
      ${renderCheckouts(view.checkouts)}`;
  },
});

function renderAttention(
  { id, openAttention }: CheckoutView,
  actions: PageActions,
): TemplateResult | typeof nothing {
  if (openAttention.length === 0) return nothing;
  return html`<article>
    <p><mark>Check before shipping:</mark> ${openAttention.map(words).join(', ')}</p>
    ${actions.may('act') ? renderResolve(id, openAttention, actions) : nothing}
  </article>`;
}

function renderResolve(
  id: string,
  openAttention: CheckoutView['openAttention'],
  actions: PageActions,
): TemplateResult {
  return html`<button
    @click=${() =>
      actions.act({
        path: `checkouts/${encodeURIComponent(id)}/resolve`,
        body: { attention: openAttention },
        done: 'Resolved. It comes back when there is new attention.',
        ask: RESOLVE,
      })}
  >
    Resolve …
  </button>`;
}

function addNote(path: string): Action {
  return {
    path: `${path}/note`,
    done: 'The note is in the timeline, and in the queues.',
    ask: {
      title: 'Add a note',
      text: 'Colleagues see it with the order and in the queues. Name one to hand it over.',
      button: 'Add',
      note: 'required',
      hasPerson: true,
    },
  };
}

function makeVoid(path: string): Action {
  return {
    path: `${path}/void`,
    done: 'The order is void.',
    ask: {
      title: 'Make this order void?',
      text: 'No checkout of it is created any more. A session that is open at the provider can still be paid: that payment is honoured, with attention.',
      button: 'Make void',
      note: 'required',
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
  if (entry.kind === 'delivery') return entry.detail.result === 'acknowledged' ? '' : 'is-bad';
  if (entry.kind === 'session') return entry.detail.result === 'created' ? '' : 'is-bad';
  if (entry.kind === 'match') return entry.detail.result === 'mismatch' ? 'is-bad' : '';
  if (entry.kind === 'state') {
    if (entry.detail.attention) return 'is-bad';
    return entry.detail.to === 'paid' ? 'is-good' : '';
  }
  return TONES[entry.kind] ?? '';
}

function renderEvents(events: readonly EventView[], actions: PageActions): TemplateResult {
  return renderSection(
    'Events to the shop',
    ['Event', 'Status', 'Tries', 'Stored', 'Action'],
    events.map(({ id, type, status, tries, createdAt, dueAt }) => [
      html`${type}<br /><code>${id}</code>`,
      html`${words(status)}${dueAt === undefined ? '' : html`<br /><small>next try ${time(dueAt)}</small>`}`,
      String(tries),
      time(createdAt),
      ['dead_lettered', 'delivered'].includes(status) || (status === 'pending' && tries > 0)
        ? renderRedeliver(id, type, actions)
        : '–',
    ]),
    'No events.',
  );
}

function renderAttempts(
  attempts: readonly AttemptView[],
  consoleUrl: string | undefined,
): TemplateResult {
  return renderSection(
    'Attempts',
    ['Reference', 'Status', 'Provider', 'Created', 'Scheduled polls'],
    attempts.map((attempt) => [
      html`<code>${attempt.reference}</code>${
          consoleUrl === undefined
            ? nothing
            : html`<br /><a
                  href="${consoleUrl}/transactions?${new URLSearchParams({ q: attempt.reference })}"
                  rel="noopener"
                  aria-label="Its transactions of ${attempt.reference}"
                  >Its transactions</a
                >`
        }`,
      words(attempt.status),
      `${String(attempt.providerMerchantId)} at ${attempt.account}`,
      time(attempt.createdAt),
      html`${attempt.polls} since ${time(attempt.watchedFrom)}<br /><small
          >${attempt.nextPollAt === undefined ? 'no more' : html`next ${time(attempt.nextPollAt)}`}</small
        >`,
    ]),
    'No attempts.',
  );
}

function renderCheckouts(checkouts: readonly CheckoutView[]): TemplateResult {
  return renderSection(
    'Checkouts',
    ['Checkout', 'State', 'Price', 'Refunded', 'Paid by', 'Attention', 'Request'],
    checkouts.map((checkout) => [
      html`<code>${checkout.id}</code>`,
      checkout.state,
      `${checkout.amount} ${checkout.currency}`,
      checkout.refund === 'none' ? '–' : `${checkout.amountRefunded} ${checkout.currency}`,
      checkout.paidBy === undefined ? '–' : html`<code>${checkout.paidBy}</code>`,
      checkout.attention.map(words).join(', ') || '–',
      checkout.requestId === undefined ? '–' : html`<code>${checkout.requestId}</code>`,
    ]),
    'No checkouts.',
  );
}

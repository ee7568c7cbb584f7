import { type Cell, renderFacts } from '@pay-checkout/page-kit/parts';
import { html, nothing, svg, type TemplateResult } from 'lit';
import { encodeQR } from 'qr';
import type { MerchantOrderView, PayLinkView, StoryEntry } from '../../src/dashboard/view.js';
import { localTime } from '../frame/formatting.js';
import { page, type PageActions } from '../frame/page.js';
import { renderSection, words } from '../frame/parts.js';
import { EVENT_COLUMNS, eventCells, orderPath } from './parts.js';

/** The margin of modules that a QR code needs to be found. */
const QUIET_ZONE = 4;

/** One order: what it is, what happened to it, and its events. */
export const orderPage = page<MerchantOrderView>({
  path: 'orders/:order',
  title: ({ order = '' }) => `Order ${order}`,
  read: ({ order = '' }) => orderPath(order),
  draw: ({ order: found, story, events, keepDays, canLink }, _params, actions) => html`
    ${renderOrder(found)}
    ${
      found.attention.length === 0
        ? nothing
        : html`<article>
            <mark>Check before shipping:</mark> ${found.attention.map(words).join(', ')}
          </article>`
    }
    ${canLink ? renderLink(found.order, actions) : nothing}
    <h2>What happened</h2>
    ${
      story.length === 0
        ? html`<p>No steps of this order are kept.</p>`
        : html`<ul class="timeline">
            ${story.map(renderEntry)}
          </ul>`
    }
    <p><small>Newest first. Steps are kept for ${keepDays} days.</small></p>
    ${renderSection(
      'Events',
      EVENT_COLUMNS,
      events.map((event) => eventCells(event, actions)),
      'No events.',
    )}
    ${renderPut(found)}
  `,
});

function renderOrder(found: MerchantOrderView['order']): TemplateResult {
  const { state, certain, amount, currency, amountRefunded, transaction, payment } = found;
  const facts: readonly (readonly [name: string, value: Cell])[] = [
    ['State', html`<strong>${state}</strong> ${certain ? html`<small>certain</small>` : nothing}`],
    ['Amount', `${amount} ${currency}`],
    ['Refunded', found.refund === 'none' ? undefined : `${amountRefunded} ${currency}`],
    ['Transaction', transaction && html`<code>${transaction}</code>`],
    ['Method', payment && [payment.method, payment.lastDigits].filter(Boolean).join(' ')],
    ['Created', localTime(Date.parse(found.createdAt))],
    ['Changed', localTime(Date.parse(found.updatedAt))],
  ];
  return renderFacts(facts.filter(([, value]) => value !== undefined && value !== ''));
}

function renderEntry({ at, text, tone }: StoryEntry): TemplateResult {
  return html`<li class=${tone && `is-${tone}`}>
    <small>${localTime(at)}</small><br /><span>${text}</span>
  </li>`;
}

function renderLink(order: string, actions: PageActions): TemplateResult {
  const { payUrl, expiresAt = 0 } = (actions.kept ?? {}) as Partial<PayLinkView>;
  if (payUrl === undefined) {
    const make = {
      path: `${orderPath(order)}/link`,
      done: 'Anyone with the link can pay.',
      isKept: true,
    };
    return html`<button class="outline" @click=${() => actions.act(make)}>
      Make a payment link
    </button>`;
  }
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(payUrl);
    actions.say('The link is copied.');
  };
  return html`<article>
    <h2>Payment link</h2>
    <div class="pay-link">
      ${renderQrCode(payUrl)}
      <div>
        <p><code>${payUrl}</code></p>
        ${
          // Browsers have none on plain HTTP.
          isSecureContext ? html`<button class="outline" @click=${copy}>Copy</button>` : nothing
        }
        <p>
          <small>It can be used until ${localTime(expiresAt)}, and once paid it says so.</small>
        </p>
      </div>
    </div>
  </article>`;
}

/** Black on white, so that it scans on a dark page too. */
function renderQrCode(text: string): TemplateResult {
  const rows = encodeQR(text, 'raw', { border: QUIET_ZONE });
  const modules = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? `M${String(x)} ${String(y)}h1v1h-1z` : [])),
  );
  const size = rows.length;
  return html`<svg
    class="qr-code"
    viewBox="0 0 ${size} ${size}"
    role="img"
    aria-label="QR code of the payment link"
  >
    ${svg`<rect width=${size} height=${size} fill="#fff" /><path d=${modules.join('')} fill="#000" />`}
  </svg>`;
}

/** What the shop put with the order. */
function renderPut({
  description,
  lineItems = [],
  metadata = {},
  currency,
}: MerchantOrderView['order']): TemplateResult {
  const notes = Object.entries(metadata);
  return html`${
    description === undefined
      ? nothing
      : html`<h2>Description</h2>
          <p>${description}</p>`
  }
  ${
    lineItems.length === 0
      ? nothing
      : renderSection(
          'Items',
          ['Name', 'Quantity', 'Amount'],
          lineItems.map(({ name, quantity, amount }) => [
            name,
            String(quantity ?? 1),
            `${amount} ${currency}`,
          ]),
          '',
        )
  }
  ${notes.length === 0 ? nothing : renderSection('Metadata', ['Name', 'Value'], notes, '')}`;
}

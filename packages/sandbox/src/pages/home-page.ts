import type { SandboxControl } from '../control/sandbox-control.js';
import { formatMoney } from '../money.js';
import type { Merchant } from '../merchant.js';
import type { Scenario } from '../scenarios/scenario.js';
import { html, type Html } from './html.js';

interface Moment {
  readonly at: string;
  readonly kind: 'call' | 'session' | 'transaction' | 'webhook';
  readonly text: Html;
}

const MOST_SHOWN = 200;

/** The page at `/`: what the sandbox is, and what has happened in it, newest first. */
export function renderHome(
  control: SandboxControl,
  scenarios: readonly Scenario[],
  merchants: readonly Merchant[],
  integrity: string,
): Html {
  const moments = collectMoments(control);
  return html`<h1>The payments provider, on your own machine</h1>
    <p>
      This sandbox plays the provider: its interface, its client SDK, its pages and its webhooks.
      Everything in it is invented, and everything is forgotten when it stops.
    </p>
    <h2>What has happened</h2>
    ${
      moments.length === 0
        ? html`<p class="hint">Nothing yet. Open a session with POST /create-session.</p>`
        : html`<ol class="timeline">
            ${moments.slice(0, MOST_SHOWN).map(renderMoment)}
          </ol>`
    }
    <h2>Merchants</h2>
    <ul class="plain">
      ${merchants.map(({ id, name, currency }) => html`<li>${id} · ${name} · ${currency}</li>`)}
    </ul>
    <h2>Test cards</h2>
    <ul class="plain">
      ${scenarios.map(
        ({ cardNumber, story }) =>
          html`<li><span class="digits">${cardNumber}</span> · ${story}</li>`,
      )}
    </ul>
    <h2>For tests</h2>
    <p class="hint">
      The control routes are under <code>/_sandbox/</code>; the README lists them. The client SDK is
      <a href="/sdk/checkout.js">/sdk/checkout.js</a>, integrity <code>${integrity}</code>.
    </p>`;
}

function collectMoments(control: SandboxControl): Moment[] {
  const calls = control.requests().map((call): Moment => ({
    at: call.at,
    kind: 'call',
    text: html`${call.operation} ${call.orderId === undefined ? '' : `for order ${call.orderId}`} →
    ${call.status ?? call.state}`,
  }));
  const sessions = control.sessions().map((session): Moment => ({
    at: session.createdAt,
    kind: 'session',
    text: html`${session.session_id.slice(0, 8)}… for order ${session.order_id},
    ${formatMoney(session.Amount, session.currency)}, ${session.state}`,
  }));
  const transactions = control.transactions().map(({ row }): Moment => ({
    at: row.transactionTime,
    kind: 'transaction',
    text: html`${row.id} ${row.status} ${row.amount} ${row.currencyCode},
    ${row.orderRef ?? 'no orderRef'}, refunded ${row.amountRefunded ?? 'nothing'}`,
  }));
  const deliveries = control.deliveries().map((delivery): Moment => ({
    at: delivery.at,
    kind: 'webhook',
    text: html`attempt ${delivery.attempt} for order ${delivery.orderId} to ${delivery.to} →
    ${delivery.status ?? delivery.error}`,
  }));
  return [...calls, ...sessions, ...transactions, ...deliveries].sort((a, b) =>
    b.at.localeCompare(a.at),
  );
}

function renderMoment({ at, kind, text }: Moment): Html {
  return html`<li>
    <time datetime="${at}">${at.slice(11, 23)}</time>
    <span class="kind ${kind}">${kind}</span>
    <span>${text}</span>
  </li>`;
}

import type { SandboxControl } from '../control/sandbox-control.js';
import { formatMoney } from '../money.js';
import type { Merchant } from '../merchant.js';
import type { AnalyticsPartner } from '../resources/analytics-partner.js';
import type { Scenario } from '../scenarios.js';
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
  partners: readonly AnalyticsPartner[],
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
    <h2>What there is</h2>
    <ul class="plain">
      ${describeState(control, partners)}
    </ul>
    <h2>Merchants</h2>
    <ul class="plain">
      ${merchants.map(({ id, name, currency }) => html`<li>${id} · ${name} · ${currency}</li>`)}
    </ul>
    <h2>Test cards</h2>
    <ul class="plain">
      ${scenarios.map(
        ({ cardNumber, description }) =>
          html`<li><span class="digits">${cardNumber}</span> · ${description}</li>`,
      )}
    </ul>
    <h2>For tests</h2>
    <p class="hint">
      The control routes are under <code>/_sandbox/</code>; the README lists them. The client SDK is
      <a href="/sdk/checkout.js">/sdk/checkout.js</a>, integrity <code>${integrity}</code>; other
      shapes that it may have are listed at <a href="/sdk/shapes">/sdk/shapes</a>. The interface
      that is played here is described in <a href="/openapi.json">/openapi.json</a>.
    </p>`;
}

function describeState(control: SandboxControl, partners: readonly AnalyticsPartner[]): Html[] {
  const { queued, held } = control.faults();
  const lines: readonly (readonly [string, string])[] = [
    ['Generated transactions', `${control.generatedCount}, rows show: ${control.variant}`],
    [
      'Report schedules',
      control
        .schedules()
        .map(({ id }) => id)
        .join(', '),
    ],
    ['Scheduled transfers', String(control.transfers().length)],
    ['Registered webhooks', describeEndpoints(control)],
    ['Partners with analytics', partners.map(({ name }) => name).join(', ')],
    ['Faults', `${queued.length} waiting, ${held} calls held`],
  ];
  return lines.map(([name, text]) => html`<li>${name}: ${text}</li>`);
}

function describeEndpoints(control: SandboxControl): string {
  const endpoints = control.endpoints().map(({ webhook_id: id, to }) => `${id} at ${to}`);
  const signing =
    control.signing === undefined ? 'unsigned' : `signed in ${control.signing.header}`;
  return endpoints.length === 0 ? 'none' : `${endpoints.join(', ')}; ${signing}`;
}

function collectMoments(control: SandboxControl): Moment[] {
  const calls = control
    .requests()
    .slice(-MOST_SHOWN)
    .map((call): Moment => ({
      at: call.at,
      kind: 'call',
      text: html`${call.operation} ${call.orderId === undefined ? '' : `for order ${call.orderId}`}
      → ${call.status ?? call.state}`,
    }));
  const sessions = control
    .sessions()
    .slice(-MOST_SHOWN)
    .map((session): Moment => ({
      at: session.createdAt,
      kind: 'session',
      text: html`${session.session_id.slice(0, 8)}… for order ${session.order_id},
      ${formatMoney(session.Amount, session.currency)}, ${session.state}`,
    }));
  const transactions = control
    .transactions()
    .slice(0, MOST_SHOWN)
    .map(({ row }): Moment => ({
      at: row.transactionTime,
      kind: 'transaction',
      text: html`${row.id} ${row.status} ${row.amount} ${row.currencyCode},
      ${row.orderRef ?? 'no orderRef'}, refunded ${row.amountRefunded ?? 'nothing'}`,
    }));
  const deliveries = control
    .deliveries()
    .slice(-MOST_SHOWN)
    .map((delivery): Moment => ({
      at: delivery.at,
      kind: 'webhook',
      text: html`attempt ${delivery.attempt}
      ${delivery.orderId === undefined ? 'of a test' : `for order ${delivery.orderId}`} to
      ${delivery.to} → ${delivery.status ?? delivery.error}`,
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

import { Router } from 'express';
import type { SandboxContext } from '../context.js';
import type { SandboxControl } from '../control/sandbox-control.js';
import { formatMoney } from '../money.js';
import { SDK_INTEGRITY } from '../sdk/sdk-routes.js';
import type { SandboxSettings } from '../settings.js';
import { html, type Html } from './html.js';
import { sendPage } from './page-layout.js';

interface TimelineEvent {
  readonly at: string;
  readonly kind: 'call' | 'session' | 'transaction' | 'webhook';
  readonly text: Html;
}

const MAX_EVENTS = 200;

/** The page at `/`: what the sandbox is, and what has happened in it, newest first. */
export function homeRoutes({ settings }: SandboxContext, control: SandboxControl): Router {
  return Router().get('/', (_request, response) => {
    const body = renderHome(control, settings);
    sendPage(response, 200, { title: 'Payments sandbox', layout: 'wide', body });
  });
}

function renderHome(
  control: SandboxControl,
  { scenarios, merchants, partners }: SandboxSettings,
): Html {
  const events = collectEvents(control);
  return html`<h1>The payments provider, on your own machine</h1>
    <p>
      This sandbox plays the provider: its API, its client SDK, its pages and its webhooks. All data
      is invented, and it is lost when the sandbox stops.
    </p>
    <h2>Timeline</h2>
    ${
      events.length === 0
        ? html`<p class="hint">Nothing yet. Create a session with POST /create-session.</p>`
        : html`<ol class="timeline">
            ${events.slice(0, MAX_EVENTS).map(renderEvent)}
          </ol>`
    }
    <h2>State</h2>
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
    <h2>Links</h2>
    <p class="hint">
      The README lists the control routes under <code>/_sandbox/</code>. The client SDK is
      <a href="/sdk/checkout.js">/sdk/checkout.js</a>, integrity <code>${SDK_INTEGRITY}</code>. Its
      other shapes are at <a href="/sdk/shapes">/sdk/shapes</a>. The API is described in
      <a href="/openapi.json">/openapi.json</a>.
    </p>`;
}

function describeState(control: SandboxControl, partners: SandboxSettings['partners']): Html[] {
  const { queued, held } = control.faults();
  const lines: readonly (readonly [string, string])[] = [
    ['Past transactions', `${control.historyCount}, variant: ${control.variant}`],
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
    ['Faults', `${queued.length} queued, ${held} calls held`],
  ];
  return lines.map(([name, text]) => html`<li>${name}: ${text}</li>`);
}

function describeEndpoints(control: SandboxControl): string {
  const endpoints = control.endpoints().map(({ webhook_id: id, to }) => `${id} at ${to}`);
  const signing =
    control.signing === undefined ? 'unsigned' : `signed in ${control.signing.header}`;
  return endpoints.length === 0 ? 'none' : `${endpoints.join(', ')}; ${signing}`;
}

function collectEvents(control: SandboxControl): TimelineEvent[] {
  const calls = control
    .requests()
    .slice(-MAX_EVENTS)
    .map((call): TimelineEvent => ({
      at: call.at,
      kind: 'call',
      text: html`${call.operation} ${call.orderId === undefined ? '' : `for order ${call.orderId}`}
      → ${call.status ?? call.state}`,
    }));
  const sessions = control
    .sessions()
    .slice(-MAX_EVENTS)
    .map((session): TimelineEvent => ({
      at: session.createdAt,
      kind: 'session',
      text: html`${session.session_id.slice(0, 8)}… for order ${session.order_id},
      ${formatMoney(session.Amount, session.currency)}, ${session.state}`,
    }));
  const transactions = control
    .transactions()
    .slice(0, MAX_EVENTS)
    .map(({ row }): TimelineEvent => ({
      at: row.transactionTime,
      kind: 'transaction',
      text: html`${row.id} ${row.status} ${row.amount} ${row.currencyCode},
      ${row.orderRef ?? 'no orderRef'}, refunded ${row.amountRefunded ?? 'nothing'}`,
    }));
  const deliveries = control
    .deliveries()
    .slice(-MAX_EVENTS)
    .map((delivery): TimelineEvent => ({
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

function renderEvent({ at, kind, text }: TimelineEvent): Html {
  return html`<li>
    <time datetime="${at}">${at.slice(11, 23)}</time>
    <span class="kind ${kind}">${kind}</span>
    <span>${text}</span>
  </li>`;
}

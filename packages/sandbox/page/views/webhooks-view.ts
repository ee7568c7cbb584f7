import { linkTo } from '@pay-checkout/page-kit/address';
import { renderTable } from '@pay-checkout/page-kit/parts';
import { html, nothing, type TemplateResult } from 'lit';
import type { SandboxControl } from '../../src/control/sandbox-control.js';
import type { SessionSummary } from '../../src/control/session-control.js';
import type { Delivery } from '../../src/webhooks/delivery-log.js';
import { renderForm } from '../forms.js';
import { badge, money, sessionLink, statusBadge, time } from '../parts.js';
import { view, type Frame } from '../view.js';

interface Webhooks {
  readonly webhooks: ReturnType<SandboxControl['endpoints']>;
  readonly deliveries: readonly Delivery[];
  /** The newest ones, oldest first. */
  readonly sessions: readonly SessionSummary[];
}

const TRIES = 500;
const SESSIONS = 50;

/** The registered endpoints, and each webhook with its tries. */
export const webhooksView = view<Webhooks>({
  path: 'webhooks',
  nav: 'Webhooks',
  title: () => 'Webhooks',
  read: async (read) => {
    const [{ webhooks }, { deliveries }, { sessions }] = await Promise.all([
      read<Webhooks>('webhooks'),
      read<Webhooks>(`deliveries?limit=${String(TRIES)}`),
      read<Webhooks>(`sessions?limit=${String(SESSIONS)}`),
    ]);
    return { webhooks, deliveries, sessions };
  },
  draw: ({ webhooks, deliveries, sessions }, _params, frame) =>
    html`<h2>Send</h2>
      ${renderSend(sessions, frame)} ${renderOrder(frame)}
      <h2>Sent</h2>
      ${
        deliveries.length === 0
          ? html`<p class="quiet">
              No webhooks yet. A payment sends one to the session’s WebhookUrl and to each endpoint.
            </p>`
          : html`<ol class="webhooks">
              ${groupByWebhook(deliveries).map((tries) => renderWebhook(tries, frame))}
            </ol>`
      }
      <h2>Endpoints</h2>
      ${
        webhooks.length === 0
          ? html`<p class="quiet">No endpoint is registered; create-webhook registers one.</p>`
          : renderTable(
              'Endpoints',
              ['Endpoint', 'To', 'Description', 'Events', 'hmac_key'],
              webhooks.map(({ webhook_id: id, to, description, events, hmac_key: key }) => [
                html`<code>${id}</code>`,
                to,
                description,
                events.join(', ') || 'all',
                html`<code>${key}</code>`,
              ]),
            )
      }`,
});

/** A webhook that says what the form says, true or forged. */
function renderSend(
  sessions: readonly SessionSummary[],
  frame: Frame,
): TemplateResult | typeof nothing {
  if (sessions.length === 0) return nothing;
  return renderForm<{ readonly webhooks: readonly string[] }>(frame, {
    buttons: { 'webhooks/send': 'Send', 'webhooks/forge': 'Send with a wrong key' },
    fields: {
      session: {
        label: 'Session',
        options: sessions
          .toReversed()
          .map(({ session_id: id, order_id: order, Amount, currency }) => [
            id,
            `order ${String(order)}, ${money(Amount, currency)}`,
          ]),
      },
      outcome: { label: 'Event' },
    },
    done: ({ webhooks }, { route }) =>
      `Sent${route.endsWith('forge') ? ' with a wrong key' : ''}: ${String(webhooks.length)}.`,
  });
}

/** When the webhooks that follow are sent. */
function renderOrder(frame: Frame): TemplateResult {
  return html`<article>
    ${renderForm(frame, {
      buttons: { switches: 'Delay' },
      fields: {
        webhookDelaySeconds: { label: 'Delay in seconds', value: 60, isRequired: true },
      },
      done: (_answer, { body }) =>
        `Webhooks are sent after ${String(body['webhookDelaySeconds'])} seconds from now on.`,
    })}
    ${renderForm(frame, {
      buttons: { 'webhooks/reorder': 'Reorder' },
      fields: { count: { label: 'Next webhooks', value: 2 } },
      done: (_answer, { body }) =>
        `The next ${String(body['count'])} webhooks are sent in reverse order.`,
    })}
  </article>`;
}

/** Newest webhook first, its tries oldest first. */
function groupByWebhook(deliveries: readonly Delivery[]): Delivery[][] {
  return [...Map.groupBy(deliveries, ({ webhook }) => webhook).values()].reverse();
}

function renderWebhook(tries: readonly Delivery[], frame: Frame): TemplateResult | typeof nothing {
  const [first] = tries;
  const last = tries.at(-1);
  if (first === undefined || last === undefined) return nothing;
  const { webhook, to, endpointId, sessionId, orderId } = first;
  const isDelivered = last.status !== undefined && last.status < 300;
  const about = orderId === undefined ? first.event : `${first.event}, order ${String(orderId)}`;
  return html`<li>
    <article>
      <p>
        ${isDelivered ? badge('delivered') : badge('not delivered', 'is-bad')}
        <strong>${about}</strong> to ${to}
        ${endpointId ? html`<code>${endpointId}</code>` : 'by WebhookUrl'}
        ${sessionId ? sessionLink(sessionId) : nothing}
      </p>
      <ol class="tries">
        ${tries.map(
          ({ number, attempt, at, status, error, fault }) =>
            html`<li>
              <a href=${linkTo(`webhooks/${String(number)}`)}>Try ${attempt}</a>
              ${statusBadge(status, error)} ${time(at)}
              ${fault ? badge(`fault: ${fault}`, 'is-wait') : nothing}
            </li>`,
        )}
      </ol>
      <p class="buttons">
        <button
          class="outline"
          @click=${() =>
            frame.act({
              path: `webhooks/${webhook}/resend`,
              done: `${webhook} was sent again.`,
            })}
        >
          Resend<span class="unseen"> ${webhook}</span>
        </button>
        <code>${webhook}</code>
      </p>
    </article>
  </li>`;
}

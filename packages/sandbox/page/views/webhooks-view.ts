import { html, nothing, type TemplateResult } from 'lit';
import type { SandboxControl } from '../../src/control/sandbox-control.js';
import type { Delivery } from '../../src/webhooks/webhook-sender.js';
import { badge, renderTable, sessionLink, statusBadge, time } from '../parts.js';
import { view, type Frame } from '../view.js';

interface Webhooks {
  readonly webhooks: ReturnType<SandboxControl['endpoints']>;
  readonly deliveries: readonly Delivery[];
}

const TRIES = 500;

/** The registered endpoints, and each webhook with its tries. */
export const webhooksView = view<Webhooks>({
  path: 'webhooks',
  nav: 'Webhooks',
  title: () => 'Webhooks',
  read: async (read) => {
    const [{ webhooks }, { deliveries }] = await Promise.all([
      read<Webhooks>('webhooks'),
      read<Webhooks>(`deliveries?limit=${String(TRIES)}`),
    ]);
    return { webhooks, deliveries };
  },
  draw: ({ webhooks, deliveries }, _params, frame) =>
    html`<h2>Sent</h2>
      ${
        deliveries.length === 0
          ? html`<p class="empty">
              None yet. A payment sends one to the session’s WebhookUrl and to each endpoint.
            </p>`
          : html`<ol class="webhooks">
              ${groupByWebhook(deliveries).map((tries) => renderWebhook(tries, frame))}
            </ol>`
      }
      <h2>Endpoints</h2>
      ${
        webhooks.length === 0
          ? html`<p class="empty">None is registered: create-webhook registers one.</p>`
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
  const about = orderId === undefined ? 'a test' : `order ${String(orderId)}`;
  return html`<li>
    <p class="line">
      ${isDelivered ? badge('delivered') : badge('not delivered', 'is-bad')}
      <strong>${about}</strong> to ${to}
      ${endpointId ? html`<code>${endpointId}</code>` : 'by WebhookUrl'}
      ${sessionId ? sessionLink(sessionId) : nothing}
    </p>
    <ol class="tries">
      ${tries.map(
        ({ attempt, at, status, error }) =>
          html`<li>Try ${attempt} ${statusBadge(status, error)} ${time(at)}</li>`,
      )}
    </ol>
    <p class="buttons">
      <button
        class="button quiet"
        @click=${() =>
          frame.act({ path: `webhooks/${webhook}/resend`, done: `${webhook} is sent once more.` })}
      >
        Resend<span class="unseen"> ${webhook}</span>
      </button>
      <code class="hint">${webhook}</code>
    </p>
  </li>`;
}

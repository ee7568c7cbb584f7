import { html, nothing, type TemplateResult } from 'lit';
import type { SandboxControl } from '../../src/control/sandbox-control.js';
import type { SessionSummary } from '../../src/control/session-control.js';
import type { WebhookOutcome } from '../../src/switches.js';
import type { Delivery } from '../../src/webhooks/delivery-log.js';
import { badge, money, readForm, renderTable, sessionLink, statusBadge, time } from '../parts.js';
import { linkTo, view, type Frame } from '../view.js';

interface Webhooks {
  readonly webhooks: ReturnType<SandboxControl['endpoints']>;
  readonly deliveries: readonly Delivery[];
  /** The newest ones, oldest first. */
  readonly sessions: readonly SessionSummary[];
}

const TRIES = 500;
const SESSIONS = 50;

const OUTCOMES: Readonly<Record<WebhookOutcome, string>> = {
  paid: 'Paid',
  declined: 'Declined',
  refunded: 'Refunded',
  cancelled: 'Cancelled',
  expired: 'Expired',
};

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
  const send = (event: SubmitEvent) => {
    const { value: action } = event.submitter as HTMLButtonElement;
    void frame.act({
      path: `webhooks/${action}`,
      body: readForm(event),
      done: ({ webhooks }: { webhooks: readonly string[] }) =>
        `Sent${action === 'forge' ? ' with a wrong key' : ''}: ${String(webhooks.length)}.`,
    });
  };
  return html`<form class="inline" @submit=${send}>
    <label
      >Session
      <select name="session">
        ${sessions
          .toReversed()
          .map(
            (each) =>
              html`<option value=${each.session_id}>
                order ${each.order_id}, ${money(each.Amount, each.currency)}
              </option>`,
          )}
      </select></label
    >
    <label
      >Event
      <select name="outcome">
        ${Object.entries(OUTCOMES).map(([outcome, word]) => html`<option value=${outcome}>${word}</option>`)}
      </select></label
    >
    <button value="send">Send</button>
    <button class="outline" value="forge">Send with a wrong key</button>
  </form>`;
}

/** When the webhooks that follow are sent. */
function renderOrder(frame: Frame): TemplateResult {
  const delay = (event: SubmitEvent) => {
    const seconds = Number(readForm(event)['seconds']);
    void frame.act({
      path: 'switches',
      method: 'PATCH',
      body: { webhookDelaySeconds: seconds },
      done: `Webhooks are sent after ${String(seconds)} seconds from now on.`,
    });
  };
  const reorder = (event: SubmitEvent) => {
    const count = Number(readForm(event)['count']);
    void frame.act({
      path: 'webhooks/reorder',
      body: { count },
      done: `The next ${String(count)} webhooks are sent in reverse order.`,
    });
  };
  return html`<article>
    <form class="inline" @submit=${delay}>
      <label
        >Delay in seconds
        <input name="seconds" type="number" min="0" max="100000" step="any" value="60" required
      /></label>
      <button class="outline">Delay</button>
    </form>
    <form class="inline" @submit=${reorder}>
      <label
        >Next webhooks <input name="count" type="number" min="2" max="100" value="2" required
      /></label>
      <button class="outline">Reorder</button>
    </form>
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

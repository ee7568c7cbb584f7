import { renderFacts } from '@pay-checkout/page-kit/parts';
import { html } from 'lit';
import type { Delivery, RecordedDelivery } from '../../src/webhooks/delivery-log.js';
import { renderMessage } from '../message.js';
import { sessionLink, statusBadge, time } from '../parts.js';
import { view } from '../view.js';

/** One try at a webhook: what was sent and what the endpoint answered. */
export const webhookView = view<Delivery & Partial<RecordedDelivery>>({
  path: 'webhooks/:number',
  under: 'webhooks',
  title: ({ number }) => `Webhook try ${number ?? ''}`,
  read: (read, { number = '' }) => read(`deliveries/${encodeURIComponent(number)}`),
  draw: ({ webhook, attempt, event, at, to, endpointId, ...delivery }) => {
    const { sessionId, status, error, fault, request, response } = delivery;
    return html`<p class="buttons"><a href="#/webhooks">All webhooks</a></p>
      ${renderFacts([
        ['Event', event],
        ['Answer', statusBadge(status, error)],
        ['Webhook', html`<code>${webhook}</code>, try ${attempt}`],
        ['Sent', time(at)],
        ['To', html`${to} ${endpointId ? html`<code>${endpointId}</code>` : 'by WebhookUrl'}`],
        ...(sessionId ? [['Session', sessionLink(sessionId)] as const] : []),
        ...(fault ? [['Fault', fault] as const] : []),
      ])}
      ${
        request
          ? html`${renderMessage('Request', request)}
            ${renderMessage('Response', response, 'No response.')}`
          : html`<p class="quiet">The headers and bodies of this try are no longer kept.</p>`
      }`;
  },
});

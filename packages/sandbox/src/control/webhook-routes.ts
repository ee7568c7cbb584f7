import { z } from 'zod';
import { integer, text } from '../schemas.js';
import { WEBHOOK_OUTCOMES } from '../switches.js';
import { listOf, recordedMessage, route } from './route.js';

const about = z.strictObject({
  session: text,
  outcome: z.enum(WEBHOOK_OUTCOMES, `expected ${WEBHOOK_OUTCOMES.join(', ')}`).optional(),
});

const ids = z.object({ webhooks: listOf(text) });

const delivery = z.object({
  number: integer,
  webhook: text,
  attempt: integer,
  at: text,
  sessionId: text.optional(),
  orderId: integer.optional(),
  event: text,
  endpointId: text.optional(),
  to: text.meta({ description: 'Origin of the receiver' }),
  status: integer.optional(),
  error: text.optional(),
  fault: text.optional(),
});

/** Webhooks: where they go, each try, and what is sent by hand. */
export const WEBHOOK_ROUTES = [
  route({
    method: 'get',
    path: '/webhooks',
    command: 'webhooks endpoints',
    summary: 'List the registered endpoints, keys masked',
    answer: z.object({
      webhooks: listOf(
        z.object({
          webhook_id: text,
          to: text,
          description: text.optional(),
          events: listOf(text),
          hmac_key: text,
        }),
      ),
    }),
    handle: (control) => ({ webhooks: control.endpoints() }),
  }),
  route({
    method: 'get',
    path: '/deliveries',
    command: 'webhooks',
    summary: 'List the tries of webhooks, oldest first',
    query: z.strictObject({ limit: z.coerce.number<string>().int().min(1).optional() }),
    answer: z.object({ deliveries: listOf(delivery) }),
    handle: (control, { query: { limit = 0 } }) => ({
      deliveries: control.deliveries().slice(-limit),
    }),
  }),
  route({
    method: 'get',
    path: '/deliveries/:number',
    command: 'webhooks show <number>',
    summary: 'Read a try with headers and bodies, secrets masked',
    answer: delivery.extend({
      request: recordedMessage.optional(),
      response: recordedMessage.optional(),
    }),
    handle: (control, { id }) => control.readDelivery(Number(id)),
  }),
  route({
    method: 'post',
    path: '/webhooks/send',
    command: 'webhooks send <session>',
    summary: 'Send a webhook about a session now',
    body: about,
    status: 202,
    answer: ids,
    handle: (control, { body }) => ({ webhooks: control.sendWebhook(body.session, body.outcome) }),
  }),
  route({
    method: 'post',
    path: '/webhooks/forge',
    command: 'webhooks forge <session>',
    summary: 'Send a webhook about a session, signed with another key',
    body: about,
    status: 202,
    answer: ids,
    handle: (control, { body }) => ({
      webhooks: control.sendWebhook(body.session, body.outcome, true),
    }),
  }),
  route({
    method: 'post',
    path: '/webhooks/reorder',
    command: 'webhooks reorder <count>',
    summary: 'Hold the next webhooks, and send them last first',
    body: z.strictObject({
      count: integer.min(2, 'expected at least 2').max(100, 'expected at most 100'),
    }),
    handle: (control, { body }) => control.reorderWebhooks(body.count),
  }),
  route({
    method: 'post',
    path: '/webhooks/:id/resend',
    command: 'webhooks resend <webhook>',
    summary: 'Send a webhook once more under its id, and wait for the answer',
    answer: delivery,
    handle: (control, { id }) => control.resendWebhook(id),
  }),
];

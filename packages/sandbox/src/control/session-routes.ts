import { z } from 'zod';
import { integer, text } from '../schemas.js';
import { listOf, route, wholeNumber } from './route.js';

const summary = z.object({
  session_id: text,
  createdAt: text,
  state: z.enum(['open', 'paid', 'expired']),
  merchant_id: integer,
  order_id: integer,
  MerchantReference: text.optional(),
  Amount: text,
  currency: text,
  RedirectUrl: text.optional(),
  CancelUrl: text.optional(),
  backurl: text.optional(),
  WebhookUrl: text.optional(),
  transactionId: text.optional(),
  declineReason: text.optional().meta({ description: 'The scenario that declined the last card' }),
  addressCheck: z.enum(['full', 'partial', 'none']).optional(),
});

const createSessionFields = z
  .record(text, z.unknown(), 'expected an object')
  .meta({ $ref: '#/components/schemas/CreateSessionRequest' });

const visit = z
  .union([z.object({ status: integer.optional() }), z.object({ error: text })])
  .meta({ description: 'What the address of the shop answered' });

/** Checkout sessions, and what a shopper does without a browser. */
export const SESSION_ROUTES = [
  route({
    method: 'get',
    path: '/sessions',
    command: 'sessions',
    summary: 'List the checkout sessions, oldest first',
    query: z.strictObject({
      state: text.optional(),
      search: text.optional(),
      limit: wholeNumber.optional(),
      skip: wholeNumber.optional(),
    }),
    answer: z.object({ sessions: listOf(summary), total: integer }),
    handle: (control, { query }) => control.listSessions(query),
  }),
  route({
    method: 'post',
    path: '/sessions',
    summary: 'Create a session without a call of the API',
    // The fields are checked with it: that follows the switches.
    body: createSessionFields,
    status: 201,
    answer: summary,
    handle: (control, { body }) => control.createSession(body),
  }),
  route({
    method: 'get',
    path: '/sessions/:id',
    command: 'sessions show <session>',
    summary: 'Read a session with every field, its split worked out, and what happened',
    answer: summary.extend({
      expiresAt: text,
      merchantName: text,
      request: createSessionFields,
      split: z
        .object({
          items: listOf(
            z.object({
              partner_merchant_id: integer,
              type_id: integer,
              value: z.number(),
              value_type: text,
              share: text.optional(),
            }),
          ),
          total: text,
          rest: text,
        })
        .optional(),
      lastRefusal: text.optional(),
      transactionIds: listOf(text),
      timeline: listOf(
        z.object({
          at: text,
          kind: z.enum([
            'request',
            'action',
            'transaction',
            'listed',
            'delivery',
            'expires',
            'expired',
          ]),
        }),
      ),
    }),
    handle: (control, { id }) => control.describeSession(id),
  }),
  route({
    method: 'post',
    path: '/sessions/:id/pay',
    command: 'sessions pay <session>',
    summary: 'Submit the card of a scenario; visit: whether the shopper comes back',
    body: z.strictObject({ scenario: text.optional(), visit: z.boolean().optional() }).default({}),
    answer: z.object({
      outcome: z.enum(['approved', 'declined', 'challenge', 'expired', 'left']),
      redirectUrl: text.optional(),
      message: text.optional(),
      visit: visit.optional(),
    }),
    handle: (control, { id, body }) => control.pay(id, body.scenario, body.visit),
  }),
  route({
    method: 'post',
    path: '/sessions/:id/cancel',
    command: 'sessions cancel <session>',
    summary: 'Open CancelUrl as the shopper',
    answer: summary.extend({ visit }),
    handle: (control, { id }) => control.leave(id, 'CancelUrl'),
  }),
  route({
    method: 'post',
    path: '/sessions/:id/back',
    command: 'sessions back <session>',
    summary: 'Open backurl as the shopper',
    answer: summary.extend({ visit }),
    handle: (control, { id }) => control.leave(id, 'backurl'),
  }),
  route({
    method: 'post',
    path: '/sessions/:id/expire',
    command: 'sessions expire <session>',
    summary: 'End an open session',
    answer: summary,
    handle: (control, { id }) => control.expire(id),
  }),
];

import { z } from 'zod';
import {
  checkoutConfigReply,
  checkoutStatusReply,
  createCheckoutReply,
  createCheckoutRequest,
  hintReply,
  hintRequest,
  merchantEventList,
  merchantOrder,
  merchantOrderList,
  needsReply,
  openingReply,
  previewReply,
  problem,
  putOrderReply,
  putOrderRequest,
  voidOrderReply,
} from '../contract-schemas.js';

type Json = Readonly<Record<string, unknown>>;

const text = { type: 'string' };
const PROBLEM = {
  description: 'RFC 9457 problem with a stable code; see docs/error-codes.md',
  content: { 'application/problem+json': { schema: toSchema(problem, 'output') } },
};

/** The server's own HTTP as OpenAPI 3.1, from the schemas of its requests and replies. */
export function describeApi(publicUrl: string): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'Pay Checkout session server', version: '1' },
    servers: [{ url: publicUrl }],
    paths: {
      '/v1/checkouts': {
        post: operation('Create a checkout, or answer with the open one', {
          body: createCheckoutRequest,
          answers: {
            200: z.union([createCheckoutReply, needsReply, previewReply]),
            202: openingReply,
          },
        }),
        get: operation('What state checkouts are in; waits for one to move', {
          query: {
            id: 'Repeatable, at most 20: "{id}:{revision}"',
            wait: 'Seconds to wait, at most 25',
          },
          answers: { 200: checkoutStatusReply },
        }),
      },
      '/v1/checkouts/{id}/hints': {
        post: operation('Send a hint of what the page saw: never proof', {
          path: ['id'],
          body: hintRequest,
          answers: { 200: hintReply },
        }),
      },
      '/v1/checkouts/{id}/leave': {
        get: operation('Go on to the merchant’s page for this checkout', {
          path: ['id'],
          query: {
            kind: '"return", "cancel" or "back"',
            orderToken: 'With that of the order: to the page that the shop gave for it, if any',
          },
          answers: { 303: undefined },
        }),
      },
      '/v1/checkout-config': {
        get: operation('What a page may load before anything is opened', {
          query: { merchant: 'Id of the merchant' },
          answers: { 200: checkoutConfigReply },
        }),
      },
      '/v1/merchant/orders/{order}': {
        put: forMerchant('Price an order; an order token and a payment link in return', {
          path: ['order'],
          body: putOrderRequest,
          answers: { 200: putOrderReply, 201: putOrderReply },
        }),
        get: forMerchant('The truth about an order, with its evidence', {
          path: ['order'],
          answers: { 200: merchantOrder },
        }),
        delete: forMerchant('Make an order void: no checkout of it is created any more', {
          path: ['order'],
          answers: { 200: voidOrderReply },
        }),
      },
      '/v1/merchant/orders': {
        get: forMerchant('Orders, newest first', {
          query: {
            state: 'Only orders in this state',
            updatedAfter: 'Only orders that changed at this time or later: ISO 8601',
            updatedBefore: 'Only orders that last changed before this time',
            cursor: 'nextCursor of the page before',
            limit: 'At most 200; default 50',
          },
          answers: { 200: merchantOrderList },
        }),
      },
      '/v1/merchant/events': {
        get: forMerchant('Events, in the order in which they were committed', {
          query: {
            after: 'The cursor to go on from; default: the oldest event that is kept',
            limit: 'At most 200; default 50',
          },
          answers: { 200: merchantEventList },
        }),
      },
      '/v1/return/{token}': {
        get: operation('Where RedirectUrl, CancelUrl and backurl lead', {
          path: ['token'],
          query: pageQuery,
          answers: { 200: undefined },
        }),
      },
      '/v1/webhooks/{token}': {
        post: operation('Where WebhookUrl leads: any body, stored before it is answered', {
          path: ['token'],
          answers: { 200: z.object({ received: z.literal('test') }), 204: undefined },
        }),
      },
      '/v1/pay/{merchant}/{orderToken}': {
        get: operation('Hosted payment page', {
          path: ['merchant', 'orderToken'],
          query: pageQuery,
          answers: { 200: undefined },
        }),
      },
    },
    components: { securitySchemes: { merchantKey: { type: 'http', scheme: 'bearer' } } },
  };
}

/** Of our own pages. */
const pageQuery = { locale: 'Language, as a BCP 47 tag. Default: by Accept-Language' };

interface OperationParts {
  readonly path?: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: z.ZodType;
  readonly answers: Readonly<Record<number, z.ZodType | undefined>>;
}

function operation(
  summary: string,
  { path = [], query = {}, body, answers }: OperationParts,
): Json {
  const responses = Object.entries(answers).map(([status, schema]) => [
    status,
    {
      description: summary,
      ...(schema === undefined
        ? {}
        : { content: { 'application/json': { schema: toSchema(schema, 'output') } } }),
    },
  ]);
  return {
    summary,
    parameters: [
      ...path.map((name) => ({ name, in: 'path', required: true, schema: text })),
      ...Object.entries(query).map(([name, description]) => ({
        name,
        in: 'query',
        description,
        schema: text,
      })),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: toSchema(body, 'input') } },
          },
        }),
    responses: { ...Object.fromEntries(responses), default: PROBLEM },
  };
}

/** An operation that needs the merchant's key. */
function forMerchant(summary: string, parts: OperationParts): Json {
  return { ...operation(summary, parts), security: [{ merchantKey: [] }] };
}

function toSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  return z.toJSONSchema(schema, { io });
}

import { z } from 'zod';
import { hintRequest, createCheckoutRequest } from '../contract-schemas.js';

type Json = Readonly<Record<string, unknown>>;

const STATE = {
  enum: ['open', 'returned', 'paid', 'failed', 'cancelled', 'left', 'expired', 'unconfirmed'],
};
const text = { type: 'string' };
const REFUND = { enum: ['none', 'partial', 'full'] };
const MERCHANT_CHECKOUT = object({
  checkout: text,
  state: STATE,
  certain: { type: 'boolean' },
  amount: text,
  currency: text,
  refund: REFUND,
  attention: { type: 'array', items: text, description: 'See docs/events.md' },
  createdAt: text,
  attempts: {
    type: 'array',
    items: object({
      orderId: { type: 'integer' },
      merchantReference: text,
      status: text,
      createdAt: text,
    }),
  },
  transactions: {
    type: 'array',
    items: object({
      id: text,
      orderId: { type: 'integer' },
      status: text,
      amount: text,
      currency: text,
      transactionTime: text,
    }),
  },
});
const PROBLEM = {
  description: 'RFC 9457 problem with a stable code; see docs/error-codes.md',
  content: {
    'application/problem+json': {
      schema: {
        type: 'object',
        required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
        properties: {
          type: text,
          title: text,
          status: { type: 'integer' },
          detail: text,
          code: text,
          requestId: text,
        },
      },
    },
  },
};

/** The server's own HTTP as OpenAPI 3.1; request bodies come from the schemas that check them. */
export function describeApi(publicUrl: string): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'Pay Checkout session server', version: '1' },
    servers: [{ url: publicUrl }],
    paths: {
      '/v1/checkouts': {
        post: operation('Open a checkout, or answer with the one that is open', {
          body: toSchema(createCheckoutRequest),
          answers: {
            200: object({
              checkout: text,
              state: STATE,
              revision: { type: 'integer' },
              sessionId: text,
              sdk: { type: 'object' },
              amount: { ...text, description: 'Decimal text, such as "12.34"' },
              currency: text,
              environment: { enum: ['sandbox', 'production'] },
              needs: { type: 'array', items: { enum: ['avs'] } },
              fields: {
                type: 'array',
                items: { enum: ['houseNumber', 'postcode', 'flat', 'address1', 'address2'] },
              },
            }),
            202: object({ state: { const: 'opening' }, retryAfterSeconds: { type: 'number' } }),
          },
        }),
        get: operation('What state checkouts are in; waits for one to move', {
          query: {
            id: 'Repeatable, at most 20: "{id}:{revision}"',
            wait: 'Seconds to wait, at most 25',
          },
          answers: {
            200: object({
              checkouts: {
                type: 'array',
                items: object({
                  checkout: text,
                  merchant: text,
                  order: text,
                  state: STATE,
                  certain: { type: 'boolean' },
                  revision: { type: 'integer' },
                  refund: REFUND,
                }),
              },
              retryAfterSeconds: { type: 'number' },
            }),
          },
        }),
      },
      '/v1/checkouts/{id}/hints': {
        post: operation('Tell what the page saw: a hint, never proof', {
          path: ['id'],
          body: toSchema(hintRequest),
          answers: { 200: object({ state: STATE }) },
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
          answers: { 200: object({ merchant: text, environment: text, sdk: { type: 'object' } }) },
        }),
      },
      '/v1/merchant/orders/{order}': {
        get: {
          ...operation('The truth about an order, with its evidence', {
            path: ['order'],
            answers: {
              200: object({
                merchant: text,
                order: text,
                state: STATE,
                certain: { type: 'boolean' },
                checkouts: { type: 'array', items: MERCHANT_CHECKOUT },
              }),
            },
          }),
          security: [{ merchantKey: [] }],
        },
      },
      '/v1/return/{token}': {
        get: operation('Where RedirectUrl, CancelUrl and backurl lead', {
          path: ['token'],
          answers: { 200: undefined },
        }),
      },
      '/v1/webhooks/{token}': {
        post: operation('Where WebhookUrl leads: any body, stored before it is answered', {
          path: ['token'],
          answers: { 200: object({ received: { const: 'test' } }), 204: undefined },
        }),
      },
      '/v1/pay/{merchant}/{orderToken}': {
        get: operation('Hosted payment page', {
          path: ['merchant', 'orderToken'],
          answers: { 200: undefined },
        }),
      },
    },
    components: { securitySchemes: { merchantKey: { type: 'http', scheme: 'bearer' } } },
  };
}

interface OperationParts {
  readonly path?: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly answers: Readonly<Record<number, Json | undefined>>;
}

function operation(
  summary: string,
  { path = [], query = {}, body, answers }: OperationParts,
): Json {
  const responses = Object.entries(answers).map(([status, schema]) => [
    status,
    {
      description: summary,
      ...(schema === undefined ? {} : { content: { 'application/json': { schema } } }),
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
      : { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: { ...Object.fromEntries(responses), default: PROBLEM },
  };
}

function object(properties: Json): Json {
  return { type: 'object', properties };
}

function toSchema(schema: z.ZodType): Json {
  return z.toJSONSchema(schema, { io: 'input' });
}

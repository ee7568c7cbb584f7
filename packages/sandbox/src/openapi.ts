import { z } from 'zod';
import { CONTROL_ROUTES } from './control/control-routes.js';
import { describeControlRoutes } from './control/describe-routes.js';
import type { Operation } from './logged-request.js';
import { partnerAnalytics, partnerAnalyticsRequest } from './resources/analytics.js';
import { createSessionReply } from './resources/checkout-sessions.js';
import { createSessionRequest } from './resources/session-store.js';
import { merchantAssociation, merchantAssociationRequest } from './resources/merchants.js';
import { updateScheduleRequest } from './resources/reports.js';
import { reportSchedule } from './resources/report-book.js';
import {
  scheduledTransferList,
  scheduledTransfersRequest,
} from './resources/scheduled-transfers.js';
import { transactionList, transactionListRequest } from './resources/transactions.js';
import {
  createWebhookReply,
  createWebhookRequest,
  testWebhookReply,
  testWebhookRequest,
} from './resources/webhooks.js';
import { notShown } from './schemas.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** The path prefixes of the interfaces with a base address of their own. */
export interface PathPrefixes {
  readonly merchantsPrefix: string;
  readonly transfersPrefix: string;
}

interface DescribedOperation {
  readonly operationId: Operation;
  readonly section: string;
  readonly path: string;
  readonly method?: 'get';
  readonly summary: string;
  /** Name and schema of the body. */
  readonly request: readonly [string, z.ZodType];
  readonly reply: readonly [string, z.ZodType];
  readonly prefix?: keyof PathPrefixes;
  readonly errors?: JsonObject;
  readonly more?: JsonObject;
}

const DESCRIBED: readonly DescribedOperation[] = [
  {
    operationId: 'transactions-list',
    section: '4.1',
    path: '/v1/transactions/list',
    summary: 'List transactions, newest first',
    request: ['TransactionListRequest', transactionListRequest],
    reply: ['TransactionList', transactionList],
  },
  {
    operationId: 'update-schedule',
    section: '4.2',
    path: '/v1/reports/update-schedule',
    summary: 'Update a report schedule',
    request: ['UpdateScheduleRequest', updateScheduleRequest],
    reply: ['ReportSchedule', reportSchedule],
  },
  {
    operationId: 'merchant-association',
    section: '4.3',
    path: '/api/v1/merchants/merchant-association',
    summary: 'Reactivate a signup link for 14 more days',
    request: ['MerchantAssociationRequest', merchantAssociationRequest],
    reply: ['MerchantAssociation', merchantAssociation],
    prefix: 'merchantsPrefix',
  },
  {
    operationId: 'scheduled-transfers',
    section: '4.4',
    path: '/api/v1/schedule-transfer/{mid}',
    method: 'get',
    summary: 'Read the scheduled transfers of a merchant',
    request: ['ScheduledTransfersRequest', scheduledTransfersRequest],
    reply: ['ScheduledTransferList', scheduledTransferList],
    prefix: 'transfersPrefix',
    more: {
      parameters: [{ name: 'mid', in: 'path', required: true, schema: { type: 'string' } }],
      security: [],
      ...notShown(['authentication', 'success status code', 'error body']),
    },
  },
  {
    operationId: 'partner-analytics',
    section: '4.5',
    path: '/v1/analytics/partner_analytics',
    summary: 'Partner analytics of a timeframe',
    request: ['PartnerAnalyticsRequest', partnerAnalyticsRequest],
    reply: ['PartnerAnalytics', partnerAnalytics],
    errors: { '403': { description: 'The partner_name is unknown.' } },
  },
  {
    operationId: 'create-session',
    section: '4.6',
    path: '/create-session',
    summary: 'Create a checkout session',
    request: ['CreateSessionRequest', createSessionRequest],
    reply: ['CheckoutSession', createSessionReply],
  },
  {
    operationId: 'create-webhook',
    section: '4.7',
    path: '/developer-service/webhooks/create',
    summary: 'Register a webhook endpoint',
    request: ['CreateWebhookRequest', createWebhookRequest],
    reply: ['Webhook', createWebhookReply],
  },
  {
    operationId: 'test-webhook',
    section: '4.8',
    path: '/developer-service/webhooks/test',
    summary: 'Send a test to a webhook endpoint',
    request: ['TestWebhookRequest', testWebhookRequest],
    reply: ['WebhookTestResult', testWebhookReply],
  },
];

/**
 * The interface in OpenAPI 3.1, from the schemas that check the calls. `x-not-shown` marks what the
 * specification leaves open. There the sandbox has an assumption, and a client must not rely on it.
 */
export function makeOpenapiDocument(prefixes: PathPrefixes): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payments Partner API, as this sandbox reads it',
      version: '1',
      description:
        'x-not-shown marks what the specification leaves open. What is below /_sandbox is no part of it: it controls the sandbox.',
    },
    servers: [{ url: '/' }],
    security: [{ api_key: [] }],
    paths: {
      ...Object.fromEntries(
        DESCRIBED.map((described) => [
          described.path,
          {
            ...(described.prefix && { servers: [{ url: prefixes[described.prefix] || '/' }] }),
            [described.method ?? 'post']: describeOperation(described),
          },
        ]),
      ),
      ...describeControlRoutes(CONTROL_ROUTES),
    },
    components: {
      responses: {
        Refusal: { description: 'Why, as `message`, and `errors` of fields' },
      },
      securitySchemes: { api_key: { type: 'apiKey', in: 'header', name: 'api_key' } },
      schemas: Object.fromEntries(
        DESCRIBED.flatMap(({ request, reply }) => [request, reply]).map(([name, schema]) => [
          name,
          toJsonSchema(schema),
        ]),
      ),
    },
  };
}

function describeOperation(described: DescribedOperation): JsonObject {
  const { operationId, section, summary, method, request, reply, errors, more } = described;
  return {
    operationId,
    summary,
    description: `Section ${section}.`,
    requestBody: { content: contentOf(request), required: method !== 'get' },
    responses: {
      '200': {
        description: 'Good. The status code is an assumption.',
        content: contentOf(reply),
      },
      ...errors,
    },
    ...notShown(['success status code', 'error body']),
    ...more,
  };
}

function contentOf([name]: DescribedOperation['request']): JsonObject {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } };
}

/** Leaves out what only the sandbox checks: required fields, unknown fields, limits and patterns. */
function toJsonSchema(schema: z.ZodType): JsonObject {
  const { $schema: _version, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    override({ jsonSchema }) {
      if (jsonSchema.type === 'object' && jsonSchema.properties !== undefined) {
        delete jsonSchema.required;
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
        jsonSchema['x-not-shown'] ??= 'required or optional flags';
      }
      delete jsonSchema.minimum;
      delete jsonSchema.exclusiveMinimum;
      delete jsonSchema.maximum;
      delete jsonSchema.minLength;
      delete jsonSchema.pattern;
    },
  });
  return json;
}

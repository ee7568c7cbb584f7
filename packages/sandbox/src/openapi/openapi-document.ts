import type { Operation } from '../operation.js';
import { OPENAPI_SCHEMAS } from './openapi-schemas.js';
import { reference, type JsonSchema } from './schema-parts.js';

/** Where the interfaces with a base address of their own are. */
export interface DocumentBases {
  readonly merchantsPrefix: string;
  readonly transfersPrefix: string;
}

interface DescribedOperation {
  readonly operationId: Operation;
  readonly section: string;
  readonly path: string;
  readonly method: 'get' | 'post';
  readonly summary: string;
  readonly request: string;
  readonly reply: string;
  /** Path prefix of its own base address. */
  readonly base?: keyof DocumentBases;
  readonly more?: JsonSchema;
  readonly errors?: Readonly<Record<string, JsonSchema>>;
}

const DESCRIBED: readonly DescribedOperation[] = [
  {
    operationId: 'transactions-list',
    section: '4.1',
    path: '/v1/transactions/list',
    method: 'post',
    summary: 'List transactions, newest first',
    request: 'TransactionListRequest',
    reply: 'TransactionList',
  },
  {
    operationId: 'update-schedule',
    section: '4.2',
    path: '/v1/reports/update-schedule',
    method: 'post',
    summary: 'Update a report schedule',
    request: 'UpdateScheduleRequest',
    reply: 'ReportSchedule',
  },
  {
    operationId: 'merchant-association',
    section: '4.3',
    path: '/api/v1/merchants/merchant-association',
    method: 'post',
    summary: 'Reactivate a signup link for 14 more days',
    request: 'MerchantAssociationRequest',
    reply: 'MerchantAssociation',
    base: 'merchantsPrefix',
  },
  {
    operationId: 'scheduled-transfers',
    section: '4.4',
    path: '/api/v1/schedule-transfer/{mid}',
    method: 'get',
    summary: 'Read the scheduled transfers of a merchant',
    request: 'ScheduledTransfersRequest',
    reply: 'ScheduledTransferList',
    base: 'transfersPrefix',
    more: {
      parameters: [{ name: 'mid', in: 'path', required: true, schema: { type: 'string' } }],
      security: [],
      'x-not-shown': ['authentication', 'success status code', 'error body'],
    },
  },
  {
    operationId: 'partner-analytics',
    section: '4.5',
    path: '/v1/analytics/partner_analytics',
    method: 'post',
    summary: 'Partner analytics of a timeframe',
    request: 'PartnerAnalyticsRequest',
    reply: 'PartnerAnalytics',
    errors: { '403': { description: 'The partner_name is unknown.' } },
  },
  {
    operationId: 'create-session',
    section: '4.6',
    path: '/create-session',
    method: 'post',
    summary: 'Create a checkout session',
    request: 'CreateSessionRequest',
    reply: 'CheckoutSession',
  },
  {
    operationId: 'create-webhook',
    section: '4.7',
    path: '/developer-service/webhooks/create',
    method: 'post',
    summary: 'Register a webhook endpoint',
    request: 'CreateWebhookRequest',
    reply: 'Webhook',
  },
  {
    operationId: 'test-webhook',
    section: '4.8',
    path: '/developer-service/webhooks/test',
    method: 'post',
    summary: 'Send a test to a webhook endpoint',
    request: 'TestWebhookRequest',
    reply: 'WebhookTestResult',
  },
];

/**
 * The provider's interface as OpenAPI 3.1, written by hand from the specification and not from the
 * sandbox's own checks. `x-not-shown` marks what the specification leaves open: there the sandbox
 * has an assumption, and a client must not rely on it.
 */
export function makeOpenapiDocument(bases: DocumentBases): JsonSchema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payments Partner API, as this sandbox reads it',
      version: '1',
      description: 'x-not-shown marks what the specification leaves open.',
    },
    servers: [{ url: '/' }],
    security: [{ api_key: [] }],
    paths: Object.fromEntries(
      DESCRIBED.map((described) => [
        described.path,
        {
          ...(described.base === undefined
            ? {}
            : { servers: [{ url: bases[described.base] || '/' }] }),
          [described.method]: describeOperation(described),
        },
      ]),
    ),
    components: {
      securitySchemes: { api_key: { type: 'apiKey', in: 'header', name: 'api_key' } },
      schemas: OPENAPI_SCHEMAS,
    },
  };
}

function describeOperation(described: DescribedOperation): JsonSchema {
  const { operationId, section, summary, request, reply, more, errors } = described;
  return {
    operationId,
    summary,
    description: `Section ${section}.`,
    requestBody: {
      content: { 'application/json': { schema: reference(request) } },
      required: described.method === 'post',
    },
    responses: {
      '200': {
        description: 'Good. The status code is an assumption.',
        content: { 'application/json': { schema: reference(reply) } },
      },
      ...errors,
    },
    'x-not-shown': ['success status code', 'error body'],
    ...more,
  };
}

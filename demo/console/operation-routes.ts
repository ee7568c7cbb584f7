/**
 * `/api/operations/…`: the operations of the provider that a form asks for as they are, each under its
 * name in the client. One that only reads is a GET with a query, the others a POST with JSON.
 */
import type {
  AssociateMerchantParams,
  CreateCheckoutSessionParams,
  PartnerAnalyticsParams,
  PartnerClient,
  TestWebhookParams,
  UpdateReportScheduleParams,
} from '@pay-checkout/partner-api';
import { Router } from 'express';
import { z } from 'zod';
import { describeAnswer } from './answer-view.js';
import { parseFields } from './console-error.js';
import type { AnswerView } from './console-view.js';
import { readRequest } from './operation-fields.js';
import { type CallFacts, callProvider, signalOf } from './provider-call.js';

interface CallOptions {
  readonly signal?: AbortSignal;
}

interface Operation extends CallFacts {
  /** Whether its answer is in `data` (spec 4.5, 4.8). */
  readonly isInData?: true;
  /** What is refused before the client looks at it. */
  readonly check?: z.ZodType;
  /** The client checks the request against the schema that the form was made from. */
  readonly call: (client: PartnerClient, request: never, options: CallOptions) => Promise<object>;
}

const email = z.looseObject({
  notification_email: z.email('must be an e-mail address').optional(),
});

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'checkoutSessions.create': {
    ifUnknown:
      'A session may exist whose id is lost. It cannot be paid without its id: create another ' +
      'one, with a reference of its own.',
    call: (client, request: CreateCheckoutSessionParams) => client.checkoutSessions.create(request),
  },
  'analytics.partner': {
    namedBy: 'partner_name',
    isInData: true,
    call: (client, request: PartnerAnalyticsParams, options) =>
      client.analytics.partner(request, options),
  },
  'reports.updateSchedule': {
    namedBy: 'id',
    ifUnknown: 'Send the same again: a second time changes nothing more.',
    check: email,
    call: (client, request: UpdateReportScheduleParams) => client.reports.updateSchedule(request),
  },
  'merchants.associate': {
    namedBy: 'merchantId',
    ifUnknown:
      'Ask the merchant to try the link first: whether a second time extends it again is not shown.',
    call: (client, request: AssociateMerchantParams) => client.merchants.associate(request),
  },
  'webhooks.test': {
    namedBy: 'webhookId',
    ifUnknown:
      'A test may have reached the endpoint: check there. Testing again only sends one more test.',
    isInData: true,
    call: (client, request: TestWebhookParams) => client.webhooks.test(request),
  },
};

export function operationRoutes(client: PartnerClient): Router {
  const router = Router();
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const { ifUnknown, check, isInData, call } = operation;
    const isRead = ifUnknown === undefined;
    router[isRead ? 'get' : 'post'](`/api/operations/${name}`, async (request, response) => {
      const given: unknown = isRead ? request.query : request.body;
      if (check !== undefined) parseFields(check, given);
      const params = readRequest(name, given);
      // A change is not taken back when the person stops waiting.
      const options = isRead ? { signal: signalOf(response) } : {};
      const answer = await callProvider(operation, () => call(client, params as never, options));
      const reply: AnswerView = {
        ...describeAnswer(answer, isInData),
        request: JSON.stringify(params, null, 2),
      };
      response.json(reply);
    });
  }
  return router;
}

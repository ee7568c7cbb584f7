import { Router } from 'express';
import { z } from 'zod';
import { acceptCall } from '../api/accept-call.js';
import { answerCall } from '../api/answer-call.js';
import { ApiError } from '../api/api-error.js';
import { parseBody } from '../api/json-body.js';
import type { SandboxContext } from '../context.js';
import type { PostOutcome } from '../webhooks/post-webhook.js';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoints.js';
import { isWebAddress } from './web-address.js';

const MAXIMUM_RESPONSE_CHARACTERS = 2000;

const text = z.string('expected a string');

/** Body of `POST /developer-service/webhooks/create` (spec 4.7). */
export const createWebhookBody = z.strictObject(
  {
    url: text.refine(isWebAddress, 'expected an absolute http or https URL'),
    description: text.optional(),
    events: z.array(text.min(1, 'expected a name'), 'expected an array of strings').optional(),
    hmac_key: text.min(1, 'expected a key; leave it out to have one generated').optional(),
  },
  'expected an object',
);

/** Body of `POST /developer-service/webhooks/test` (spec 4.8). */
export const testWebhookBody = z.strictObject(
  { webhookId: text, resellerId: z.int('expected an integer').optional() },
  'expected an object',
);

/** `POST /developer-service/webhooks/create` and `…/test` (spec 4.7 and 4.8). */
export function webhookRoutes(context: SandboxContext): Router {
  const { endpoints } = context;
  const router = Router({ strict: true, caseSensitive: true });
  router.post(
    '/developer-service/webhooks/create',
    ...acceptCall(context, 'create-webhook'),
    async (request, response) => {
      const body = parseBody(createWebhookBody, request.body, 'section 4.7');
      await answerCall(context, 'create-webhook', response, () => {
        const { webhookId, hmacKey } = endpoints.add(body);
        return { data: { webhook_id: webhookId, hmac_key: hmacKey } };
      });
    },
  );
  router.post(
    '/developer-service/webhooks/test',
    ...acceptCall(context, 'test-webhook'),
    async (request, response) => {
      const body = parseBody(testWebhookBody, request.body, 'section 4.8');
      const endpoint = requireEndpoint(context, body.webhookId);
      await answerCall(context, 'test-webhook', response, async () => ({
        data: describeOutcome(context, await sendTest(context, endpoint)),
      }));
    },
  );
  return router;
}

function requireEndpoint(context: SandboxContext, webhookId: string): WebhookEndpoint {
  const endpoint = context.endpoints.find(webhookId);
  if (endpoint !== undefined) return endpoint;
  throw new ApiError(404, 'There is no webhook with this webhookId.', {
    fields: [{ field: 'webhookId', message: 'expected a webhook_id that was given at creation' }],
  });
}

/** One property, `event`, whose value is `test` (spec 4.8, rule 1). */
function sendTest(context: SandboxContext, endpoint: WebhookEndpoint): Promise<PostOutcome> {
  const { url, webhookId, hmacKey } = endpoint;
  return context.webhooks.sendOnce({
    url,
    payload: { event: 'test' },
    endpointId: webhookId,
    hmacKey,
  });
}

/** A timeout and a non-2xx answer are told inside the reply (spec 4.8, rule 2). */
function describeOutcome(
  { settings }: SandboxContext,
  outcome: PostOutcome,
): { status_code: number; response: string } {
  if ('status' in outcome) {
    return {
      status_code: outcome.status,
      response: outcome.text.slice(0, MAXIMUM_RESPONSE_CHARACTERS),
    };
  }
  const response =
    outcome.error === 'timeout'
      ? `The endpoint did not answer within ${settings.webhookTimeoutSeconds} seconds.`
      : `The endpoint could not be reached (${outcome.error}).`;
  return { status_code: settings.noAnswerStatusCode, response };
}

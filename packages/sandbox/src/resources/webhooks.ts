import { Router } from 'express';
import { z } from 'zod';
import type { SandboxContext } from '../context.js';
import { answerCall } from '../faults/answer-call.js';
import { acceptCall, resellerOfCall } from '../http/accept-call.js';
import { ApiError, parseBody } from '../http/errors.js';
import { integer, notShown, requestBody, text, webAddress } from '../schemas.js';
import type { PostOutcome } from '../webhooks/post-webhook.js';

const MAX_RESPONSE_CHARACTERS = 2000;

/** Body of `POST /developer-service/webhooks/create` (spec 4.7). */
export const createWebhookRequest = requestBody({
  url: webAddress,
  description: text.optional(),
  events: z
    .array(text.min(1, 'expected a name'), 'expected an array of strings')
    .meta(notShown('names of the events'))
    .optional(),
  hmac_key: text
    .min(1, 'expected a key; leave it out to have one generated')
    .meta({ description: 'optional; generated when omitted' })
    .optional(),
});

/** The reply (spec 2.5). */
export const createWebhookReply = z.object({
  data: z.object({
    webhook_id: text,
    hmac_key: text.meta({ description: 'in full only here' }),
  }),
});

/** Body of `POST /developer-service/webhooks/test` (spec 4.8). */
export const testWebhookRequest = requestBody({ webhookId: text, resellerId: integer.optional() });

/** The reply (spec 4.8). */
export const testWebhookReply = z.object({
  data: z.object({ status_code: integer, response: text }),
});

/** `POST /developer-service/webhooks/create` and `…/test` (spec 4.7 and 4.8). */
export function webhookRoutes(context: SandboxContext): Router {
  const { endpoints, webhooks, settings } = context;
  const router = Router({ strict: true, caseSensitive: true });
  router.post(
    '/developer-service/webhooks/create',
    ...acceptCall(context, 'create-webhook'),
    async (request, response) => {
      const body = parseBody(createWebhookRequest, request.body, 'section 4.7');
      const reseller = resellerOfCall(response);
      await answerCall(context, 'create-webhook', response, () => {
        const { webhookId, hmacKey } = endpoints.add(body, settings.hmacKeyFormat, reseller);
        return { data: { webhook_id: webhookId, hmac_key: hmacKey } };
      });
    },
  );
  router.post(
    '/developer-service/webhooks/test',
    ...acceptCall(context, 'test-webhook'),
    async (request, response) => {
      const body = parseBody(testWebhookRequest, request.body, 'section 4.8');
      const endpoint = endpoints.find(body.webhookId);
      const reseller = resellerOfCall(response);
      const isOfOther = reseller !== undefined && endpoint?.resellerId !== reseller;
      if (endpoint === undefined || isOfOther) {
        const message = 'expected the webhook_id of a created webhook';
        throw new ApiError(404, 'There is no webhook with this webhookId.', {
          fields: [{ field: 'webhookId', message }],
        });
      }
      await answerCall(context, 'test-webhook', response, async () => {
        const { url, webhookId: endpointId, hmacKey } = endpoint;
        // One property, `event`, whose value is `test` (spec 4.8, rule 1).
        const payload = { event: 'test' };
        const outcome = await webhooks.sendOnce({ ...payload, url, payload, endpointId, hmacKey });
        return { data: describeOutcome(outcome, settings) };
      });
    },
  );
  return router;
}

/** A timeout or a non-2xx answer is part of a successful reply (spec 4.8, rule 2). */
function describeOutcome(
  outcome: PostOutcome,
  settings: SandboxContext['settings'],
): { status_code: number; response: string } {
  if ('status' in outcome) {
    return {
      status_code: outcome.status,
      response: outcome.text.slice(0, MAX_RESPONSE_CHARACTERS),
    };
  }
  const response =
    outcome.error === 'timeout'
      ? `The endpoint did not answer within ${settings.webhookTimeoutSeconds} seconds.`
      : `The endpoint could not be reached (${outcome.error}).`;
  return { status_code: settings.noAnswerStatusCode, response };
}

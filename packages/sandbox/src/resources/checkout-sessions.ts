import { Router } from 'express';
import { acceptCall, loggedRequestOf } from '../api/accept-call.js';
import { answerCall } from '../api/answer-call.js';
import type { SandboxContext } from '../context.js';
import { parseCreateSession } from './create-session-request.js';

/**
 * `POST /create-session` (spec 4.6). The spec shows no idempotency, so this plays the worst case:
 * the same `order_id` sent twice opens two sessions, and both can be paid.
 */
export function checkoutSessionRoutes(context: SandboxContext): Router {
  const { settings, sessions, clock } = context;
  return Router({ strict: true, caseSensitive: true }).post(
    '/create-session',
    ...acceptCall(context, 'create-session'),
    async (httpRequest, response) => {
      const entry = loggedRequestOf(response);
      const { request, merchant } = parseCreateSession(
        httpRequest.body,
        settings.merchants,
        settings,
      );
      entry.orderId = request.order_id;
      entry.merchantId = merchant.id;
      await answerCall(context, 'create-session', response, () => {
        const session = sessions.addSession(
          merchant,
          request,
          clock.now(),
          settings.sessionLifetimeSeconds,
        );
        entry.sessionId = session.id;
        return { session_id: session.id };
      });
    },
  );
}

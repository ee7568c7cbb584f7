import { Router } from 'express';
import { acceptCall, loggedRequestOf } from '../api/accept-call.js';
import type { SandboxContext } from '../context.js';
import { Faults } from '../faults.js';
import { parseCreateSession } from './create-session-request.js';

/**
 * `POST /create-session` (spec 4.6). The spec shows no idempotency, so this plays the worst case:
 * the same `order_id` sent twice opens two sessions, and both can be paid.
 */
export function checkoutSessionRoutes(context: SandboxContext): Router {
  const { settings, store, clock } = context;
  return Router().post(
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
      const fault = context.faults.take('create-session');
      Faults.failBeforeWork(fault);
      const session = store.addSession(
        merchant,
        request,
        clock.now(),
        settings.sessionLifetimeSeconds,
      );
      entry.sessionId = session.id;
      if (await context.faults.playAfterWork(fault, response, entry)) {
        response.json({ session_id: session.id });
      }
    },
  );
}

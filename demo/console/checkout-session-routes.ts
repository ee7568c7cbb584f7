/** `/api/checkout-sessions` (spec 4.6), and what the address check is sent. */
import type { CreateCheckoutSessionParams, PartnerClient } from '@pay-checkout/partner-api';
import { deriveAvs } from '@pay-checkout/session-server/avs';
import { Router } from 'express';
import { z } from 'zod';
import { parseFields } from './console-error.js';
import type { AvsView, CheckoutSessionView } from './console-view.js';
import { readRequest } from './operation-fields.js';
import { callProvider, otherFields } from './provider-call.js';

const OPERATION = 'checkoutSessions.create';

const FACTS = {
  ifUnknown:
    'A session may exist whose id is lost. It cannot be paid without its id: create another one, ' +
    'with a reference of its own.',
};

const line = z.string('give it once').optional();
const addressQuery = z.strictObject({ address1: line, address2: line, postcode: line });

/**
 * @param payPageUrl - A page that takes a payment for `{session}`. The provider's document shows none:
 *   a session is paid through its client SDK.
 */
export function checkoutSessionRoutes(client: PartnerClient, payPageUrl?: string): Router {
  const router = Router();

  router.post('/api/checkout-sessions', async (request, response) => {
    const params = readRequest(OPERATION, request.body);
    const created = await callProvider(FACTS, () =>
      // The client checks it against the same schema.
      client.checkoutSessions.create(params as unknown as CreateCheckoutSessionParams),
    );
    const { session_id: sessionId } = created;
    const payUrl = payPageUrl?.replace('{session}', encodeURIComponent(sessionId));
    const reply: CheckoutSessionView = {
      sessionId,
      request: JSON.stringify(params, null, 2),
      ...(payUrl !== undefined && { payUrl }),
      others: otherFields(created, ['session_id']),
    };
    response.status(201).json(reply);
  });

  // The session server derives these fields in the same way.
  router.get('/api/avs', (request, response) => {
    const { AvsHouseNumber, AvsPostcode, flat } = deriveAvs(
      parseFields(addressQuery, request.query),
    );
    const reply: AvsView = {
      ...(AvsHouseNumber !== undefined && { AvsHouseNumber }),
      ...(AvsPostcode !== undefined && { AvsPostcode }),
      ...(flat !== undefined && { flat }),
    };
    response.json(reply);
  });

  return router;
}

/** `POST /api/signup-links`: makes a merchant's signup link valid again (spec 4.3). */
import type { PartnerClient } from '@pay-checkout/partner-api';
import { Router } from 'express';
import { z } from 'zod';
import type { SignupLinkView } from '../../shared/console-view.js';
import { parseFields } from './console-error.js';
import { callProvider } from './provider-problem.js';
import { otherFields } from './provider-text.js';

const body = z.strictObject({ merchantId: z.string('give the identifier of a merchant') });

const FACTS = {
  namedBy: 'merchantId',
  ifUnknown:
    'Ask the merchant to try the link first: whether a second time extends it again is not shown.',
};

export function signupLinkRoutes(client: PartnerClient): Router {
  const router = Router();
  router.post('/api/signup-links', async (request, response) => {
    const { merchantId } = parseFields(body, request.body);
    const answer = await callProvider(FACTS, () =>
      client.merchants.associate({ action: 'reactivate', merchantId }),
    );
    const reply: SignupLinkView = {
      message: answer.message,
      others: otherFields(answer, ['message']),
    };
    response.json(reply);
  });
  return router;
}

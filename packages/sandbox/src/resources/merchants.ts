import { Router } from 'express';
import { z } from 'zod';
import { acceptCall, loggedRequestOf } from '../api/accept-call.js';
import { answerCall } from '../api/answer-call.js';
import { ApiError } from '../api/api-error.js';
import { parseBody } from '../api/json-body.js';
import type { SandboxContext } from '../context.js';
import type { Merchant } from '../merchant.js';

const MESSAGE = 'The signup link is reactivated and extended by 14 days.';

/** Body of `POST {merchants_base_url}/api/v1/merchants/merchant-association` (spec 4.3). */
export const merchantAssociationBody = z.strictObject(
  {
    action: z.string('expected a string'),
    merchantId: z.string('expected the merchant identifier as a string'),
  },
  'expected an object',
);

/**
 * `POST {merchants_base_url}/api/v1/merchants/merchant-association` (spec 4.3). The base address of
 * this interface ends in a path prefix of its own; without it there is nothing but a web page.
 */
export function merchantRoutes(context: SandboxContext): Router {
  return Router({ strict: true, caseSensitive: true }).post(
    `${context.settings.merchantsPrefix}/api/v1/merchants/merchant-association`,
    ...acceptCall(context, 'merchant-association'),
    async (request, response) => {
      const body = parseBody(merchantAssociationBody, request.body, 'section 4.3');
      if (body.action !== 'reactivate') {
        throw new ApiError(400, 'This sandbox knows one action.', {
          fields: [{ field: 'action', message: 'expected reactivate; no other value is shown' }],
        });
      }
      const merchant = requireMerchant(context, body.merchantId);
      loggedRequestOf(response).merchantId = merchant.id;
      await answerCall(context, 'merchant-association', response, () => {
        context.signupLinks.reactivate(merchant.id, context.clock.now());
        return { message: MESSAGE };
      });
    },
  );
}

function requireMerchant(context: SandboxContext, merchantId: string): Merchant {
  const merchant = context.settings.merchants.find(({ id }) => String(id) === merchantId);
  if (merchant !== undefined) return merchant;
  throw new ApiError(404, 'There is no merchant with this merchantId.', {
    fields: [{ field: 'merchantId', message: 'is not a known merchant' }],
  });
}

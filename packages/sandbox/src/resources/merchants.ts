import { Router } from 'express';
import { z } from 'zod';
import type { SandboxContext } from '../context.js';
import { answerCall } from '../faults/answer-call.js';
import { acceptCall, loggedRequestOf, resellerOfCall } from '../http/accept-call.js';
import { ApiError, parseBody } from '../http/errors.js';
import { notShown, requestBody, text } from '../schemas.js';
import type { Merchant } from '../accounts.js';

const MESSAGE = 'The signup link is reactivated and extended by 14 days.';

/** Body of `POST {merchants_base_url}/api/v1/merchants/merchant-association` (spec 4.3). */
export const merchantAssociationRequest = requestBody({
  action: text.meta({ examples: ['reactivate'], ...notShown('complete set of values') }),
  merchantId: z
    .string('expected the merchant identifier as a string')
    .meta({ description: 'An integer in section 4.1, a string here' }),
});

/** The reply (spec 2.6). */
export const merchantAssociation = z.object({ message: text });

/** The base address of this interface ends in a path prefix. Without it, a web page answers 404. */
export function merchantRoutes(context: SandboxContext): Router {
  return Router({ strict: true, caseSensitive: true }).post(
    `${context.settings.merchantsPrefix}/api/v1/merchants/merchant-association`,
    ...acceptCall(context, 'merchant-association'),
    async (request, response) => {
      const body = parseBody(merchantAssociationRequest, request.body, 'section 4.3');
      if (body.action !== 'reactivate') {
        throw new ApiError(400, 'This sandbox knows one action.', {
          fields: [{ field: 'action', message: 'expected reactivate; no other value is shown' }],
        });
      }
      const reseller = resellerOfCall(response);
      const merchant = requireMerchant(context, body.merchantId, 'merchantId', reseller);
      loggedRequestOf(response).merchantId = merchant.id;
      await answerCall(context, 'merchant-association', response, () => {
        context.signupLinks.reactivate(merchant.id, context.clock.now());
        return { message: MESSAGE };
      });
    },
  );
}

/**
 * Finds the merchant that a field of a call names.
 *
 * @param resellerId whose merchants the caller knows; undefined: all
 */
export function requireMerchant(
  { accounts }: SandboxContext,
  id: number | string,
  field: string,
  resellerId?: number,
): Merchant {
  const merchant = accounts.findMerchant(Number(id));
  const isKnown = resellerId === undefined || accounts.resellerOf(Number(id)) === resellerId;
  if (isKnown && merchant !== undefined && String(merchant.id) === String(id)) return merchant;
  throw new ApiError(404, `The sandbox has no merchant with this ${field}.`, {
    fields: [{ field, message: 'is not a known merchant' }],
  });
}

import { Router } from 'express';
import { z } from 'zod';
import type { SandboxContext } from '../context.js';
import { answerCall } from '../faults/answer-call.js';
import { acceptCall, loggedRequestOf, resellerOfCall } from '../http/accept-call.js';
import { parseBody } from '../http/errors.js';
import { notShown, requestBody, text } from '../schemas.js';
import { requireMerchant } from './merchants.js';
import { scheduledTransfer, transferChange } from './transfer-book.js';

/** The body that the spec shows on the read (spec 4.4). */
export const scheduledTransfersRequest = requestBody({
  request_id: text.optional(),
  data: z.array(transferChange, 'expected an array of objects').optional(),
}).meta(notShown(['required or optional flags', 'what the body does']));

/** The reply (spec 2.3). */
export const scheduledTransferList = z.array(scheduledTransfer);

/**
 * `GET {transfers_base_url}/api/v1/schedule-transfer/<mid>` (spec 4.4), with or without a body. What
 * the body does is not shown: here it changes the transfers that it names, which is the worst case for
 * a client that repeats the call.
 */
export function scheduledTransferRoutes(context: SandboxContext): Router {
  const { settings, transfers } = context;
  return Router({ strict: true, caseSensitive: true }).get(
    `${settings.transfersPrefix}/api/v1/schedule-transfer/:mid`,
    ...acceptCall(context, 'scheduled-transfers', {
      isKeyRequired: () => settings.transfersKey === 'required',
      body: 'optional',
    }),
    async (request, response) => {
      // Without a body, `request.body` is undefined.
      const body = parseBody(scheduledTransfersRequest, request.body ?? {}, 'section 4.4');
      const mid = String(request.params['mid']);
      const merchant = requireMerchant(context, mid, 'mid', resellerOfCall(response));
      loggedRequestOf(response).merchantId = merchant.id;
      await answerCall(context, 'scheduled-transfers', response, () => {
        transfers.store(merchant, body.data ?? []);
        return transfers.of(merchant.id);
      });
    },
  );
}

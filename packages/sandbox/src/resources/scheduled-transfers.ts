import { Router } from 'express';
import { z } from 'zod';
import { acceptCall, loggedRequestOf } from '../api/accept-call.js';
import { answerCall } from '../api/answer-call.js';
import { ApiError } from '../api/api-error.js';
import { parseBody } from '../api/json-body.js';
import type { SandboxContext } from '../context.js';
import type { Merchant } from '../merchant.js';

const text = z.string('expected a string');
const CRON = /^\S+(\s+\S+){4,5}$/;

const item = z.strictObject(
  {
    schedule_transfer_id: text.optional(),
    currency: text.regex(/^[A-Z]{3}$/, 'expected three capital letters').optional(),
    schedule: text.regex(CRON, 'expected a cron expression of five or six fields').optional(),
    description: text.optional(),
    // Spelled so in section 4.4.
    refrence: text.optional(),
  },
  'expected an object',
);

/** The body that is shown on the read (spec 4.4). */
export const scheduledTransfersBody = z.strictObject(
  { request_id: text.optional(), data: z.array(item, 'expected an array of objects').optional() },
  'expected an object',
);

/**
 * `GET {transfers_base_url}/api/v1/schedule-transfer/<mid>` (spec 4.4), with or without a body. What
 * the body does is not shown: by default it changes the transfers that it names, which is the worst
 * case for whoever repeats the call.
 */
export function scheduledTransferRoutes(context: SandboxContext): Router {
  const { settings, transfers } = context;
  return Router({ strict: true, caseSensitive: true }).get(
    `${settings.transfersPrefix}/api/v1/schedule-transfer/:mid`,
    ...acceptCall(context, 'scheduled-transfers', { key: settings.transfersKey, body: 'optional' }),
    async (request, response) => {
      // Without a body there is nothing to parse, and `body` is undefined.
      const body = parseBody(scheduledTransfersBody, request.body ?? {}, 'section 4.4');
      const merchant = requireMerchant(context, String(request.params['mid']));
      loggedRequestOf(response).merchantId = merchant.id;
      await answerCall(context, 'scheduled-transfers', response, () => {
        if (settings.transfersBody === 'store') transfers.store(merchant, body.data ?? []);
        return (transfers.of(merchant.id) ?? []).map((transfer) => ({ ...transfer }));
      });
    },
  );
}

function requireMerchant(context: SandboxContext, mid: string): Merchant {
  const merchant = context.settings.merchants.find(({ id }) => String(id) === mid);
  if (merchant !== undefined) return merchant;
  throw new ApiError(404, 'There is no merchant with this identifier.', {
    fields: [{ field: 'mid', message: 'is not a known merchant' }],
  });
}

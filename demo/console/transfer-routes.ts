/** `/api/transfers`: the scheduled transfers of a merchant (spec 4.4), each with its schedule in words. */
import type {
  PartnerClient,
  ScheduledTransfer,
  ScheduledTransfersBody,
} from '@pay-checkout/partner-api';
import { describeSchedule } from '@pay-checkout/partner-api/schedule-words';
import { Router } from 'express';
import { z } from 'zod';
import { parseFields } from './console-error.js';
import type { TransfersView } from './console-view.js';
import { zone } from './form-help-routes.js';
import { readRequest } from './operation-fields.js';
import { callProvider, signalOf, toFields } from './provider-call.js';

const merchant = z.string('give the identifier of a merchant');
const transfersQuery = z.strictObject({ mid: merchant, timezone: zone });
/** The rest is the body of the provider's request. */
const transfersBody = z.looseObject({ mid: merchant, timezone: zone });

const BODY_FACTS = {
  namedBy: 'mid',
  ifUnknown: 'What a body does on this request is not shown: ask the provider before another try.',
};

export function transferRoutes(client: PartnerClient): Router {
  const router = Router();

  router.get('/api/transfers', async (request, response) => {
    const { mid, timezone } = parseFields(transfersQuery, request.query);
    const signal = signalOf(response);
    const transfers = await callProvider({ namedBy: 'mid' }, () =>
      client.scheduledTransfers.list(mid, undefined, { signal }),
    );
    response.json(describeTransfers(transfers, timezone));
  });

  // The body that the spec shows on this read is sent only on demand, and once: what it does is not shown.
  router.post('/api/transfers', async (request, response) => {
    const { mid, timezone, ...given } = parseFields(transfersBody, request.body);
    const body = readRequest('scheduledTransfers.list', given) as ScheduledTransfersBody;
    const transfers = await callProvider(BODY_FACTS, () =>
      client.scheduledTransfers.list(mid, body),
    );
    response.json(describeTransfers(transfers, timezone));
  });

  return router;
}

/** A schedule that is a cron expression is put into words, in the zone that the person chose. */
function describeTransfers(
  transfers: readonly ScheduledTransfer[],
  timezone: string,
): TransfersView {
  return {
    transfers: transfers.map((transfer) => {
      const fields = toFields(transfer);
      return { fields, ...describeSchedule(fields['schedule'] ?? '', timezone) };
    }),
  };
}

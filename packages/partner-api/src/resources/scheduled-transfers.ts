import * as z from 'zod';
import { InvalidRequestError } from '../errors.js';
import { type Call, type Caller, startCall } from '../http/request.js';
import type { CallOptions, Operation } from '../http/operation.js';
import {
  checkRequest,
  FIELDS_NOT_SHOWN,
  filledText,
  must,
  notShown,
  requestObject,
  text,
} from '../schemas.js';

const Entry = requestObject({
  schedule_transfer_id: text.optional(),
  currency: text.optional(),
  schedule: text.optional().meta({ description: 'A cron expression.' }),
  description: text.optional(),
  refrence: text.optional().meta({ description: 'Spelled so.' }),
});

/** One object of `data` in the body of spec 4.4. */
export type ScheduledTransferEntry = z.infer<typeof Entry>;

const Request = requestObject({
  request_id: filledText.optional(),
  data: z.array(Entry, must('must be a list (an array)')).readonly().optional(),
}).meta(notShown('What a body does on this request.'));

/** The body that spec 4.4 shows on this GET. What it does is not shown. */
export type ScheduledTransfersBody = z.infer<typeof Request>;

export const ScheduledTransfer = z
  .object({
    id: z.string(),
    merchantAccount: z.string(),
    currency: z.string(),
    schedule: z.string(),
    status: z.string().meta(notShown('Its values.')),
  })
  .partial()
  .meta({ id: 'ScheduledTransfer', description: 'Section 2.3.', ...FIELDS_NOT_SHOWN });

/**
 * A scheduled transfer as the provider sends it (spec 2.3). In requests `schedule` is a cron
 * expression; whether it is one here is not shown.
 */
export type ScheduledTransfer = z.infer<typeof ScheduledTransfer>;

const Reply = z.array(ScheduledTransfer);

export const LIST_SCHEDULED_TRANSFERS: Operation<typeof Reply> = {
  name: 'scheduledTransfers.list',
  summary: 'Read the scheduled transfers of a merchant account. A GET that can carry a body.',
  section: '4.4',
  method: 'GET',
  base: 'transfers',
  path: ['api', 'v1', 'schedule-transfer', '{mid}'],
  key: 'transfersApiKey',
  effect: 'read',
  request: Request,
  reply: Reply,
  notShown: ['How the request is authenticated.', 'The base address of production.'],
  needs: ['[]'],
};

const { name: OPERATION, path: PATH } = LIST_SCHEDULED_TRANSFERS;

const WITH_BODY = {
  effect: 'once',
  advice: {
    unknown: 'What its body does is not shown, so the request is not repeated.',
    refused: 'Gateways and proxies may refuse a GET with a body: ask what stands in between.',
  },
} as const;

/** The scheduled transfers of a merchant account (spec 4.4), under an address of their own. */
export class ScheduledTransfers {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Reads the scheduled transfers of a merchant. The API key is not sent (spec 5); set
   * `transfersApiKey` if yours needs one. With a body it is sent once and never repeated, because
   * what the body does is not shown; a body needs Node, `fetch` cannot send it.
   */
  list(
    mid: string | number,
    body?: ScheduledTransfersBody,
    options?: CallOptions,
  ): Call<ScheduledTransfer[]> {
    return startCall(async (note) => {
      const inPath = readMid(mid);
      const path = PATH.map((segment) => (segment === '{mid}' ? inPath : segment));
      if (body !== undefined) checkRequest(OPERATION, Request, body);
      const hasBody = body !== undefined || options?.extraFields !== undefined;
      const operation = { ...LIST_SCHEDULED_TRANSFERS, path, ...(hasBody ? WITH_BODY : {}) };
      return this.#caller.call(operation, { fields: body, inPath }, options, note);
    });
  }
}

function readMid(mid: string | number): string {
  const segment = Number.isSafeInteger(mid) ? String(mid) : mid;
  if (typeof segment === 'string' && !['', '.', '..'].includes(segment)) return segment;
  throw new InvalidRequestError('mid', 'must be the identifier of a merchant', OPERATION);
}

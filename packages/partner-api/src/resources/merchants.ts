import * as z from 'zod';
import { type Call, type Caller, startCall } from '../http/request.js';
import type { CallOptions, Operation } from '../http/operation.js';
import {
  checkRequest,
  FIELDS_NOT_SHOWN,
  filledText,
  must,
  notShown,
  requestObject,
} from '../schemas.js';

const Request = requestObject({
  action: filledText.meta({ examples: ['reactivate'], ...notShown('Other values.') }),
  merchantId: filledText,
}).meta(FIELDS_NOT_SHOWN);

/** Request of spec 4.3. `reactivate` is the action shown. */
export interface AssociateMerchantParams extends Omit<z.infer<typeof Request>, 'merchantId'> {
  /** A text here, a number in transactions (spec 2.1): either is taken. */
  merchantId: string | number;
}

export const Reply = z.object({ message: z.string().min(1) });

/** Answer of spec 4.3: the provider's own sentence, to be shown as it is; no date is given. */
export type MerchantAssociation = z.infer<typeof Reply>;

export const ASSOCIATE_MERCHANT: Operation<typeof Reply> = {
  name: 'merchants.associate',
  summary: "Reactivate a merchant's signup link, which is extended by 14 days.",
  section: '4.3',
  method: 'POST',
  base: 'merchants',
  path: ['api', 'v1', 'merchants', 'merchant-association'],
  key: 'apiKey',
  // Arriving twice might extend the link twice.
  effect: 'create',
  request: Request,
  reply: Reply,
  needs: ['message'],
  advice: {
    unknown:
      'It may have been carried out. Whether a second time extends the link again is not shown: ' +
      'ask the merchant to try the link first.',
  },
};

const MerchantId = Request.extend({
  merchantId: z.union([filledText, z.int()], must('must be a text or a whole number')),
});

/** Merchants and their signup links (spec 4.3), under an address of their own. */
export class Merchants {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Changes a merchant's signup link; `reactivate` makes it valid again, extended by 14 days. It is
   * repeated only when nothing was sent.
   */
  associate(params: AssociateMerchantParams, options?: CallOptions): Call<MerchantAssociation> {
    return startCall(async (note) => {
      checkRequest(ASSOCIATE_MERCHANT.name, MerchantId, params);
      const fields = { ...params, merchantId: String(params.merchantId) };
      return this.#caller.call(ASSOCIATE_MERCHANT, { fields }, options, note);
    });
  }
}

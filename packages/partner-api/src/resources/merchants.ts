import { checkMerchantAssociation } from '../generated/reply-checks.js';
import type { Caller } from '../http/caller.js';
import { checkFields, isFilledText, type FieldChecks } from '../http/check-fields.js';
import { OPERATIONS } from '../http/operation-facts.js';
import { expectObject, expectText, type CallOptions, type Operation } from '../http/operation.js';

/** Request of spec 4.3. */
export interface AssociateMerchantParams {
  /** `reactivate` is the value shown; others pass. */
  action: 'reactivate' | (string & {});
  /** A text here, a number in transactions (spec 2.1): either is taken. */
  merchantId: string | number;
}

/** Answer of spec 4.3. Fields that the spec does not list are kept. */
export interface MerchantAssociation {
  /** The provider's own sentence, to be shown as it is. It is the only news: no date is given. */
  message: string;
  [field: string]: unknown;
}

const CHECKS: FieldChecks<AssociateMerchantParams> = {
  action: isFilledText,
  merchantId: isMerchantId,
};

const ASSOCIATE: Operation<MerchantAssociation> = {
  ...OPERATIONS.associateMerchant,
  readReply: readAssociation,
  checkReply: checkMerchantAssociation,
  advice: {
    unknown:
      'It may have been carried out. Whether a second time extends the link again is not shown: ' +
      'ask the merchant to try the link first.',
  },
};

/** Merchants and their signup links (spec 4.3), under an address of their own. */
export class Merchants {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Acts on a merchant's signup link; `reactivate` makes it valid again, extended by 14 days. It is
   * repeated only when nothing was sent.
   */
  async associate(
    params: AssociateMerchantParams,
    options?: CallOptions,
  ): Promise<MerchantAssociation> {
    const fields = checkFields(ASSOCIATE.name, params, CHECKS, ['action', 'merchantId']);
    fields['merchantId'] = String(params.merchantId);
    return this.#caller.call(ASSOCIATE, { fields }, options);
  }
}

function readAssociation(body: unknown): MerchantAssociation {
  const reply = expectObject(body, 'body');
  expectText(reply['message'], 'message');
  return reply as MerchantAssociation;
}

function isMerchantId(value: unknown): string | undefined {
  if (typeof value === 'string' && value !== '') return undefined;
  return Number.isSafeInteger(value) ? undefined : 'must be a text or a whole number';
}

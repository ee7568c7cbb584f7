import type { CreateCheckoutSessionParams } from '@pay-checkout/partner-api';
import type { Merchant } from '../merchants/merchant.js';
import { formatMinor } from '../money.js';
import type { ShopOrder } from '../orders/order-lookup.js';
import type { AvsFields } from './avs.js';
import type { Checkout } from './state-machine.js';
import type { AttemptTokens } from './attempt-ids.js';
import type { Attempt } from './attempt-repository.js';
import type { SplitShare } from './split-fee.js';

/** Where browsers and the provider's servers reach us. */
export interface PublicAddresses {
  /** Origin that browsers use. */
  readonly publicUrl: string;
  /** Origin that the provider's servers use. */
  readonly webhookBaseUrl: string;
}

export interface SessionInput {
  readonly merchant: Merchant;
  readonly checkout: Checkout;
  readonly attempt: Attempt;
  readonly tokens: AttemptTokens;
  readonly order: ShopOrder;
  readonly avs: AvsFields;
  readonly split: readonly SplitShare[];
  readonly addresses: PublicAddresses;
}

/** Each field of the provider's schema, so that none can be forgotten. Undefined is not sent. */
export type SessionFields = {
  readonly [Field in keyof Required<CreateCheckoutSessionParams>]:
    | CreateCheckoutSessionParams[Field]
    | undefined;
} & Pick<CreateCheckoutSessionParams, 'merchant_id' | 'order_id'>;

/**
 * The fields of `POST /create-session` (spec 4.6), described in `docs/create-session-fields.md`. What
 * is not known is undefined; nothing is sent empty.
 */
export function toSessionFields(input: SessionInput): SessionFields {
  const { merchant, checkout, attempt, tokens, order, avs, split, addresses } = input;
  const { customer = {} } = order;
  const returnUrl = (token: string): string => `${addresses.publicUrl}/v1/return/${token}`;
  return {
    host: addresses.publicUrl,
    merchant_id: merchant.providerMerchantId,
    order_id: attempt.orderId,
    customer_id: filled(customer.id),
    provider: filled(merchant.provider),
    email: filled(customer.email),
    phoneNumber: filled(customer.phone),
    name: filled(customer.name ?? joinNames(customer.firstName, customer.lastName)),
    Amount: formatMinor(checkout.amountMinor, checkout.decimals),
    MerchantReference: attempt.merchantReference,
    RedirectUrl: returnUrl(tokens.return),
    CancelUrl: returnUrl(tokens.cancel),
    backurl: returnUrl(tokens.back),
    WebhookUrl: `${addresses.webhookBaseUrl}/v1/webhooks/${tokens.webhook}`,
    firstname: filled(customer.firstName),
    lastname: filled(customer.lastName),
    AvsHouseNumber: avs.AvsHouseNumber,
    AvsPostcode: avs.AvsPostcode,
    flat: avs.flat,
    address1: avs.address1,
    address2: avs.address2,
    SplitFee:
      split.length === 0
        ? undefined
        : split.map((share) => ({
            partner_merchant_id: share.partnerMerchantId,
            type_id: share.typeId,
            // The spec types `value` as a number: the shortest decimal of a double, exact up to 15 digits.
            value: Number(share.percent ?? formatMinor(share.minor, checkout.decimals)),
            value_type: share.percent === undefined ? 'amount' : 'percent',
          })),
  };
}

function joinNames(first: string | undefined, last: string | undefined): string | undefined {
  return [first, last].filter((part) => part !== undefined && part.trim() !== '').join(' ');
}

/** Undefined when there is nothing in it but spaces. */
function filled(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

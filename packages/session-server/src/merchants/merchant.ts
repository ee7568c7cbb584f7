import { z } from 'zod';
import type { AvsField, SdkDescription } from '../contract.js';
import { PERCENT_DECIMALS, type SplitRule } from '../checkouts/split-fee.js';
import { parseMinor } from '../checkouts/money.js';
import {
  type WebhookSettings,
  webhookSettingsSchema,
  type WebhookEndpoint,
  webhookEndpointSchema,
} from './webhook-settings.js';

/** A signed address of the shop's own back end. */
export interface ShopEndpoint {
  readonly url: string;
  /** Whether the address may be private or loopback: for a shop on the same machine or network. */
  readonly allowPrivateAddress?: boolean | undefined;
}

/** What makes a row of the provider's list count as evidence (spec 2.1; see docs/assumptions.md). */
export interface EvidenceSettings {
  /** Fields of which one must equal the attempt's `order_id` or `MerchantReference`. */
  readonly matchFields: readonly string[];
  readonly paidStatuses: readonly string[];
  readonly refundedStatuses: readonly string[];
  /** How much earlier than the attempt a transaction may claim to be, for clocks that differ. */
  readonly skewSeconds: number;
  /** `excluded`: `amount` is the order's amount. `included`: `amount` less `service_fee` is. */
  readonly serviceFee: 'excluded' | 'included';
  /**
   * Whether the row of a payment that comes after a row of its refund belongs to it. If not, it is a
   * second payment.
   */
  readonly joinsRefundRow: boolean;
}

/** One merchant of the platform: an entry of the merchants file. */
export interface Merchant {
  readonly id: string;
  readonly name: string;
  /** `merchant_id` of spec 4.6. */
  readonly providerMerchantId: number;
  /** ISO 4217 code; an order priced in another currency is refused. */
  readonly currency: string;
  readonly decimals: number;
  /** Exact origins of the pages that may open checkouts. */
  readonly origins: readonly string[];
  /** Template with `{order}`, `{checkout}` and `{kind}`. */
  readonly returnUrl: string;
  readonly orderLookup: ShopEndpoint;
  readonly events: ShopEndpoint;
  readonly split: readonly SplitRule[];
  readonly sdk: SdkDescription;
  /** `provider` of spec 4.6: a short code, sent only when set. */
  readonly provider?: string | undefined;
  /** `token`: an order token is required. `order`: the order's name is enough. */
  readonly openBy: 'token' | 'order';
  /** Whether a checkout opens without house number and postcode. */
  readonly avs: 'optional' | 'required';
  /** What a shopper is asked for when it does not, in this order. */
  readonly avsFields: readonly AvsField[];
  readonly evidence: EvidenceSettings;
  /** For what comes to the `WebhookUrl` of an attempt (spec 4.6). */
  readonly webhooks: WebhookSettings;
  /** Endpoints that were registered at the provider (spec 4.7). */
  readonly webhookEndpoints: readonly WebhookEndpoint[];
  /** `sha256:<hex>` of each key of the merchant's own back end. */
  readonly apiKeyHash: readonly string[];
  readonly orderTokenSecret: readonly string[];
  /** Standard Webhooks secrets; each one signs. */
  readonly signingSecret: readonly string[];
}

/**
 * The merchants that registered a webhook endpoint, each with its own settings for it.
 *
 * @param tokenHash of the token in the endpoint's address, as tokens are stored
 */
export function findWebhookEndpoints(
  merchants: readonly Merchant[],
  tokenHash: string,
): { readonly merchant: Merchant; readonly settings: WebhookEndpoint }[] {
  const written = `sha256:${Buffer.from(tokenHash, 'base64url').toString('hex')}`;
  return merchants.flatMap((merchant) =>
    merchant.webhookEndpoints
      .filter((endpoint) => endpoint.tokenHash === written)
      .map((settings) => ({ merchant, settings })),
  );
}

const AVS_FIELDS = ['houseNumber', 'postcode', 'flat', 'address1', 'address2'] as const;
const avsFields = z
  .array(z.enum(AVS_FIELDS))
  .refine(
    (fields) => fields.includes('houseNumber') && fields.includes('postcode'),
    'expected "houseNumber" and "postcode" among them',
  )
  .refine((fields) => new Set(fields).size === fields.length, 'expected each field once')
  .default(['houseNumber', 'postcode']);

const MERCHANT_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const HTTP_URL = z.url({
  protocol: /^https?$/,
  error: 'expected an absolute http or https address',
  abort: true,
});

const origin = HTTP_URL.refine((text) => new URL(text).origin === text, {
  error: 'expected an origin alone, such as "https://shop.example", with no path or final slash',
  abort: true,
});

const shopEndpoint = z.strictObject({
  url: HTTP_URL,
  allowPrivateAddress: z.boolean().optional(),
});

const positiveInteger = z.int().positive();

const percent = z.string().refine(
  (text) => {
    const units = parseMinor(text, PERCENT_DECIMALS);
    return units !== undefined && units <= 100 * 10 ** PERCENT_DECIMALS;
  },
  { error: 'expected decimal text from "0" to "100" with at most 4 decimal places' },
);

const split = z.union(
  [
    z.strictObject({ partnerMerchantId: positiveInteger, typeId: z.int(), percent }),
    z.strictObject({ partnerMerchantId: positiveInteger, typeId: z.int(), fixed: z.string() }),
  ],
  {
    error:
      'expected partnerMerchantId, typeId, and either percent or fixed as decimal text, such as "2.5"',
  },
);

const hint = z.enum(['shown', 'submitted', 'declined', 'cancelled', 'refused', 'error']);

/** How the provider's SDK is described, in the merchants file and to `csp()`. */
export const sdkSchema = z.strictObject({
  url: HTTP_URL,
  integrity: z
    .string()
    .regex(/^sha(256|384|512)-[A-Za-z0-9+/]+=*$/, 'expected "sha384-" and the base64 hash')
    .optional(),
  global: z
    .string()
    .regex(
      /^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/,
      'expected a dotted name, such as "Pay.Checkout"',
    ),
  construct: z.boolean().optional(),
  argument: z.enum(['object', 'string']),
  container: z.enum(['selector', 'element']).optional(),
  navigates: z.boolean().optional(),
  callbacks: z.record(z.string(), hint).optional(),
  origins: z.strictObject({
    script: z.array(origin),
    frame: z.array(origin),
    connect: z.array(origin),
  }),
});

const evidence = z
  .strictObject({
    matchFields: z
      .array(z.string().min(1))
      .min(1)
      .default(['orderRef', 'resellerOrderId', 'internalReference']),
    paidStatuses: z.array(z.string().min(1)).min(1).default(['SUCCESS']),
    refundedStatuses: z.array(z.string().min(1)).default(['REFUNDED']),
    skewSeconds: z.int().nonnegative().default(300),
    serviceFee: z.enum(['excluded', 'included']).default('excluded'),
    joinsRefundRow: z.boolean().default(true),
  })
  .prefault({});

const apiKeyHash = z
  .string()
  .regex(
    /^sha256:[0-9a-f]{64}$/,
    'expected "sha256:" and 64 hexadecimal digits of the hash of a key',
  );

const orderTokenSecret = z.string().min(32, 'expected at least 32 characters of random text');

const signingSecret = z.string().refine(
  // The alphabet is checked here, since `Buffer` also reads URL-safe base64 and the signer does not.
  (text) =>
    /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) && Buffer.from(text.slice(6), 'base64').length >= 24,
  { error: 'expected "whsec_" and the base64 of at least 24 random bytes' },
);

const origins = z
  .array(origin)
  .min(1, 'expected at least one origin of a page that shows the checkout');
const decimals = z.int().min(0).max(4).default(2);

/** One entry of the merchants file, checked as far as it can be by itself. */
export const merchantSchema = z
  .strictObject({
    id: z
      .string()
      .regex(
        MERCHANT_ID,
        'expected up to 64 letters, digits, "-" and "_", starting with a letter or digit',
      ),
    name: z.string().min(1).max(100),
    providerMerchantId: positiveInteger,
    currency: z.string().regex(/^[A-Z]{3}$/, 'expected three capital letters, such as "GBP"'),
    decimals,
    origins,
    returnUrl: HTTP_URL,
    orderLookup: shopEndpoint,
    events: shopEndpoint,
    split: z.array(split).default([]),
    sdk: sdkSchema,
    provider: z.string().min(1).optional(),
    openBy: z.enum(['token', 'order']).default('token'),
    avs: z.enum(['optional', 'required']).default('optional'),
    avsFields,
    evidence,
    webhooks: webhookSettingsSchema,
    webhookEndpoints: z.array(webhookEndpointSchema).default([]),
    apiKeyHash: z.array(apiKeyHash).min(1),
    orderTokenSecret: z.array(orderTokenSecret).min(1),
    signingSecret: z.array(signingSecret).min(1),
  })
  .superRefine(
    ({ origins, returnUrl }, context) => {
      const complain = (message: string): void => {
        context.addIssue({ code: 'custom', path: ['returnUrl'], message });
      };
      if (!origins.includes(new URL(returnUrl).origin)) {
        complain('expected an address on one of this merchant’s origins');
      }
      if (!returnUrl.includes('{checkout}')) {
        complain('expected the placeholder {checkout}, so that the page can ask for the outcome');
      }
    },
    { when: ifGood(z.object({ origins, returnUrl: HTTP_URL })) },
  )
  .superRefine(
    ({ split, decimals }, context) => {
      split.forEach((rule, index) => {
        if (!('fixed' in rule) || parseMinor(rule.fixed, decimals) !== undefined) return;
        context.addIssue({
          code: 'custom',
          path: ['split', index, 'fixed'],
          message: `expected decimal text with at most ${String(decimals)} decimal places, such as "0.30"`,
        });
      });
    },
    { when: ifGood(z.object({ split: z.array(split), decimals })) },
  )
  .superRefine(
    ({ split }, context) => {
      const whole = 100 * 10 ** PERCENT_DECIMALS;
      const units = split.map((rule) =>
        'percent' in rule ? (parseMinor(rule.percent, PERCENT_DECIMALS) ?? 0) : 0,
      );
      if (units.reduce((sum, share) => sum + share, 0) <= whole) return;
      const message = 'expected percentages that come to at most 100 together';
      context.addIssue({ code: 'custom', path: ['split'], message });
    },
    { when: ifGood(z.object({ split: z.array(split) })) },
  );

/** Runs a check of fields together when they are good by themselves, whatever else is wrong. */
function ifGood(part: z.ZodType): (payload: { readonly value: unknown }) => boolean {
  return ({ value }) => part.safeParse(value).success;
}

/** The merchants file as a whole. */
export const merchantsFileSchema = z
  .strictObject({ merchants: z.array(merchantSchema).min(1, 'expected at least one merchant') })
  .superRefine(
    ({ merchants }, context) => {
      const complainOfDoubles = (
        values: readonly { readonly value: string; readonly path: (string | number)[] }[],
        message: string,
      ): void => {
        const seen = new Set<string>();
        for (const { value, path } of values) {
          if (seen.has(value)) {
            context.addIssue({ code: 'custom', path: ['merchants', ...path], message });
          }
          seen.add(value);
        }
      };
      complainOfDoubles(
        merchants.map(({ id }, at) => ({ value: id, path: [at, 'id'] })),
        'expected an id of its own; a merchant above has the same',
      );
      complainOfDoubles(
        merchants.flatMap(({ apiKeyHash: hashes }, at) =>
          hashes.map((value, index) => ({ value, path: [at, 'apiKeyHash', index] })),
        ),
        'expected a key of its own; it selects the merchant, and another entry has the same',
      );
    },
    {
      when: ifGood(
        z.object({
          merchants: z.array(z.object({ id: z.string(), apiKeyHash: z.array(z.string()) })),
        }),
      ),
    },
  );

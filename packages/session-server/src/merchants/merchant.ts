import { CHECKOUT_SESSION_FIELDS } from '@pay-checkout/partner-api';
import { z } from 'zod';
import { httpUrl, origin, providerKey, providerUrl, sdkDescription } from '../contract-schemas.js';
import { findSplitMistakes, splitRules, splitValueType } from '../split-rule.js';
import { brandSettings } from './brand.js';
import { ISO_4217_DATE, ISO_DECIMALS } from './currencies.js';
import type { Logo } from './logo.js';
import {
  toSecret,
  type WebhookEndpoint,
  webhookEndpoint,
  webhookSettings,
} from './webhook-settings.js';

const positiveInteger = z.int().positive();

/** The provider account of `PAY_PARTNER_API_URL` and `PAY_PARTNER_API_KEY`. */
export const DEFAULT_ACCOUNT = 'default';

const ACCOUNT_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** `account`: one list shows the transactions of all its merchants. `merchant`: each has its own. */
const transactionList = z.enum(['account', 'merchant']).optional();

const providerAccount = z.strictObject({
  apiUrl: providerUrl,
  /** Sent as the header `api_key` (spec 5), to that address alone. */
  apiKey: providerKey.transform(toSecret),
  transactionList,
});

const defaultAccount = z.strictObject({
  apiUrl: z.never('is set by PAY_PARTNER_API_URL; leave it out').optional(),
  apiKey: z.never('is set by PAY_PARTNER_API_KEY; leave it out').optional(),
  transactionList,
});

/** An account at the provider: where its calls go, and the key that they carry. */
export type ProviderAccount = Readonly<z.infer<typeof providerAccount>>;

/** What the merchants file says of an account; of the default one, without address and key. */
export type AccountSettings = ProviderAccount | Readonly<z.infer<typeof defaultAccount>>;

const shopEndpoint = z.strictObject({
  url: httpUrl,
  /** Whether the address may be private or loopback: for a shop on the same machine or network. */
  allowPrivateAddress: z.boolean().optional(),
});

/** A signed address of the shop's own back end. */
export type ShopEndpoint = z.infer<typeof shopEndpoint>;

const avsFields = z
  .array(z.enum(['houseNumber', 'postcode', 'flat', 'address1', 'address2']))
  .refine(
    (fields) => fields.includes('houseNumber') && fields.includes('postcode'),
    'expected "houseNumber" and "postcode" among them',
  )
  .refine((fields) => new Set(fields).size === fields.length, 'expected each field once')
  .default(['houseNumber', 'postcode']);

const extraFields = z
  .record(z.string().min(1), z.union([z.string(), z.number(), z.boolean()]))
  .superRefine((fields, context) => {
    for (const name of Object.keys(fields)) {
      if (!CHECKOUT_SESSION_FIELDS.includes(name)) continue;
      const message = 'expected a field that the server does not send itself';
      context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .default({});

const evidence = z
  .strictObject({
    /** Fields of which one must equal the attempt's `order_id` or `MerchantReference`. */
    matchFields: z
      .array(z.string().min(1))
      .min(1)
      .default(['orderRef', 'resellerOrderId', 'internalReference']),
    paidStatuses: z.array(z.string().min(1)).min(1).default(['SUCCESS']),
    refundedStatuses: z.array(z.string().min(1)).default(['REFUNDED']),
    /** Statuses that mean that the payment failed; the interface shows none (spec 3). */
    failedStatuses: z.array(z.string().min(1)).default([]),
    /** How much earlier than the attempt a transaction may claim to be, for clocks that differ. */
    skewSeconds: z.int().nonnegative().default(300),
    /** `excluded`: `amount` is the order's amount. `included`: `amount` less `service_fee` is. */
    serviceFee: z.enum(['excluded', 'included']).default('excluded'),
    /** The field that carries the scheme of the card; none is shown. */
    schemeField: z.string().default(''),
    /** A row of a refund carries the value of this field that the row of its payment carries. */
    refundMatchField: z.string().min(1).default('pspReference'),
    /**
     * Whether the row of a refund that shares neither id nor `refundMatchField` with a payment may be of
     * a payment in the same session. If not, it is a payment of its own, refunded.
     */
    joinsRefundRow: z.boolean().default(true),
  })
  .prefault({});

/** What makes a row of the provider's list count as evidence (spec 2.1; see docs/assumptions.md). */
export type EvidenceSettings = z.infer<typeof evidence>;

const apiKeyHash = z
  .string()
  .regex(
    /^sha256:[0-9a-f]{64}$/,
    'expected "sha256:" and 64 hexadecimal digits of the hash of a key',
  );

const signingSecret = z
  .string()
  .refine(
    // The alphabet is checked here, since `Buffer` also reads URL-safe base64 and the signer does not.
    (text) =>
      /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) &&
      Buffer.from(text.slice(6), 'base64').length >= 24,
    { error: 'expected "whsec_" and the base64 of at least 24 random bytes' },
  )
  .transform(toSecret);

const orderTokenSecret = z
  .string()
  .min(32, 'expected at least 32 characters of random text')
  .transform(toSecret);

const origins = z
  .array(origin)
  .min(1, 'expected at least one origin of a page that shows the checkout');
const splitType = splitValueType.default('amount');
const currency = z.string().regex(/^[A-Z]{3}$/, 'expected three capital letters, such as "GBP"');
const decimals = z.int().min(0).max(4).optional();
const customCurrency = z.boolean().default(false);

interface CurrencySettings {
  readonly currency: string;
  readonly decimals?: number | undefined;
}

/** Two where the currency is unknown, which only happens in an entry that is refused. */
const decimalsOf = ({ currency, decimals }: CurrencySettings): number =>
  decimals ?? ISO_DECIMALS.get(currency) ?? 2;

/** Checks currency and decimals against ISO 4217, unless the entry sets `customCurrency`. */
function findCurrencyMistake(
  settings: CurrencySettings & { readonly customCurrency: boolean },
): { readonly field: 'currency' | 'decimals'; readonly message: string } | undefined {
  const { currency, decimals, customCurrency } = settings;
  const known = ISO_DECIMALS.get(currency);
  const standard = `ISO 4217 (${ISO_4217_DATE})`;
  if (customCurrency) {
    if (known !== undefined || decimals !== undefined) return undefined;
    const message = `expected the decimal places, since ${standard} does not have the currency`;
    return { field: 'decimals', message };
  }
  if (known === undefined) {
    const message = `expected a currency of ${standard}; if another is intended, set "customCurrency": true and "decimals"`;
    return { field: 'currency', message };
  }
  if (decimals === undefined || decimals === known) return undefined;
  const message = `expected ${String(known)}, as ${standard} has it for ${currency}; if another number is intended, set "customCurrency": true`;
  return { field: 'decimals', message };
}

/** The fields of an entry of the merchants file. */
export const merchantFields = z.strictObject({
  id: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
      'expected up to 64 letters, digits, "-" and "_", starting with a letter or digit',
    ),
  name: z.string().min(1).max(100),
  /** Whether it takes no new payments. Pending ones are still confirmed. */
  disabled: z.boolean().default(false),
  /** How the hosted page and the return page look. */
  brand: brandSettings.optional(),
  /** The provider account that its checkouts are created at. */
  account: z.string().default(DEFAULT_ACCOUNT),
  /** `merchant_id` of spec 4.6. */
  providerMerchantId: positiveInteger,
  /** ISO 4217 code. An order priced in another currency is refused. */
  currency,
  /** Default: those of ISO 4217. */
  decimals,
  /** Whether currency or decimals are, on purpose, others than those of ISO 4217. */
  customCurrency,
  /** Exact origins of the pages that may create checkouts. */
  origins,
  /** Template with `{order}`, `{checkout}` and `{kind}`. */
  returnUrl: httpUrl,
  /** Where its shop is asked for an order. Without it, the shop puts its orders by API. */
  orderLookup: shopEndpoint.optional(),
  /** Where events are sent. Without it, the shop reads them from the feed. */
  events: shopEndpoint.optional(),
  split: splitRules.default([]),
  splitValueType: splitType,
  /** Whether the split of an order is added to these rules or replaces them. */
  orderSplit: z.enum(['add', 'replace']).default('add'),
  sdk: sdkDescription,
  /** `provider` of spec 4.6: a short code. */
  provider: z.string().min(1).optional(),
  /** Further fields of `/create-session` that the provider's interface does not show. */
  extraFields,
  /** `token`: an order token is required. `order`: the order's name is enough. */
  openBy: z.enum(['token', 'order']).default('token'),
  /** Whether a checkout needs house number and postcode. */
  avs: z.enum(['optional', 'required']).default('optional'),
  /** What a shopper is asked for if it does, in this order. */
  avsFields,
  evidence,
  /** For webhooks to the `WebhookUrl` of an attempt (spec 4.6). */
  webhooks: webhookSettings,
  /** Endpoints that were registered at the provider (spec 4.7). */
  webhookEndpoints: z.array(webhookEndpoint).default([]),
  /** Of each key of the merchant's own back end. */
  apiKeyHash: z.array(apiKeyHash).min(1),
  /** Required with `orderLookup`. Otherwise the server has one of its own. */
  orderTokenSecret: z.array(orderTokenSecret).default([]),
  /** Standard Webhooks secrets. Each one signs. Required with `orderLookup` or `events`. */
  signingSecret: z.array(signingSecret).default([]),
});

/** One merchant: an entry of the merchants file. */
export const merchantSchema = merchantFields
  .superRefine(
    (settings, context) => {
      const mistake = findCurrencyMistake(settings);
      if (!mistake) return;
      const { field, message } = mistake;
      context.addIssue({ code: 'custom', path: [field], message });
    },
    { when: isValid(z.object({ currency, decimals, customCurrency })) },
  )
  .superRefine(
    ({ origins, returnUrl }, context) => {
      const addMistake = (message: string): void => {
        context.addIssue({ code: 'custom', path: ['returnUrl'], message });
      };
      if (!origins.includes(new URL(returnUrl).origin)) {
        addMistake('expected an address on one of this merchant’s origins');
      }
      if (!returnUrl.includes('{checkout}')) {
        addMistake('expected the placeholder {checkout}, so that the page can ask for the outcome');
      }
    },
    { when: isValid(z.object({ origins, returnUrl: httpUrl })) },
  )
  .superRefine(
    ({ orderLookup, events, orderTokenSecret, signingSecret }, context) => {
      const secrets = { orderTokenSecret, signingSecret };
      const need = (field: keyof typeof secrets, why: string): void => {
        if (secrets[field].length > 0) return;
        const message = `expected at least one, since ${why}`;
        context.addIssue({ code: 'custom', path: [field], message });
      };
      if (orderLookup) need('orderTokenSecret', 'with orderLookup the shop makes order tokens');
      if (orderLookup ?? events) need('signingSecret', 'requests to the shop are signed');
    },
    {
      when: isValid(
        z.object({
          ...{ orderLookup: z.unknown(), events: z.unknown() },
          ...{ orderTokenSecret: z.array(z.unknown()), signingSecret: z.array(z.unknown()) },
        }),
      ),
    },
  )
  .superRefine(
    ({ split, ...settings }, context) => {
      const { splitValueType } = settings;
      const mistakes = findSplitMistakes(split, { decimals: decimalsOf(settings), splitValueType });
      for (const { path, message } of mistakes) {
        context.addIssue({ code: 'custom', path: ['split', ...path], message });
      }
    },
    {
      when: isValid(z.object({ split: splitRules, currency, decimals, splitValueType: splitType })),
    },
  )
  .transform((entry) => ({ ...entry, decimals: decimalsOf(entry) }));

/** One merchant of the platform. */
export interface Merchant extends z.infer<typeof merchantSchema> {
  /** The file that `brand.logo` names. */
  readonly logo?: Logo;
}

/** Fields that entries may share. */
const merchantDefaults = merchantFields
  .omit({
    ...{ id: true, name: true, brand: true, disabled: true, providerMerchantId: true },
    ...{ origins: true, returnUrl: true, orderLookup: true, events: true },
    ...{ apiKeyHash: true, orderTokenSecret: true, signingSecret: true },
  })
  .partial();

/** The merchants file as a whole. */
export const merchantsFileSchema = z
  .strictObject({
    /** For editors: where `merchants.schema.json` of this package is. */
    $schema: z.string().optional(),
    /** Provider accounts by name. */
    accounts: z
      .object({ [DEFAULT_ACCOUNT]: defaultAccount.optional() })
      .catchall(providerAccount)
      .default({}),
    /** What entries without it have: see `CombinedFile`, which has put it into them by then. */
    defaults: merchantDefaults.optional(),
    merchants: z.array(merchantSchema).min(1, 'expected at least one merchant'),
  })
  .superRefine(
    ({ accounts, merchants }, context) => {
      const addMistake = (path: (string | number)[], message: string): void => {
        context.addIssue({ code: 'custom', path, message });
      };
      for (const name of Object.keys(accounts)) {
        if (!ACCOUNT_NAME.test(name)) {
          addMistake(
            ['accounts', name],
            'expected a name of up to 64 letters, digits, "-" and "_", starting with a letter',
          );
        }
      }
      const requireAccount = (name: string | undefined, path: (string | number)[]): void => {
        if (name === undefined || name === DEFAULT_ACCOUNT || Object.hasOwn(accounts, name)) return;
        addMistake(['merchants', ...path], 'expected "default", or a name of "accounts"');
      };
      merchants.forEach(({ account, webhookEndpoints }, at) => {
        requireAccount(account, [at, 'account']);
        webhookEndpoints.forEach((endpoint, index) => {
          requireAccount(endpoint.account, [at, 'webhookEndpoints', index, 'account']);
        });
      });
    },
    {
      when: isValid(
        z.object({
          accounts: z.record(z.string(), z.unknown()),
          merchants: z.array(
            z.object({
              account: z.string(),
              webhookEndpoints: z.array(z.object({ account: z.string().optional() })),
            }),
          ),
        }),
      ),
    },
  )
  .superRefine(
    ({ merchants }, context) => {
      const seen = new Set<string>();
      const requireUnique = (value: string, path: (string | number)[], message: string): void => {
        if (seen.has(value)) {
          context.addIssue({ code: 'custom', path: ['merchants', ...path], message });
        }
        seen.add(value);
      };
      merchants.forEach(({ id, apiKeyHash: hashes }, at) => {
        requireUnique(id, [at, 'id'], 'expected an id of its own; a merchant above has the same');
        hashes.forEach((hash, index) => {
          requireUnique(
            hash,
            [at, 'apiKeyHash', index],
            'expected a key of its own; it selects the merchant, and another entry has the same',
          );
        });
      });
    },
    {
      when: isValid(
        z.object({
          merchants: z.array(z.object({ id: z.string(), apiKeyHash: z.array(z.string()) })),
        }),
      ),
    },
  );

/** Runs a check of several fields when those are valid, even if others are not. */
function isValid(part: z.ZodType): (payload: { readonly value: unknown }) => boolean {
  return ({ value }) => part.safeParse(value).success;
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

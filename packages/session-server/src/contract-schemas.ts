import { z } from 'zod';
import type {
  CheckoutConfigReply,
  CheckoutStatusReply,
  CreateCheckoutReply,
  CreateCheckoutRequest,
  HintRequest,
  LineItem,
  MerchantEventList,
  MerchantOrder,
  MerchantOrderList,
  PaymentFacts,
  PreviewReply,
  NeedsReply,
  OpeningReply,
  Problem,
  PutOrderReply,
  PutOrderRequest,
  SdkDescription,
  VoidOrderReply,
} from './contract.js';
import { splitRules } from './split-rule.js';

/** An order as the shop names it: starts with a letter or digit, at most 64 characters. */
export const orderName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'expected up to 64 letters, digits, ".", "_" and "-", starting with a letter or digit',
  );

/** Text that a shopper typed: bounded, and more than spaces. */
const typedText = (max: number) =>
  z
    .string()
    .trim()
    .min(1, 'expected some text')
    .max(max, `expected at most ${String(max)} characters`);

/** `URL` takes a `*` or a `;` in a host, which would mean something else in a Content Security Policy. */
const EXACT_HOST = /^([\w-]+(\.[\w-]+)*|\[[\da-f:]+\])$/;

/** For checks of an address that is one: `abort` would also end those of the objects around it. */
const isHttpUrl = (text: string): boolean => /^https?:/i.test(text) && URL.canParse(text);
const hasExactHost = (text: string): boolean => EXACT_HOST.test(new URL(text).hostname);

export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'expected an absolute http or https address' })
  .refine((text) => !isHttpUrl(text) || hasExactHost(text), {
    error:
      'expected one exact host of letters, digits, "-" and ".", such as "shop.example"; no "*"',
  });

/** A base address of the provider; a path prefix is kept. */
export const providerUrl = httpUrl.refine((text) => !/[?#@]/.test(text), {
  error: 'expected an address without query, fragment, user name or password',
});

/** A key of the provider, which becomes a header (spec 5). */
export const providerKey = z
  .string('expected the provider’s API key')
  .regex(/^[!-~]+$/, 'expected the provider’s API key, without spaces or line breaks');

/** The origin of a page or a server, as `URL` writes it. */
export const origin = httpUrl.refine(
  (text) => !isHttpUrl(text) || !hasExactHost(text) || new URL(text).origin === text,
  {
    error: 'expected an origin alone, such as "https://shop.example", with no path or final slash',
  },
);

/** What only the shop and the server say: refused by name, so that no page believes that it counts. */
const notForPages = z.never('not accepted here; leave it out').optional();

/** Body of `POST /v1/checkouts`. Fields that this version does not know are a later tag's, and ignored. */
export const createCheckoutRequest = z.object({
  merchant: z.string().min(1).max(64),
  order: orderName,
  orderToken: z.string().max(200).optional(),
  avs: z
    .object({
      houseNumber: typedText(100),
      postcode: typedText(32),
      flat: typedText(100).optional(),
      address1: typedText(200).optional(),
      address2: typedText(200).optional(),
    })
    .optional(),
  renew: z.string().min(1).max(500).optional(),
  preview: z.literal(true).optional(),
  amount: notForPages,
  currency: notForPages,
  split: notForPages,
  SplitFee: notForPages,
  returnUrl: notForPages,
  RedirectUrl: notForPages,
  CancelUrl: notForPages,
  backurl: notForPages,
}) satisfies z.ZodType<Loose<CreateCheckoutRequest>>;

const hintKind = z.enum([
  'shown',
  'submitted',
  'declined',
  'cancelled',
  'refused',
  'expired',
  'error',
]);

/** Body of `POST /v1/checkouts/{id}/hints`. */
export const hintRequest = z.object({
  kind: hintKind,
  sessionId: z.string().min(1).max(500).optional(),
}) satisfies z.ZodType<Loose<HintRequest>>;

/**
 * How to load and call the provider's client SDK. The spec (2.4) shows one thing only: `session_id`
 * is passed to `configure()`. Everything here is therefore data, listed in `docs/assumptions.md`.
 */
export const sdkDescription = z.strictObject({
  url: httpUrl,
  integrity: z
    .string()
    .regex(/^sha(256|384|512)-[A-Za-z0-9+/]+=*$/, 'expected "sha384-" and the base64 hash')
    .exactOptional(),
  global: z
    .string()
    .regex(
      /^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/,
      'expected a dotted name, such as "Pay.Checkout"',
    ),
  construct: z.boolean().exactOptional(),
  argument: z.enum(['object', 'string']),
  container: z.enum(['selector', 'element']).exactOptional(),
  navigates: z.boolean().exactOptional(),
  callbacks: z.record(z.string(), hintKind).exactOptional(),
  open: z
    .string()
    .regex(/^[A-Za-z_$][\w$]*$/, 'expected the name of a method, such as "open"')
    .exactOptional(),
  answers: z.record(z.string(), z.record(z.string(), hintKind)).exactOptional(),
  origins: z.strictObject({
    script: z.array(origin),
    frame: z.array(origin),
    connect: z.array(origin),
    style: z.array(origin).exactOptional(),
    image: z.array(origin).exactOptional(),
    form: z.array(origin).exactOptional(),
  }),
  inlineStyle: z.boolean().exactOptional(),
}) satisfies z.ZodType<SdkDescription>;

const state = z.enum([
  'open',
  'returned',
  'paid',
  'failed',
  'cancelled',
  'left',
  'expired',
  'unconfirmed',
]);
export const orderState = z.enum([...state.options, 'void']);
const refund = z.enum(['none', 'partial', 'full']);
const environment = z.enum(['sandbox', 'production']);
const submitted = z
  .literal(true)
  .exactOptional()
  .describe('A payment was submitted, and its outcome is not known');
const price = {
  amount: z.string().describe('Decimal text, such as "12.34"'),
  currency: z.string(),
};

const lineItem = z.object({
  name: z.string(),
  quantity: z.int(),
  amount: z.string().describe('Decimal text of the whole line; a discount has a minus'),
}) satisfies z.ZodType<LineItem>;
const lineItems = z.array(lineItem).exactOptional();

const metadata = z.record(z.string(), z.string()).exactOptional();
const isoTime = z.string().describe('ISO 8601, UTC');

/** The replies of the server, as `/openapi.json` describes them. */
export const createCheckoutReply = z.object({
  checkout: z.string(),
  state,
  revision: z.int(),
  sessionId: z.string().exactOptional(),
  sdk: sdkDescription.exactOptional(),
  ...price,
  environment,
  refund: refund.exactOptional(),
  submitted,
  requestId: z.string().exactOptional().describe('Of the request that created the checkout'),
  lineItems,
}) satisfies z.ZodType<CreateCheckoutReply>;

export const needsReply = z.object({
  needs: z.array(z.literal('avs')),
  fields: z
    .array(z.enum(['houseNumber', 'postcode', 'flat', 'address1', 'address2']))
    .exactOptional(),
  ...price,
  environment,
  lineItems,
}) satisfies z.ZodType<NeedsReply>;

export const previewReply = z.object({
  shop: z.string(),
  ...price,
  environment,
  checkout: z.string().exactOptional(),
  state: state.exactOptional(),
  revision: z.int().exactOptional(),
  refund: refund.exactOptional(),
  submitted,
  lineItems,
}) satisfies z.ZodType<PreviewReply>;

export const openingReply = z.object({
  state: z.literal('opening'),
  retryAfterSeconds: z.number(),
}) satisfies z.ZodType<OpeningReply>;

export const checkoutStatusReply = z.object({
  checkouts: z.array(
    z.object({
      checkout: z.string(),
      merchant: z.string(),
      order: z.string(),
      state,
      certain: z.boolean(),
      revision: z.int(),
      refund,
      submitted,
      supersededBy: z
        .string()
        .exactOptional()
        .describe('The checkout of the same order to follow instead'),
    }),
  ),
  retryAfterSeconds: z.number().exactOptional(),
}) satisfies z.ZodType<CheckoutStatusReply>;

export const hintReply = z.object({ state });

export const checkoutConfigReply = z.object({
  merchant: z.string(),
  environment,
  sdk: sdkDescription,
}) satisfies z.ZodType<CheckoutConfigReply>;

const paymentFacts = z.object({
  method: z.string().exactOptional().describe('Such as "New Card"'),
  scheme: z.string().exactOptional(),
  lastDigits: z.string().exactOptional().describe('The last digits of the card'),
  fee: z.string().exactOptional().describe('Decimal text'),
  pspReference: z.string().exactOptional(),
  internalReference: z.string().exactOptional(),
  paidAt: z.string().exactOptional(),
}) satisfies z.ZodType<PaymentFacts>;

export const merchantOrder = z.object({
  merchant: z.string(),
  order: z.string(),
  state: orderState,
  certain: z.boolean(),
  ...price,
  refund,
  amountRefunded: z.string().describe('Decimal text'),
  attention: z.array(z.string()).describe('See docs/events.md'),
  transaction: z.string().exactOptional(),
  payment: paymentFacts.exactOptional(),
  description: z.string().exactOptional().describe('As it was put'),
  metadata: metadata.describe('As it was put'),
  lineItems,
  locale: z.string().exactOptional().describe('As it was put'),
  createdAt: isoTime,
  updatedAt: isoTime,
  checkouts: z.array(
    z.object({
      checkout: z.string(),
      state,
      certain: z.boolean(),
      ...price,
      refund,
      attention: z.array(z.string()).describe('See docs/events.md'),
      createdAt: z.string(),
      attempts: z.array(
        z.object({
          orderId: z.int(),
          merchantReference: z.string(),
          status: z.string(),
          createdAt: z.string(),
        }),
      ),
      transactions: z.array(
        z.object({
          id: z.string(),
          orderId: z.int(),
          status: z.string(),
          ...price,
          transactionTime: z.string(),
        }),
      ),
    }),
  ),
}) satisfies z.ZodType<MerchantOrder>;

export const putOrderReply = z.object({
  merchant: z.string().describe('Whose key was sent'),
  order: z.string(),
  orderToken: z.string().describe('For the tag: order-token'),
  payUrl: z.string().describe('The hosted payment page: a link for e-mails and QR codes'),
  expiresAt: isoTime.describe('When token and link expire'),
  state: orderState,
}) satisfies z.ZodType<PutOrderReply>;

export const voidOrderReply = z.object({
  order: z.string(),
  state: orderState,
}) satisfies z.ZodType<VoidOrderReply>;

export const merchantOrderList = z.object({
  orders: z.array(merchantOrder),
  nextCursor: z.string().nullable().describe('Of the next page; null on the last one'),
}) satisfies z.ZodType<MerchantOrderList>;

export const merchantEventList = z.object({
  merchant: z.string().describe('Whose key was sent'),
  events: z.array(
    z.object({
      cursor: z.string(),
      id: z.string().describe('webhook-id of its deliveries'),
      type: z.string(),
      timestamp: isoTime,
      data: z.object({
        merchant: z.string(),
        order: z.string(),
        version: z.string().exactOptional(),
        checkout: z.string(),
        requestId: z.string().exactOptional(),
        state,
        certain: z.boolean(),
        sequence: z.int(),
        ...price,
        refund,
        amountRefunded: z.string().describe('Decimal text'),
        attention: z.array(z.string()).describe('See docs/events.md'),
        transaction: z.string().exactOptional(),
        payment: paymentFacts.exactOptional(),
        metadata: metadata.describe('Of the order, as it is put now'),
      }),
    }),
  ),
  cursor: z.string().describe('For "after" of the next request'),
  hasMore: z.boolean(),
}) satisfies z.ZodType<MerchantEventList>;

export const problem = z.object({
  unpaid: z
    .literal(true)
    .exactOptional()
    .describe('No page was ever given a session of this order, so nothing was paid'),
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  requestId: z.string(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })).exactOptional(),
  state: orderState.exactOptional(),
}) satisfies z.ZodType<Problem>;

/** Query of `GET /v1/checkout-config`. */
export const configQuery = z.object({ merchant: z.string().min(1).max(64) });

/** Query of `GET /v1/checkouts`. */
export const statusQuery = z.object({
  id: z
    .union([z.string(), z.array(z.string())])
    .transform((ids) => (typeof ids === 'string' ? [ids] : ids))
    .pipe(
      z
        .array(
          z
            .string()
            .regex(/^[A-Za-z0-9_-]{30}:\d{1,9}$/, 'expected "{id}:{revision}" of a checkout'),
        )
        .min(1)
        .max(20, 'expected at most 20 ids'),
    ),
  wait: z.coerce
    .number('expected a number of seconds')
    .min(0)
    .max(25, 'expected at most 25 seconds')
    .default(0),
});

/** A field that may be left out, or be null: both mean that it is not known. */
const absentWhenNull = <T extends z.ZodType>(schema: T) =>
  schema
    .nullish()
    .transform((value) => value ?? undefined)
    .optional();
const text = (max: number) => absentWhenNull(z.string().max(max));

const customer = z.object({
  id: text(100),
  email: text(320),
  phone: text(50),
  name: text(200),
  firstName: text(100),
  lastName: text(100),
});
const address = z.object({
  houseNumber: text(32),
  postcode: text(32),
  flat: text(50),
  address1: text(200),
  address2: text(200),
});
const putLineItem = {
  name: z.string().trim().min(1, 'expected some text').max(200, 'expected at most 200 characters'),
  quantity: z.int().min(1).max(1_000_000).default(1),
  amount: z.string(),
};
const MAX_LINES = 100;
const METADATA_ENTRIES = 20;
const metadataName = z
  .string()
  .regex(/^[\w.-]{1,40}$/, 'expected a name of up to 40 letters, digits, ".", "_" and "-"');
const putMetadata = z
  .record(metadataName, z.string().max(500, 'expected at most 500 characters'))
  .refine((entries) => Object.keys(entries).length <= METADATA_ENTRIES, {
    error: `expected at most ${String(METADATA_ENTRIES)} entries`,
  });

/** What every order has, however it is priced. */
const pricedOrder = {
  amount: z.string(),
  currency: z.string(),
  split: absentWhenNull(splitRules.max(20)),
  // Without the id of the checkout, the page could not ask for its outcome.
  returnUrl: absentWhenNull(
    z
      .url({
        protocol: /^https?$/,
        error: 'expected an absolute http or https address',
        abort: true,
      })
      .refine((text) => text.includes('{checkout}'), 'expected the placeholder {checkout}'),
  ),
};

/** What the shop answers to the order lookup. Unknown fields are ignored. */
export const orderLookupReply = z.object({
  lineItems: absentWhenNull(z.array(z.object(putLineItem)).min(1).max(MAX_LINES)),
  order: orderName,
  version: text(200),
  status: z.enum(['payable', 'paid', 'void']),
  ...pricedOrder,
  customer: absentWhenNull(customer),
  address: absentWhenNull(address),
});

const DAY_SECONDS = 86_400;
/** A link is paid within the term of an invoice, or the shop sends another one. */
export const DEFAULT_LINK_SECONDS = 30 * DAY_SECONDS;
/** The key that signs a link is changed at some time, and then kept for no longer than this. */
const MAX_LINK_SECONDS = 365 * DAY_SECONDS;

/** Body of `PUT /v1/merchant/orders/{order}`. Strict: a misspelt field would be lost. */
export const putOrderRequest = z.strictObject({
  ...pricedOrder,
  description: text(500),
  metadata: absentWhenNull(putMetadata),
  lineItems: absentWhenNull(z.array(z.strictObject(putLineItem)).min(1).max(MAX_LINES)),
  locale: absentWhenNull(
    z
      .string()
      .regex(
        /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/,
        'expected a language tag, such as "de" or "pt-BR"',
      )
      .max(35),
  ),
  customer: absentWhenNull(customer.strict()),
  address: absentWhenNull(address.strict()),
  expiresInSeconds: z.int().min(60).max(MAX_LINK_SECONDS).default(DEFAULT_LINK_SECONDS),
});
putOrderRequest satisfies z.ZodType<unknown, PutOrderRequest>;

const limit = z.coerce.number('expected a number').int().min(1).max(200).default(50);
const cursor = z.string().min(1).max(200).optional();
const time = z.iso
  .datetime({ offset: true, error: 'expected a time such as "2026-03-01T10:15:00Z"' })
  .transform((text) => Date.parse(text))
  .optional();

/** Query of `GET /v1/merchant/orders`. */
export const orderListQuery = z.strictObject({
  state: orderState.optional(),
  updatedAfter: time,
  updatedBefore: time,
  cursor,
  limit,
});

/** Query of `GET /v1/merchant/events`. */
export const eventListQuery = z.strictObject({ after: cursor, limit });

/** Zod says `T | undefined` for what may be absent; the contract says absent. */
type Loose<T> = { [K in keyof T]: undefined extends T[K] ? T[K] | undefined : T[K] };

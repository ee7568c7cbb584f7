import { WEBHOOK_SCHEMES, type WebhookScheme } from '@pay-checkout/partner-api';
import { z } from 'zod';

/** Where a delivery says what, as dotted paths; the payload's shape is not shown (spec 6). */
export interface WebhookPaths {
  readonly orderId?: string | undefined;
  readonly merchantReference?: string | undefined;
  readonly status?: string | undefined;
  /** Leads to the very `id` that the provider's list gives a transaction. */
  readonly transaction?: string | undefined;
  readonly amount?: string | undefined;
  readonly currency?: string | undefined;
  /** Needed only where the merchant entry says that amounts include the service fee. */
  readonly serviceFee?: string | undefined;
}

/** A key of a signature scheme, and when it counts. */
export interface WebhookKey {
  readonly key: string;
  readonly id?: string | undefined;
  readonly notBefore?: Date | undefined;
  readonly notAfter?: Date | undefined;
}

/** How deliveries are read, checked, and what a verified one may prove. */
export interface WebhookSettings {
  readonly paths: WebhookPaths;
  /** Absent: every delivery is a hint, whatever stands in its headers. */
  readonly signature?:
    { readonly scheme: WebhookScheme; readonly keys: readonly WebhookKey[] } | undefined;
  /** Statuses that count as evidence when the delivery is verified. */
  readonly evidence: {
    readonly failedStatuses: readonly string[];
    readonly paidStatuses: readonly string[];
  };
}

/** A webhook endpoint that was registered at the provider (spec 4.7). */
export interface WebhookEndpoint extends WebhookSettings {
  /** `sha256:<hex>` of the token in its address. Several merchants may share one endpoint. */
  readonly tokenHash: string;
}

const MIN_KEY_BYTES = 16;
const PROOF_OF_PAYMENT = ['transaction', 'amount', 'currency'] as const;
const KEY_ENCODINGS = ['utf8', 'hex', 'base64', 'base64url', 'whsec'] as const;
const SCHEME_NAMES = Object.keys(WEBHOOK_SCHEMES) as [keyof typeof WEBHOOK_SCHEMES];

const path = z
  .string()
  .regex(/^[^.]+(\.[^.]+)*$/, 'expected a dotted path into the body, such as "data.order_id"');

const pathFields = {
  orderId: path.optional(),
  merchantReference: path.optional(),
  status: path.optional(),
  transaction: path.optional(),
  amount: path.optional(),
  currency: path.optional(),
  serviceFee: path.optional(),
};

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'expected the name of a header');

const scheme = z.strictObject({
  header: headerName,
  prefix: z.string().min(1).optional(),
  separator: z.string().min(1).optional(),
  algorithm: z.enum(['sha1', 'sha256', 'sha384', 'sha512']),
  keyEncoding: z.enum(KEY_ENCODINGS),
  signatureEncoding: z.enum(['hex', 'base64', 'base64url']),
  template: z
    .string()
    .refine((text) => text.includes('{body}'), 'expected a text with {body}, which is signed'),
  idHeader: headerName.optional(),
  timestampHeader: headerName.optional(),
  timestampPrefix: z.string().min(1).optional(),
  timestampUnit: z.enum(['seconds', 'milliseconds', 'iso']).optional(),
  toleranceSeconds: z.union([z.number().positive(), z.literal('off')]).optional(),
});

const date = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

const signature = z
  .strictObject({
    scheme: z.union([z.enum(SCHEME_NAMES).transform((name) => WEBHOOK_SCHEMES[name]), scheme], {
      error: `expected one of ${SCHEME_NAMES.join(', ')}, or a scheme of your own`,
    }),
    keys: z
      .array(
        z.strictObject({
          key: z.string(),
          id: z.string().min(1).optional(),
          notBefore: date.optional(),
          notAfter: date.optional(),
        }),
      )
      .min(1),
  })
  .superRefine(({ scheme: { keyEncoding }, keys }, context) => {
    keys.forEach(({ key }, index) => {
      const bytes = countKeyBytes(key, keyEncoding);
      if (bytes !== undefined && bytes >= MIN_KEY_BYTES) return;
      context.addIssue({
        code: 'custom',
        path: ['keys', index, 'key'],
        message: `expected ${keyEncoding} text of at least ${String(MIN_KEY_BYTES)} bytes`,
      });
    });
  });

const statuses = z.array(z.string().min(1)).default([]);
const evidence = z.strictObject({ failedStatuses: statuses, paidStatuses: statuses }).prefault({});

const settingsFields = {
  paths: z.strictObject(pathFields).prefault({}),
  signature: signature.optional(),
  evidence,
};

/** `webhooks`: for what comes to the `WebhookUrl` of an attempt (spec 4.6). */
export const webhookSettingsSchema = z
  .strictObject(settingsFields)
  .superRefine(complainAboutEvidence)
  .prefault({});

/** `webhookEndpoints`: for what comes to an endpoint that was registered (spec 4.7). */
export const webhookEndpointSchema = z
  .strictObject({
    ...settingsFields,
    tokenHash: z
      .string()
      .regex(
        /^sha256:[0-9a-f]{64}$/,
        'expected "sha256:" and 64 hexadecimal digits of the hash of a token',
      ),
  })
  .superRefine(complainAboutEvidence)
  .superRefine(({ paths }, context) => {
    if (paths.orderId !== undefined || paths.merchantReference !== undefined) return;
    const message = 'expected orderId or merchantReference, so that the attempt can be found';
    context.addIssue({ code: 'custom', path: ['paths'], message });
  });

function complainAboutEvidence(settings: WebhookSettings, context: z.RefinementCtx): void {
  const { failedStatuses, paidStatuses } = settings.evidence;
  if (failedStatuses.length === 0 && paidStatuses.length === 0) return;
  const complain = (at: readonly string[], message: string): void => {
    context.addIssue({ code: 'custom', path: [...at], message });
  };
  if (!settings.signature) {
    complain(['signature'], 'expected a scheme: only a verified delivery may be evidence');
  }
  const needed = ['status', ...(paidStatuses.length > 0 ? PROOF_OF_PAYMENT : [])] as const;
  for (const name of needed) {
    if (settings.paths[name] === undefined) {
      complain(['paths', name], 'expected a path: evidence needs it');
    }
  }
}

/** How many bytes the text of a key stands for; undefined when it is not of its encoding. */
function countKeyBytes(text: string, encoding: (typeof KEY_ENCODINGS)[number]): number | undefined {
  switch (encoding) {
    case 'utf8':
      return Buffer.byteLength(text);
    case 'hex':
      return /^([0-9a-f]{2})+$/i.test(text) ? text.length / 2 : undefined;
    case 'base64url':
      return /^[\w-]+$/.test(text) && text.length % 4 !== 1
        ? Buffer.from(text, 'base64url').length
        : undefined;
    case 'base64':
    case 'whsec': {
      const base64 = encoding === 'whsec' ? text.replace(/^whsec_/, '') : text;
      return /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)
        ? Buffer.from(base64, 'base64').length
        : undefined;
    }
  }
}

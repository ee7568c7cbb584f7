import { Secret, WEBHOOK_SCHEMES } from '@pay-checkout/partner-api';
import { z } from 'zod';

const MIN_KEY_BYTES = 16;
const PROOF_OF_PAYMENT = ['transaction', 'amount', 'currency'] as const;
const KEY_ENCODINGS = ['utf8', 'hex', 'base64', 'base64url', 'whsec'] as const;
const SCHEME_NAMES = Object.keys(WEBHOOK_SCHEMES) as [keyof typeof WEBHOOK_SCHEMES];

/** Read from the file, a secret is shown to no log and no inspection. */
export function toSecret(text: string): Secret {
  return new Secret(text);
}

const path = z
  .string()
  .regex(/^[^.]+(\.[^.]+)*$/, 'expected a dotted path into the body, such as "data.order_id"');

/** Where a webhook says what, as dotted paths; the payload's shape is not shown (spec 6). */
const paths = z
  .strictObject({
    orderId: path.optional(),
    merchantReference: path.optional(),
    status: path.optional(),
    /** Leads to the very `id` that the provider's list gives a transaction. */
    transaction: path.optional(),
    amount: path.optional(),
    currency: path.optional(),
    /** Needed only where the merchant entry says that amounts include the service fee. */
    serviceFee: path.optional(),
  })
  .prefault({});

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
          key: z.string().transform(toSecret),
          id: z.string().min(1).optional(),
          notBefore: date.optional(),
          notAfter: date.optional(),
        }),
      )
      .min(1),
  })
  .superRefine(({ scheme: { keyEncoding }, keys }, context) => {
    keys.forEach(({ key }, index) => {
      const bytes = countKeyBytes(key.reveal(), keyEncoding);
      if (bytes !== undefined && bytes >= MIN_KEY_BYTES) return;
      context.addIssue({
        code: 'custom',
        path: ['keys', index, 'key'],
        message: `expected ${keyEncoding} text of at least ${String(MIN_KEY_BYTES)} bytes`,
      });
    });
  });

const statuses = z.array(z.string().min(1)).default([]);
const settings = z.strictObject({
  paths,
  /** Absent: every webhook is a hint, whatever its headers say. */
  signature: signature.optional(),
  /** Statuses that count as evidence when the webhook is verified. */
  evidence: z.strictObject({ failedStatuses: statuses, paidStatuses: statuses }).prefault({}),
});

/** How webhooks are read and verified, and what a verified one may prove. */
export type WebhookSettings = z.infer<typeof settings>;

/** `webhooks`: for webhooks to the `WebhookUrl` of an attempt (spec 4.6). */
export const webhookSettings = settings.superRefine(checkEvidence).prefault({});

/** An item of `webhookEndpoints`: an endpoint that was registered at the provider (spec 4.7). */
export const webhookEndpoint = settings
  .extend({
    /** Of the token in its address. Several merchants may share one endpoint. */
    tokenHash: z
      .string()
      .regex(
        /^sha256:[0-9a-f]{64}$/,
        'expected "sha256:" and 64 hexadecimal digits of the hash of a token',
      ),
    /** The provider account that it is registered at. Default: the merchant's. */
    account: z.string().optional(),
  })
  .superRefine(checkEvidence)
  .superRefine(({ paths }, context) => {
    if (paths.orderId !== undefined || paths.merchantReference !== undefined) return;
    const message = 'expected orderId or merchantReference, so that the attempt can be found';
    context.addIssue({ code: 'custom', path: ['paths'], message });
  });

export type WebhookEndpoint = z.infer<typeof webhookEndpoint>;

function checkEvidence(settings: WebhookSettings, context: z.RefinementCtx): void {
  const { failedStatuses, paidStatuses } = settings.evidence;
  if (failedStatuses.length === 0 && paidStatuses.length === 0) return;
  const addMistake = (at: readonly string[], message: string): void => {
    context.addIssue({ code: 'custom', path: [...at], message });
  };
  if (!settings.signature) {
    addMistake(['signature'], 'expected a scheme: only a verified webhook may be evidence');
  }
  if (settings.paths.orderId === undefined && settings.paths.merchantReference === undefined) {
    addMistake(['paths'], 'expected orderId or merchantReference: evidence names its attempt');
  }
  const needed = ['status', ...(paidStatuses.length > 0 ? PROOF_OF_PAYMENT : [])] as const;
  for (const name of needed) {
    if (settings.paths[name] === undefined) {
      addMistake(['paths', name], 'expected a path: evidence needs it');
    }
  }
}

/** How many bytes the text of a key encodes; undefined when it is not valid in its encoding. */
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

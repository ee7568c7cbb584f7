import { createHmac } from 'node:crypto';
import { z } from 'zod';

const header = z
  .string('expected the name of a header')
  .regex(/^[A-Za-z0-9-]+$/, 'expected the name of a header');

/** How webhooks to registered endpoints are signed, as data: the spec does not show it (section 6). */
export const webhookSigningSchema = z.strictObject({
  /** Header that carries the signature. */
  header,
  /** Written before the signature, for example `v1,` or `sha256=`. */
  prefix: z.string().default(''),
  algorithm: z.enum(['sha1', 'sha256', 'sha512']).default('sha256'),
  /** How the text of `hmac_key` becomes bytes. `whsec`: base64 after `whsec_`. */
  keyEncoding: z.enum(['utf8', 'hex', 'base64', 'whsec']).default('utf8'),
  signatureEncoding: z.enum(['hex', 'base64', 'base64url']).default('hex'),
  /** What is signed, over `{id}`, `{timestamp}`, `{url}` and `{body}`. */
  template: z.string().includes('{body}', 'expected a template with {body}').default('{body}'),
  /** Header of the webhook's id. Default none. */
  idHeader: header.optional(),
  /** Header of the time of signing. Default none. */
  timestampHeader: header.optional(),
  timestampUnit: z.enum(['seconds', 'milliseconds']).default('seconds'),
});

/** A checked signing scheme. */
export type WebhookSigning = z.output<typeof webhookSigningSchema>;

/** A signing scheme with its defaults left out. */
export type WebhookSigningInput = z.input<typeof webhookSigningSchema>;

/** The scheme of the Standard Webhooks specification. */
export const STANDARD_WEBHOOKS: WebhookSigningInput = {
  header: 'webhook-signature',
  prefix: 'v1,',
  keyEncoding: 'whsec',
  signatureEncoding: 'base64',
  template: '{id}.{timestamp}.{body}',
  idHeader: 'webhook-id',
  timestampHeader: 'webhook-timestamp',
};

/** The scheme that the switch `webhookSigning` names or is. */
export function findSigning(
  signing: 'none' | 'standard-webhooks' | WebhookSigning,
): WebhookSigning | undefined {
  if (signing === 'none') return undefined;
  return signing === 'standard-webhooks' ? webhookSigningSchema.parse(STANDARD_WEBHOOKS) : signing;
}

/** What a signature covers. */
export interface SignedContent {
  readonly id: string;
  readonly url: string;
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** The headers of a signed webhook. */
export function signWebhook(
  scheme: WebhookSigning,
  hmacKey: string,
  content: SignedContent,
): Record<string, string> {
  const unit = scheme.timestampUnit === 'seconds' ? 1000 : 1;
  const timestamp = String(Math.floor(content.time / unit));
  const values: Record<string, string> = { ...content, timestamp, time: timestamp };
  const text = scheme.template.replace(
    /\{(id|timestamp|url|body)\}/g,
    (_match, name: string) => values[name] ?? '',
  );
  const signature = createHmac(scheme.algorithm, decodeKey(hmacKey, scheme.keyEncoding))
    .update(text)
    .digest(scheme.signatureEncoding);
  return {
    [scheme.header]: scheme.prefix + signature,
    ...(scheme.idHeader === undefined ? {} : { [scheme.idHeader]: content.id }),
    ...(scheme.timestampHeader === undefined ? {} : { [scheme.timestampHeader]: timestamp }),
  };
}

function decodeKey(key: string, encoding: WebhookSigning['keyEncoding']): Buffer {
  if (encoding === 'whsec') return Buffer.from(key.replace(/^whsec_/, ''), 'base64');
  return Buffer.from(key, encoding);
}

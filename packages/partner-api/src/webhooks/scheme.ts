/** How the text of a key becomes its bytes. `whsec`: base64 after an optional `whsec_`. */
export type KeyEncoding = 'utf8' | 'hex' | 'base64' | 'base64url' | 'whsec';

/** How the bytes of a signature become text. */
export type SignatureEncoding = 'hex' | 'base64' | 'base64url';

export type SignatureAlgorithm = 'sha1' | 'sha256' | 'sha384' | 'sha512';

/** How a timestamp is written in a header. */
export type TimestampUnit = 'seconds' | 'milliseconds' | 'iso';

/**
 * How deliveries are signed, as data. The provider's document does not show it (spec 6): ask, or
 * find it from one delivery with `solveWebhookScheme`, and write the result down as settings.
 */
export interface WebhookScheme {
  /** Header of the signature, in any case. */
  readonly header: string;
  /** Stands before the signature in its header, for example `v1,` or `sha256=`. */
  readonly prefix?: string | undefined;
  /** Parts the header when it holds several items, for example a space or a comma. */
  readonly separator?: string | undefined;
  readonly algorithm: SignatureAlgorithm;
  readonly keyEncoding: KeyEncoding;
  readonly signatureEncoding: SignatureEncoding;
  /** What is signed: any text around `{id}`, `{timestamp}`, `{body}` and `{url}`. */
  readonly template: string;
  readonly idHeader?: string | undefined;
  readonly timestampHeader?: string | undefined;
  /** Finds the timestamp among the items of a header that holds other things, for example `t=`. */
  readonly timestampPrefix?: string | undefined;
  /** Default `seconds`. */
  readonly timestampUnit?: TimestampUnit | undefined;
  /** How far the timestamp may be from now, both ways. Default 300. */
  readonly toleranceSeconds?: number | 'off' | undefined;
}

/** Ready schemes. Which one the provider uses, if any of them, is not shown. */
export const WEBHOOK_SCHEMES = {
  /** The open Standard Webhooks specification. */
  standardWebhooks: {
    header: 'webhook-signature',
    prefix: 'v1,',
    separator: ' ',
    algorithm: 'sha256',
    keyEncoding: 'whsec',
    signatureEncoding: 'base64',
    template: '{id}.{timestamp}.{body}',
    idHeader: 'webhook-id',
    timestampHeader: 'webhook-timestamp',
  },
  /** The body alone, in hex, after `sha256=`. */
  prefixedBodyHex: {
    header: 'x-hub-signature-256',
    prefix: 'sha256=',
    algorithm: 'sha256',
    keyEncoding: 'utf8',
    signatureEncoding: 'hex',
    template: '{body}',
    toleranceSeconds: 'off',
  },
  /** The body alone, in hex. */
  bodyHex: {
    header: 'x-signature',
    algorithm: 'sha256',
    keyEncoding: 'utf8',
    signatureEncoding: 'hex',
    template: '{body}',
    toleranceSeconds: 'off',
  },
  /** The body alone, in base64. */
  bodyBase64: {
    header: 'x-signature',
    algorithm: 'sha256',
    keyEncoding: 'utf8',
    signatureEncoding: 'base64',
    template: '{body}',
    toleranceSeconds: 'off',
  },
  /** Timestamp and signatures in one header: `t=1614265330,v1=…`. */
  timestampInHeader: {
    header: 'x-signature',
    prefix: 'v1=',
    separator: ',',
    algorithm: 'sha256',
    keyEncoding: 'utf8',
    signatureEncoding: 'hex',
    template: '{timestamp}.{body}',
    timestampHeader: 'x-signature',
    timestampPrefix: 't=',
  },
} as const satisfies Readonly<Record<string, WebhookScheme>>;

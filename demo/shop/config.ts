/** The shop's settings. */
import { z } from 'zod';
import type { Brand } from '../brands/brand.js';
import { BRANDS, findBrand } from '../brands/find-brand.js';
import {
  type Environment,
  isHttpUrl,
  jsonSetting,
  portSetting,
  readSettings,
  urlSetting,
} from '../shared/config.js';

/** Origins that the client SDK needs in our Content Security Policy. */
export interface SdkOrigins {
  readonly script: readonly string[];
  readonly frame: readonly string[];
  readonly connect: readonly string[];
}

/** The shop's settings, checked. */
export interface ShopConfig {
  /** Which of the shops this is; its id is also that of our entry at the session server. */
  readonly brand: Brand;
  readonly port: number;
  readonly host: string;
  /** The address that shoppers use, without a trailing slash. */
  readonly publicUrl: string;
  readonly dataFile: string;
  /** The session server as browsers see it: the page's script tag uses it. */
  readonly payPublicUrl: string;
  /** The session server as our back end reaches it. */
  readonly payApiUrl: string;
  /** None: orders are put at the session server, which makes the tokens. */
  readonly orderTokenSecret: string | undefined;
  /** Standard Webhooks secret (`whsec_…`) of what the session server sends us. */
  readonly signingSecret: string;
  /** Bearer key for the session server's merchant route. */
  readonly payApiKey: string;
  readonly sdkOrigins: SdkOrigins;
  /** What the drawer "Break things" asks; none: there is no drawer, and no route of it. */
  readonly breakThings: BreakThings | undefined;
  /** Further entries of ours at the session server, to play with; none: there is no playground. */
  readonly playgroundMerchants: readonly PlaygroundMerchant[];
}

const BRAND_IDS = BRANDS.map(({ id }) => id).join(' or ');
const MIN_SECRET_BYTES = 16;

const url = urlSetting('http://shop.localhost:4100');

const secret = z
  .string({ error: 'is missing: give a random secret' })
  .refine((text) => Buffer.byteLength(text) >= MIN_SECRET_BYTES, {
    error: `must be at least ${MIN_SECRET_BYTES} bytes of randomness`,
  });

const origins = z.array(z.string().refine(isOrigin, 'must be an origin, without a path'));

const sdkOrigins = jsonSetting(
  '{"script":[],"frame":[],"connect":[]}',
  '{"script":[],"frame":[],"connect":[]}',
  z.object({ script: origins, frame: origins, connect: origins }),
);

const playgroundMerchants = jsonSetting(
  '[]',
  '[{"id":"…","apiKey":"…","shape":"…","what":"…","works":true}]',
  z.array(
    z.strictObject({
      id: z
        .string()
        .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'must be an id at the session server'),
      apiKey: secret,
      shape: z.string().min(1, 'must be the name of a shape of the client SDK'),
      what: z.string().min(1, 'must say what the shape does'),
      works: z.boolean({ error: 'must be true or false' }),
    }),
  ),
);

/** Our shop at the session server with another client SDK, and our Bearer key for it. */
export type PlaygroundMerchant = Readonly<z.output<typeof playgroundMerchants>[number]>;

const signingSecret = z
  .string({ error: 'is missing: give the Standard Webhooks secret, whsec_…' })
  .refine(isSigningSecret, {
    error: `must be whsec_ and base64 of at least ${MIN_SECRET_BYTES} bytes`,
  });

const breakThings = z.strictObject({ sandboxUrl: url, operatorUrl: url, operatorKey: secret });

/** The sandbox, and the operator's listener of the session server with a key of it. */
export type BreakThings = Readonly<z.output<typeof breakThings>>;

const brand = z.string({ error: `is missing: give ${BRAND_IDS}` }).transform((id, context) => {
  const found = findBrand(id);
  if (found !== undefined) return found;
  context.addIssue({ code: 'custom', message: `must be ${BRAND_IDS}` });
  return z.NEVER;
});

const environment = z.object({
  SHOP_BRAND: brand,
  SHOP_PORT: portSetting('4100'),
  SHOP_HOST: z.string().min(1, 'must be an address to listen on').default('127.0.0.1'),
  SHOP_PUBLIC_URL: url,
  SHOP_DATA_FILE: z
    .string({ error: 'is missing: give the path of the order database' })
    .min(1, 'must be the path of the order database'),
  SHOP_PAY_PUBLIC_URL: url,
  SHOP_PAY_API_URL: url,
  SHOP_ORDER_TOKEN_SECRET: secret.optional(),
  SHOP_SIGNING_SECRET: signingSecret,
  SHOP_PAY_API_KEY: secret,
  SHOP_SDK_ORIGINS: sdkOrigins,
  SHOP_BREAK_THINGS: jsonSetting(
    'null',
    '{"sandboxUrl":"…","operatorUrl":"…","operatorKey":"…"}',
    breakThings.nullable(),
  ),
  SHOP_PLAYGROUND_MERCHANTS: playgroundMerchants,
});

export function readShopConfig(env: Environment): ShopConfig {
  const values = readSettings('shop', environment, env);
  return {
    brand: values.SHOP_BRAND,
    port: values.SHOP_PORT,
    host: values.SHOP_HOST,
    publicUrl: values.SHOP_PUBLIC_URL,
    dataFile: values.SHOP_DATA_FILE,
    payPublicUrl: values.SHOP_PAY_PUBLIC_URL,
    payApiUrl: values.SHOP_PAY_API_URL,
    orderTokenSecret: values.SHOP_ORDER_TOKEN_SECRET,
    signingSecret: values.SHOP_SIGNING_SECRET,
    payApiKey: values.SHOP_PAY_API_KEY,
    sdkOrigins: values.SHOP_SDK_ORIGINS,
    breakThings: values.SHOP_BREAK_THINGS ?? undefined,
    playgroundMerchants: values.SHOP_PLAYGROUND_MERCHANTS,
  };
}

function isOrigin(text: string): boolean {
  return isHttpUrl(text) && new URL(text).origin === text;
}

function isSigningSecret(text: string): boolean {
  const match = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text);
  return Buffer.from(match?.[1] ?? '', 'base64').length >= MIN_SECRET_BYTES;
}

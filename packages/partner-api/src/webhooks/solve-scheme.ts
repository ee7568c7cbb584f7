import { Secret } from '../secret.js';
import type {
  KeyEncoding,
  SignatureAlgorithm,
  SignatureEncoding,
  TimestampUnit,
  WebhookScheme,
} from './scheme.js';
import { verifyWebhook, type WebhookDelivery } from './signature.js';

/** What {@link solveWebhookScheme} found. */
export interface SolvedWebhookSchemes {
  /** Every scheme that verifies the delivery, the shortest template first. */
  readonly schemes: readonly WebhookScheme[];
  /** Schemes that were tried. */
  readonly tried: number;
}

const KEY_ENCODINGS: readonly KeyEncoding[] = ['utf8', 'hex', 'base64', 'base64url', 'whsec'];

const ALGORITHM_OF_BYTES = new Map<number, SignatureAlgorithm>([
  [20, 'sha1'],
  [32, 'sha256'],
  [48, 'sha384'],
  [64, 'sha512'],
]);

/** What may be signed, the most usual first. */
const TEMPLATES: readonly string[] = [
  '{body}',
  '{timestamp}.{body}',
  '{timestamp}{body}',
  '{timestamp}:{body}',
  'v0:{timestamp}:{body}',
  '{body}{timestamp}',
  '{body}.{timestamp}',
  '{id}.{timestamp}.{body}',
  '{id}{timestamp}{body}',
  '{id}:{timestamp}:{body}',
  '{timestamp}.{id}.{body}',
  '{id}.{body}',
  '{id}{body}',
  '{url}{body}',
  '{url}.{body}',
  '{body}{url}',
  '{url}{timestamp}{body}',
  '{timestamp}.{url}.{body}',
  '{timestamp}{url}{body}',
];

/** A header, and how a value is found in it. */
interface Place {
  readonly header: string;
  readonly prefix?: string;
  readonly separator?: string;
  readonly text: string;
}

/**
 * Finds how deliveries are signed, offline, from one captured delivery and its key: it tries a
 * finite number of headers, encodings, algorithms and templates. Use it once, by hand, and write
 * the scheme down; never let a running endpoint guess.
 */
export async function solveWebhookScheme(
  delivery: WebhookDelivery,
  key: string | Secret,
): Promise<SolvedWebhookSchemes> {
  const secret = key instanceof Secret ? key : new Secret(key);
  const schemes: WebhookScheme[] = [];
  let tried = 0;
  for (const scheme of listCandidates(delivery)) {
    for (const keyEncoding of KEY_ENCODINGS) {
      tried += 1;
      const candidate = { ...scheme, keyEncoding, toleranceSeconds: 'off' } as const;
      const result = await verifyWebhook(candidate, [{ key: secret }], delivery);
      if (result.valid) schemes.push(withDefaultTolerance({ ...scheme, keyEncoding }));
    }
  }
  return { schemes: dropTwins(schemes), tried };
}

function* listCandidates(delivery: WebhookDelivery): Generator<Omit<WebhookScheme, 'keyEncoding'>> {
  const places = listPlaces(delivery);
  const times = places.flatMap((place) => {
    const unit = unitOf(place.text);
    return unit === undefined ? [] : [{ ...place, unit }];
  });
  const ids = places.filter(
    ({ header, prefix, separator }) =>
      prefix === undefined && separator === undefined && /(^|[-_])id$/i.test(header),
  );
  for (const place of places) {
    for (const [signatureEncoding, algorithm] of listEncodings(place.text)) {
      const { header, prefix, separator } = place;
      const base = { header, prefix, separator, algorithm, signatureEncoding };
      for (const template of TEMPLATES) {
        if (template.includes('{url}') && delivery.url === undefined) continue;
        for (const id of template.includes('{id}') ? ids : [undefined]) {
          for (const time of template.includes('{timestamp}') ? times : [undefined]) {
            // One separator serves both, so a timestamp elsewhere in the header needs the same.
            if (time?.separator !== undefined && time.separator !== separator) continue;
            yield withoutUndefined({
              ...base,
              template,
              idHeader: id?.header,
              timestampHeader: time?.header,
              timestampPrefix: time?.prefix,
              timestampUnit: time?.unit,
            });
          }
        }
      }
    }
  }
}

/** Every value that a header may hold: whole, after a prefix, and item by item. */
function listPlaces({ headers }: WebhookDelivery): Place[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (typeof value !== 'string') return [];
    const header = name.toLowerCase();
    return [
      ...listPrefixed({ header, text: value }),
      ...[' ', ',', ';'].flatMap((separator) =>
        value.includes(separator)
          ? value
              .split(separator)
              .flatMap((item) => listPrefixed({ header, separator, text: item.trim() }))
          : [],
      ),
    ];
  });
}

function listPrefixed(place: Place): Place[] {
  const prefix = /^[A-Za-z][A-Za-z0-9-]{0,15}[=,:]/.exec(place.text)?.[0];
  if (prefix === undefined) return [place];
  return [place, { ...place, prefix, text: place.text.slice(prefix.length) }];
}

function listEncodings(text: string): [SignatureEncoding, SignatureAlgorithm][] {
  const found: [SignatureEncoding, SignatureAlgorithm][] = [];
  const add = (encoding: SignatureEncoding, bytes: number): void => {
    const algorithm = ALGORITHM_OF_BYTES.get(bytes);
    if (algorithm !== undefined) found.push([encoding, algorithm]);
  };
  if (/^[0-9a-f]+$/i.test(text)) add('hex', text.length / 2);
  const bare = text.replace(/=+$/, '');
  const bytes = Math.floor((bare.length * 3) / 4);
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0) add('base64', bytes);
  if (/^[\w-]+$/.test(text)) add('base64url', bytes);
  return found;
}

function unitOf(text: string): TimestampUnit | undefined {
  if (/^\d{10}$/.test(text)) return 'seconds';
  if (/^\d{13}$/.test(text)) return 'milliseconds';
  return /^\d{4}-\d{2}-\d{2}T/.test(text) && !Number.isNaN(Date.parse(text)) ? 'iso' : undefined;
}

/** A scheme without a timestamp has nothing that could be too old. */
function withDefaultTolerance(scheme: WebhookScheme): WebhookScheme {
  return scheme.timestampHeader === undefined ? { ...scheme, toleranceSeconds: 'off' } : scheme;
}

/** Schemes that differ only in names for the same bytes are one: base64 with and without `whsec_`. */
function dropTwins(schemes: readonly WebhookScheme[]): WebhookScheme[] {
  const seen = new Set<string>();
  return schemes.filter((scheme) => {
    const { keyEncoding, separator: _, ...rest } = scheme;
    const group = ['base64', 'base64url', 'whsec'].includes(keyEncoding) ? 'base64' : keyEncoding;
    const text = JSON.stringify([group, rest]);
    return !seen.has(text) && seen.add(text);
  });
}

function withoutUndefined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

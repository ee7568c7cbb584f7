import { z } from 'zod';
import type { SdkDescription } from '../contract.js';
import { ConfigError } from '../errors.js';
import { describeIssue, toFieldErrors } from '../field-errors.js';
import { origin, sdkDescription } from '../contract-schemas.js';

/**
 * Names of the Trusted Types policies of the tag: Lit's, and the one with which the element gives
 * the SDK's address to a script tag.
 */
export const TRUSTED_TYPES_POLICIES = ['lit-html', 'pay-checkout-sdk'] as const;

/** What a payment page may do when its shop has no policy yet. */
const STRICT_POLICY =
  "default-src 'self'; script-src 'self'; connect-src 'self'; frame-src 'self'; object-src 'none'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'self'";
/** Name of the endpoint in `Reporting-Endpoints`. */
export const REPORT_GROUP = 'pay-checkout';

export interface CspOptions {
  /** Origin of the session server, as browsers use it: its `PAY_PUBLIC_URL`. */
  readonly publicUrl: string;
  /** The SDK of the page's merchant, as in the merchants file; of each, where there are several. */
  readonly sdk: SdkDescription | readonly SdkDescription[];
  /**
   * Value of the `nonce` attribute of the page's script tags, new for each answer. The element hands
   * that of its own script tag on to the SDK's script.
   */
  readonly nonce?: string;
  /**
   * Trusts what a trusted script loads, and no list of origins: for an SDK that loads more scripts.
   * Needs `nonce`. Default false.
   */
  readonly strictDynamic?: boolean;
  /**
   * Enforces Trusted Types with the policies of the tag and these. Whether the SDK supports it is not
   * shown: try it with `reportOnly`. Default: not enforced.
   */
  readonly trustedTypes?: { readonly policies?: readonly string[] };
  /** Address that browsers report violations to. */
  readonly reportTo?: string;
  /** Only reports, blocks nothing. Default false. */
  readonly reportOnly?: boolean;
  /**
   * The policy that the page already has: what the tag needs is added to it. Default: a
   * strict policy for a page whose own files come from its own origin.
   */
  readonly existing?: string;
}

export interface PageCsp {
  /** Sources by directive. */
  readonly directives: Readonly<Record<string, readonly string[]>>;
  /** The policy as text, for a header or a template. */
  readonly policy: string;
  /** Response headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** An address that browsers report violations to. */
export const reportAddress = z
  .url({ protocol: /^https$/, error: 'expected an https address', abort: true })
  .regex(/^[^\s;,"]+$/, 'expected an address without spaces, quotes, commas and semicolons');

const optionFields = {
  publicUrl: origin,
  nonce: z
    .string()
    .regex(
      /^[A-Za-z0-9+/_-]{22,}={0,2}$/,
      'expected the base64 of at least 16 random bytes, new for each answer',
    )
    .optional(),
  strictDynamic: z.boolean('expected true or false').optional(),
  trustedTypes: z
    .strictObject({
      policies: z
        .array(z.string().regex(/^[\w#=@/.%-]+$/, 'expected the name of a policy'))
        .optional(),
    })
    .optional(),
  reportTo: reportAddress.optional(),
  reportOnly: z.boolean('expected true or false').optional(),
  existing: z
    .string()
    .regex(/^[^,\r\n]*$/, 'expected one policy; where there are several, call csp() for each')
    .optional(),
};
const sdkList = z.array(sdkDescription).min(1, 'expected the sdk of at least one merchant entry');

function schemaFor(options: unknown) {
  const sdk = (options as Partial<CspOptions> | undefined)?.sdk;
  return z
    .strictObject({ ...optionFields, sdk: Array.isArray(sdk) ? sdkList : sdkDescription })
    .refine(({ nonce, strictDynamic }) => strictDynamic !== true || nonce !== undefined, {
      path: ['strictDynamic'],
      error: 'expected a nonce as well; without one no script would be trusted',
    });
}

/**
 * The Content Security Policy of a merchant's page that shows `<pay-checkout>`: what the page needs
 * already, and what the tag and the provider's SDK need. `docs/security.md` explains each source.
 *
 * @throws {ConfigError} naming each option that is wrong, and what was expected
 * @example
 * response.set(csp({ publicUrl: 'https://pay.example', sdk: merchant.sdk, nonce }).headers);
 */
export function csp(options: CspOptions): PageCsp {
  const parsed = schemaFor(options).safeParse(options, { error: describeIssue });
  if (!parsed.success) {
    const mistakes = toFieldErrors(parsed.error, 'options');
    throw new ConfigError(
      'csp()',
      mistakes.map(({ field, message }) => `${field}: ${message}`),
    );
  }
  const { publicUrl, sdk, nonce, strictDynamic, trustedTypes, reportTo, reportOnly, existing } =
    options;
  const sources = tagSources(publicUrl, 'url' in sdk ? [sdk] : sdk);
  const directives = parsePolicy(existing ?? STRICT_POLICY);
  const scripts = [
    ...(nonce === undefined ? [] : [`'nonce-${nonce}'`]),
    ...(strictDynamic === true ? ["'strict-dynamic'"] : []),
    ...sources.script,
  ];
  allow(directives, 'script-src', scripts);
  // Decides instead of script-src about script tags, where a page has it.
  if (directives.has('script-src-elem')) allow(directives, 'script-src-elem', scripts);
  allow(directives, 'connect-src', sources.connect);
  allow(directives, 'frame-src', sources.frame);
  allow(directives, 'style-src', sources.style);
  for (const name of ['style-src-elem', 'style-src-attr']) {
    if (directives.has(name)) allow(directives, name, sources.style);
  }
  allow(directives, 'font-src', sources.font);
  allow(directives, 'img-src', sources.image);
  allow(directives, 'form-action', sources.form);
  allowTrustedTypes(directives, trustedTypes);
  if (reportTo !== undefined) {
    directives.set('report-to', [REPORT_GROUP]);
    directives.set('report-uri', [reportTo]);
  }
  const policy = writePolicy(directives);
  const name = `content-security-policy${reportOnly === true ? '-report-only' : ''}`;
  return {
    directives: Object.fromEntries(directives),
    policy,
    headers: {
      [name]: policy,
      ...(reportTo === undefined ? {} : { 'reporting-endpoints': `${REPORT_GROUP}="${reportTo}"` }),
    },
  };
}

function allowTrustedTypes(
  directives: Map<string, readonly string[]>,
  wanted: CspOptions['trustedTypes'],
): void {
  const listed = directives.get('trusted-types');
  if (wanted) directives.set('require-trusted-types-for', ["'script'"]);
  if (!wanted && listed === undefined) return;
  // A page may have a Lit of its own, which makes a policy of the same name.
  const names = [...TRUSTED_TYPES_POLICIES, ...(wanted?.policies ?? []), "'allow-duplicates'"];
  const kept = (listed ?? []).filter((name) => name.toLowerCase() !== "'none'");
  directives.set('trusted-types', [...new Set([...kept, ...names])]);
}

/** Sources that a page must allow, by what they are for. */
export interface PageSources {
  readonly script: readonly string[];
  readonly connect: readonly string[];
  readonly frame: readonly string[];
  readonly style: readonly string[];
  readonly font: readonly string[];
  readonly image: readonly string[];
  readonly form: readonly string[];
}

/** What the provider's SDK needs of any page that shows the tag, the hosted page included. */
export function sdkSources({ url, origins, inlineStyle }: SdkDescription): PageSources {
  const script = [...new Set([new URL(url).origin, ...origins.script])];
  const { style = [], image = [], form = [] } = origins;
  return {
    script,
    // The element asks for the script's address when loading it failed, to say why it did.
    connect: [...new Set([...origins.connect, ...script])],
    frame: origins.frame,
    style: inlineStyle === true ? ["'unsafe-inline'", ...style] : style,
    font: style,
    image,
    form,
  };
}

/** What the tag needs of a merchant's page: our server, and the SDKs of the merchants on it. */
function tagSources(publicUrl: string, sdks: readonly SdkDescription[]): PageSources {
  const ours = `${publicUrl}/v1/`;
  const join = (pick: (sources: PageSources) => readonly string[]): string[] => [
    ...new Set(sdks.flatMap((sdk) => pick(sdkSources(sdk)))),
  ];
  const form = join(({ form }) => form);
  return {
    script: [ours, ...join(({ script }) => script)],
    connect: [ours, ...join(({ connect }) => connect)],
    // Ours too: the hosted page in the overlay, and the page that the SDK's frame returns to.
    frame: [ours, ...join(({ frame }) => frame)],
    style: join(({ style }) => style),
    font: join(({ font }) => font),
    image: join(({ image }) => image),
    // Ours too: browsers also check where a post is redirected to, and it ends at the return page.
    form: form.length === 0 ? [] : [ours, ...form],
  };
}

/** A Content Security Policy: the sources of each directive, by its name. */
type Directives = ReadonlyMap<string, readonly string[]>;

/** Reads one policy as browsers do: the first directive of a name counts. */
export function parsePolicy(text: string): Map<string, readonly string[]> {
  const directives = new Map<string, readonly string[]>();
  for (const part of text.split(';')) {
    const [name, ...sources] = part.trim().split(/\s+/);
    const key = name?.toLowerCase() ?? '';
    if (key !== '' && !directives.has(key)) directives.set(key, sources);
  }
  return directives;
}

function writePolicy(directives: Directives): string {
  return [...directives].map(([name, sources]) => [name, ...sources].join(' ')).join('; ');
}

/** The directives that decide when one is not there, nearest first. */
const FALLBACKS: Readonly<Record<string, readonly string[]>> = {
  'script-src': ['default-src'],
  'script-src-elem': ['script-src', 'default-src'],
  'connect-src': ['default-src'],
  'frame-src': ['child-src', 'default-src'],
  'style-src': ['default-src'],
  'font-src': ['default-src'],
  'img-src': ['default-src'],
};

/** The sources that decide about a directive, its own or a fallback's; undefined: all are allowed. */
export function effectiveSources(
  directives: Directives,
  name: string,
): readonly string[] | undefined {
  const deciding = [name, ...(FALLBACKS[name] ?? [])].find((each) => directives.has(each));
  return deciding === undefined ? undefined : directives.get(deciding);
}

/** Allows sources in addition to those of a policy; a directive that allows everything stays as it is. */
function allow(
  directives: Map<string, readonly string[]>,
  name: string,
  sources: readonly string[],
): void {
  const allowed = effectiveSources(directives, name);
  if (allowed === undefined || sources.length === 0) return;
  const kept = allowed.filter((source) => source.toLowerCase() !== "'none'");
  directives.set(name, [...new Set([...kept, ...sources])]);
}

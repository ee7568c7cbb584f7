import { OPERATIONS, type PartnerClient } from '../client.js';
import { InvalidRequestError, isPartnerApiError, type PartnerApiError } from '../errors.js';
import { Addresses, type AddressOptions, isPlain } from '../http/addresses.js';
import type { BaseName, Operation } from '../http/operation.js';
import { UndiciTransport } from '../http/undici-transport.js';
import { TransportError, type TransportHead, type TransportRequest } from '../http/transport.js';
import type { Secret } from '../secret.js';
import type { WebhookScheme } from '../webhooks/scheme.js';
import { signWebhook, verifyWebhook } from '../webhooks/signature.js';
import { REFUSAL_WORDS } from './commands/webhook-deliveries.js';
import type { FoundKey } from './keys.js';

/** What a check found, and what to do about it. */
export interface Finding {
  readonly check: string;
  readonly result: 'ok' | 'warn' | 'fail' | 'skip';
  readonly detail: string;
  readonly fix?: string;
}

export function ok(check: string, detail: string): Finding {
  return { check, result: 'ok', detail };
}

export const warn = withFix('warn');
export const fail = withFix('fail');
/** Nothing to check; `fix` says what to give so that there is. */
export const skip = withFix('skip');

function withFix(
  result: Finding['result'],
): (check: string, detail: string, fix: string) => Finding {
  return (check, detail, fix) => ({ check, result, detail, fix });
}

const KEY_CHECK = 'API key';
const SCHEME_CHECK = 'signature scheme';
const SHORT = 16;

const KEY_PROBLEMS: readonly (readonly [pattern: RegExp, fix: string])[] = [
  [/[^!-~]/, 'It holds spaces, line breaks or letters that no key has: copy it again.'],
  [/^(['"]).*\1$/, 'It begins and ends with a quote: take them out.'],
  [
    /^<.*>$|your.?api.?key|^(api_key|changeme)$/i,
    'It is the placeholder of an example: put the real key there.',
  ],
  [/^(bearer|api_key)[:=]/i, 'Give the value alone: the header api_key is added.'],
];

/** Whether a key has the form of one. Of the key itself only its length is shown. */
export function checkKey({ key, from }: FoundKey): Finding {
  const text = key.reveal();
  const detail = `from ${from}, ${text.length} characters`;
  const problem = KEY_PROBLEMS.find(([pattern]) => pattern.test(text));
  if (problem !== undefined) return fail(KEY_CHECK, detail, problem[1]);
  if (from === '--api-key') {
    return warn(
      KEY_CHECK,
      detail,
      'Use PAY_PARTNER_API_KEY or --api-key-file: others can see arguments.',
    );
  }
  return text.length < SHORT
    ? warn(KEY_CHECK, detail, 'It is short for a key; was it cut when it was copied?')
    : ok(KEY_CHECK, detail);
}

/** Whether a scheme and a key fit each other: what is signed with them must verify. */
export async function checkScheme(scheme: WebhookScheme, key: Secret): Promise<Finding> {
  const body = '{"event":"test"}';
  const url = 'https://shop.example/hooks';
  try {
    const headers = await signWebhook(scheme, key, { body, id: 'msg_doctor', url });
    const result = await verifyWebhook(scheme, [{ key }], { headers, body, url });
    if (!result.valid)
      return fail(SCHEME_CHECK, REFUSAL_WORDS[result.reason], 'Correct the scheme.');
  } catch (error) {
    const fix =
      'Is keyEncoding right for this key? webhooks solve finds it from one captured delivery.';
    return fail(SCHEME_CHECK, error instanceof Error ? error.message : 'cannot sign', fix);
  }
  const detail = `${scheme.header}, ${scheme.algorithm} over ${scheme.template}`;
  if (!scheme.template.includes('{body}')) {
    return fail(SCHEME_CHECK, detail, 'It does not sign the body: anyone could change it.');
  }
  if (!scheme.template.includes('{timestamp}')) {
    const fix =
      'It signs no time, so a delivery can be sent again: store the ids that were dealt with.';
    return warn(SCHEME_CHECK, detail, fix);
  }
  if (scheme.toleranceSeconds === 'off') {
    return warn(SCHEME_CHECK, detail, 'Its timestamp is not checked: set toleranceSeconds.');
  }
  return ok(SCHEME_CHECK, detail);
}

const FLAGS: Readonly<Record<BaseName, string>> = {
  api: '--base-url',
  merchants: '--merchants-base-url',
  transfers: '--transfers-base-url',
};

/** Shows where every operation goes, and what is odd about it. Nothing is sent. */
export function checkAddresses(options: AddressOptions): Finding[] {
  const addresses = new Addresses(options);
  return OPERATIONS.map((operation) => {
    const check = `address of ${operation.name}`;
    try {
      return checkAddress(check, operation, addresses.urlOf(operation), addresses, options);
    } catch (error) {
      if (!(error instanceof InvalidRequestError)) throw error;
      const fix = `Give ${FLAGS[operation.base]} if you use it.`;
      return skip(check, error.message.replace(/^[\w.]+: \w+ /, 'the address '), fix);
    }
  });
}

/** The host of each base address that is set, once. */
export function listHosts(options: AddressOptions): URL[] {
  const addresses = new Addresses(options);
  const bases = (['api', 'merchants', 'transfers'] as const).map((base) => addresses.textOf(base));
  const origins = bases.filter((base) => base !== '').map((base) => new URL(base).origin);
  return [...new Set(origins)].map((origin) => new URL(origin));
}

function checkAddress(
  check: string,
  { base, path }: Operation,
  url: URL,
  addresses: Addresses,
  { environment }: AddressOptions,
): Finding {
  const flag = FLAGS[base];
  const prefix = new URL(addresses.textOf(base)).pathname.replace(/\/+$/, '');
  const detail = decodeURI(url.href);
  const [first = ''] = path;
  if (prefix.split('/').includes(first)) {
    return fail(check, detail, `Take /${first} out of ${flag}: the operation brings it.`);
  }
  if (base === 'merchants' && prefix === '') {
    const fix = `The merchants interface ends in a path prefix (section 4.3): is it in ${flag}?`;
    return warn(check, detail, fix);
  }
  if (url.protocol === 'http:' && (environment === 'production' || isPlain(url))) {
    return fail(
      check,
      detail,
      `Use https in ${flag}: the key would go over the line in the clear.`,
    );
  }
  return ok(check, detail);
}

const TIMEOUT_MILLISECONDS = 10_000;
const MAX_BYTES = 1024 * 1024;

/** Sends one request without the client; an answer whose body cannot be used is one, too. */
export async function probe(
  url: URL,
  signal: AbortSignal,
  request: Pick<TransportRequest, 'method' | 'headers' | 'body'> = { method: 'GET', headers: {} },
): Promise<TransportHead> {
  const transport = new UndiciTransport();
  try {
    return await transport.send({
      ...request,
      url,
      headers: { ...request.headers, 'User-Agent': 'pay-partner doctor' },
      maxResponseBytes: MAX_BYTES,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MILLISECONDS)]),
    });
  } catch (error) {
    if (error instanceof TransportError && error.head !== undefined) return error.head;
    throw error;
  } finally {
    transport.close();
  }
}

const MAX_SKEW_SECONDS = 30;

const FIXES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The name is not known: is it spelled right, and does this machine have DNS?',
  EAI_AGAIN: 'Names cannot be resolved now: check DNS.',
  ECONNREFUSED: 'Nothing listens there: are host and port right, is the sandbox running?',
  ECONNRESET: 'The connection was cut: is there a proxy or a firewall in between?',
  ETIMEDOUT: 'No answer: a firewall may drop it. Behind a proxy set NODE_USE_ENV_PROXY=1.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed: set NODE_EXTRA_CA_CERTS.',
  SELF_SIGNED_CERT_IN_CHAIN: 'A private authority signed the certificate: set NODE_EXTRA_CA_CERTS.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The chain of certificates is incomplete at the server.',
  CERT_HAS_EXPIRED:
    'The certificate is no longer valid: check the clock here, then ask the provider.',
};

/** Whether a host answers at all, without a key, and how far its clock is from ours. */
export async function checkHost(origin: URL, signal: AbortSignal): Promise<Finding[]> {
  const check = `host ${origin.host}`;
  const startedAt = Date.now();
  try {
    const { headers } = await probe(origin, signal);
    const endedAt = Date.now();
    return [
      ok(check, `answers in ${endedAt - startedAt} ms`),
      checkClock(origin, headers['date'], (startedAt + endedAt) / 2),
    ];
  } catch (error) {
    const code = codeOf(error);
    const fix = FIXES[code] ?? 'Check the address, and what stands in between.';
    return [fail(check, `cannot be reached (${code})`, fix)];
  }
}

/** Compares our clock with a `Date` header, which has whole seconds. */
export function checkClock(
  { host }: URL,
  date: string | undefined,
  nowMilliseconds: number,
): Finding {
  const check = `clock of ${host}`;
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) {
    return warn(check, 'sends no time', 'Compare the clock of this machine in another way.');
  }
  const skew = Math.round((nowMilliseconds - theirs) / 1000);
  const detail = `ours is ${Math.abs(skew)} s ${skew < 0 ? 'behind' : 'ahead'}`;
  if (Math.abs(skew) <= MAX_SKEW_SECONDS) return ok(check, detail);
  const fix =
    'Set the clock (NTP): signatures of webhooks carry a time and count for minutes only.';
  return fail(check, detail, fix);
}

function codeOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const { code, name } = ((cause ?? error) as NodeJS.ErrnoException) ?? {};
  const { problem } = error as { problem?: unknown };
  if (problem === 'aborted') return 'ETIMEDOUT';
  return typeof code === 'string' && /^[A-Z_0-9]{2,60}$/.test(code) ? code : name;
}

const ACCESS_FIXES: Readonly<Record<string, string>> = {
  AuthenticationError: 'The key is wrong, or of the other environment. Copy it again.',
  PermissionError: 'The key is known and may not list transactions: ask the provider.',
  NotFoundError: 'The address is not that of the API: is its path prefix in --base-url?',
  RateLimitError: 'Too many requests: try again later.',
  RedirectError: 'Set --base-url to the final address: redirects are never followed.',
  InvalidResponseError: 'What answers is not the API: is --base-url that of a web page or a proxy?',
  ServerError: 'The provider has a fault: try again later.',
};

/** Reads one transaction and, if a merchant is named, its transfers: is the key taken? */
export async function checkAccess(
  client: PartnerClient,
  merchantId: string | undefined,
  signal: AbortSignal,
): Promise<Finding[]> {
  const read = await checkRead('transactions with this key', async () => {
    await client.transactions.list({ limit: 1 }, { signal, maxRetries: 1 });
  });
  if (merchantId === undefined) return [read, ...checkDrift(client)];
  const transfers = await checkRead('scheduled transfers', async () => {
    await client.scheduledTransfers.list(merchantId, undefined, { signal, maxRetries: 1 });
  });
  return [read, transfers, ...checkDrift(client)];
}

async function checkRead(check: string, work: () => Promise<void>): Promise<Finding> {
  try {
    await work();
    return ok(check, 'can be read');
  } catch (error) {
    if (!isPartnerApiError(error)) throw error;
    return fail(check, describe(error), ACCESS_FIXES[error.name] ?? 'Run it again with --verbose.');
  }
}

function checkDrift(client: PartnerClient): Finding[] {
  const drift = Object.values(client.driftReport());
  const places = drift.flatMap(({ unexpectedTypes }) => Object.keys(unexpectedTypes));
  if (places.length === 0) return [];
  const fix = 'Run pay-partner conformance, and report it to the provider or to us.';
  return [warn('answers as documented', `${places.length} fields have another type`, fix)];
}

function describe({ message, requestId, providerMessage }: PartnerApiError): string {
  const said = providerMessage === undefined ? '' : ` The provider says: ${providerMessage}`;
  return requestId === undefined ? message + said : `${message} Request id ${requestId}.${said}`;
}

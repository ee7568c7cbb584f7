import { InvalidRequestError } from '../errors.js';
import type { BaseName, Operation } from './operation.js';

/** Which of the provider's two environments a client talks to (spec 4.3). */
export type Environment = 'sandbox' | 'production';

/** The addresses of a client, as its options give them. */
export interface AddressOptions {
  /** `{base_url}` of the spec; a path prefix is kept. */
  readonly baseUrl: string;
  /** Needed only where an address is given for each environment. */
  readonly environment?: Environment | undefined;
  /**
   * `{merchants_sandbox_base_url}` and `{merchants_production_base_url}` (spec 4.3), each with its
   * path prefix, or only the one for the chosen environment. No default: the spec shows neither.
   */
  readonly merchantsBaseUrl?: string | Readonly<Partial<Record<Environment, string>>> | undefined;
  /**
   * `{transfers_base_url}` (spec 4.4). Default: the host of `baseUrl` in the environment `sandbox`,
   * otherwise none, because the spec shows only the sandbox's.
   */
  readonly transfersBaseUrl?: string | undefined;
}

const OPERATION = 'new PartnerClient';

const MISSING: Readonly<Record<BaseName, string>> = {
  api: '',
  merchants: 'is not set: the merchants interface has an address of its own, with a path prefix',
  transfers:
    'is not set: the spec shows the address of scheduled transfers for the sandbox only; ask the ' +
    'provider for the one of production',
};

/** The base addresses of a client, checked. */
export class Addresses {
  readonly #bases: Readonly<Record<BaseName, URL | undefined>>;
  /** Hosts on the network that the key goes to unencrypted. */
  readonly plainHosts: readonly string[];

  constructor(options: AddressOptions) {
    const { environment, merchantsBaseUrl: merchants, transfersBaseUrl: transfers } = options;
    if (environment !== undefined && environment !== 'sandbox' && environment !== 'production') {
      throw new InvalidRequestError('environment', "must be 'sandbox' or 'production'", OPERATION);
    }
    const api = readAddress('baseUrl', options.baseUrl);
    this.#bases = {
      api,
      merchants: readMerchantsAddress(merchants, environment),
      transfers:
        transfers !== undefined
          ? readAddress('transfersBaseUrl', transfers)
          : environment === 'sandbox'
            ? new URL('/', api)
            : undefined,
    };
    this.plainHosts = Object.values(this.#bases).flatMap((url) =>
      url !== undefined && isPlain(url) ? url.host : [],
    );
    for (const [base, url] of Object.entries(this.#bases)) {
      if (environment !== 'production' || url === undefined || !isPlain(url)) continue;
      const field = base === 'api' ? 'baseUrl' : `${base}BaseUrl`;
      const advice = 'must start with https:// in production: the key would travel unencrypted';
      throw new InvalidRequestError(field, advice, OPERATION);
    }
  }

  urlOf({ name, base, path }: Operation): URL {
    return joinUrl(this.#baseOf(base, name), path);
  }

  /** The base address as text; empty where it is not set. */
  textOf(base: BaseName): string {
    return this.#bases[base]?.href ?? '';
  }

  #baseOf(base: BaseName, operation: string): URL {
    const url = this.#bases[base];
    if (url !== undefined) return url;
    throw new InvalidRequestError(`${base}BaseUrl`, MISSING[base], operation);
  }
}

/** Plain http to another machine than this one. */
export function isPlain({ protocol, hostname }: URL): boolean {
  const isLocal = /^(.+\.)?localhost$|^127(\.\d+){3}$|^\[::1\]$/.test(hostname);
  return protocol === 'http:' && !isLocal;
}

function readMerchantsAddress(
  given: AddressOptions['merchantsBaseUrl'],
  environment: Environment | undefined,
): URL | undefined {
  if (given === undefined) return undefined;
  if (typeof given !== 'object' || given === null) return readAddress('merchantsBaseUrl', given);
  // Every address given is checked, so that a mistake does not wait for production.
  const addresses = new Map<string, URL>();
  for (const [name, text] of Object.entries(given)) {
    if (text !== undefined) addresses.set(name, readAddress(`merchantsBaseUrl.${name}`, text));
  }
  if (environment === undefined) {
    const advice = 'must be set when merchantsBaseUrl has an address for each environment';
    throw new InvalidRequestError('environment', advice, OPERATION);
  }
  return addresses.get(environment);
}

function readAddress(field: string, text: unknown): URL {
  const url = parseBaseUrl(text);
  if (typeof url === 'string') throw new InvalidRequestError(field, url, OPERATION);
  return url;
}

/**
 * Joins a base address and the segments of a path. The path prefix of the base is kept, with or
 * without a slash at its end; `new URL(path, base)` would lose it.
 */
export function joinUrl(base: URL, segments: readonly string[]): URL {
  const url = new URL(base);
  const prefix = base.pathname.replace(/\/+$/, '');
  url.pathname = [prefix, ...segments.map(encodeSegment)].join('/');
  return url;
}

function encodeSegment(segment: string): string {
  if (segment === '' || segment === '.' || segment === '..') {
    throw new RangeError('a path segment must not be empty, "." or ".."');
  }
  return encodeURIComponent(segment);
}

/** Reads a base address; the reason, as advice to the caller, when it cannot be one. */
export function parseBaseUrl(text: unknown): URL | string {
  if (typeof text !== 'string' || !URL.canParse(text)) {
    return 'must be an absolute address such as https://api.example.com/prefix';
  }
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must start with https://';
  if (url.username !== '' || url.password !== '') {
    return 'must not hold a user name or password; give the key as apiKey';
  }
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text)) {
    return 'must not have a query or a fragment';
  }
  return url;
}

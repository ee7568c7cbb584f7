import { CodedError } from '../coded-error.js';
import { backOffMs, pause } from '../pause.js';

/** What to load, and what the page's policies require of it. */
export interface ScriptOptions {
  readonly url: string;
  /** Dotted path from `window` to what the script leaves. */
  readonly global: string;
  /** Subresource Integrity. */
  readonly integrity?: string | undefined;
  /** The page's Content Security Policy nonce. */
  readonly nonce?: string | undefined;
}

const TIMEOUT_MS = 20_000;
const MAX_TRIES = 3;
/** An SDK may attach its methods after its script has run. */
const MAX_CHECKS = 40;
const CHECK_INTERVAL_MS = 50;
/** A server needs longer to refuse: a faster failure was most likely a blocker in the browser. */
const BLOCKED_WITHIN_MS = 50;
/** Errors that another try would only repeat. */
const PERMANENT_CODES = ['sdk_blocked_csp', 'sdk_integrity', 'sdk_global_missing', 'sdk_timeout'];

/** By options; undefined after a failure. */
const loads = new Map<string, Promise<void> | undefined>();

/**
 * Loads a classic script once, however many elements ask, until `isReady`. A load that fails after its
 * tries says why in its code and is forgotten, so that the next call loads again. Every try but the
 * first bypasses caches.
 */
export function loadScript(
  options: ScriptOptions,
  isReady: () => unknown,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const key = JSON.stringify(options);
  let load = loads.get(key);
  if (!load) {
    load = loadWithRetries(options, isReady, AbortSignal.timeout(timeoutMs), loads.has(key));
    loads.set(key, load);
    load.catch(() => loads.set(key, undefined));
  }
  return load;
}

async function loadWithRetries(
  options: ScriptOptions,
  isReady: () => unknown,
  deadline: AbortSignal,
  hasFailed: boolean,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const url = new URL(options.url, location.href);
    // The query itself stays as it is written: it may be signed.
    if (hasFailed || tries > 1) url.search += `${url.search && '&'}retry=${Date.now()}`;
    const code = deadline.aborted
      ? 'sdk_timeout'
      : await insertScript(url.href, options, isReady, deadline).catch(() => 'sdk_blocked_csp');
    if (!code) return;
    if (tries === MAX_TRIES || PERMANENT_CODES.includes(code)) throw new CodedError(code);
    await pause(backOffMs(tries), deadline);
  }
}

/**
 * Adds one script tag. Resolves with the code of what went wrong, if anything did; rejects only with
 * what a page's Trusted Types throw.
 */
async function insertScript(
  url: string,
  { integrity = '', nonce = '' }: ScriptOptions,
  isReady: () => unknown,
  deadline: AbortSignal,
): Promise<string | undefined> {
  let isForbidden = false;
  document.addEventListener(
    'securitypolicyviolation',
    ({ blockedURI, disposition }) => {
      isForbidden ||= url.startsWith(blockedURI) && disposition === 'enforce';
    },
    { signal: deadline },
  );
  const script = Object.assign(document.createElement('script'), {
    nonce,
    integrity,
    crossOrigin: integrity ? 'anonymous' : null,
    src: trustedUrl(url),
  });
  const isLoaded = await new Promise<unknown>((resolve) => {
    script.onload = resolve;
    script.onerror = deadline.onabort = () => resolve(false);
    document.head.append(script);
  });
  for (let checks = 0; isLoaded && checks < MAX_CHECKS; checks++) {
    if (isReady()) return undefined;
    await pause(CHECK_INTERVAL_MS, deadline);
  }
  if (isLoaded) return 'sdk_global_missing';
  script.remove();
  if (isForbidden) return 'sdk_blocked_csp';
  if (deadline.aborted) return 'sdk_timeout';
  if (!navigator.onLine) return 'sdk_offline';
  const request = (mode: RequestMode): Promise<Response | undefined> =>
    fetch(url, { mode, signal: deadline }).catch(() => undefined);
  const requestedAt = Date.now();
  const response = await request('cors');
  if (!response) {
    const isBlocked = !(await request('no-cors')) && Date.now() - requestedAt < BLOCKED_WITHIN_MS;
    // The violation event of the page's own policy may come later.
    await pause(CHECK_INTERVAL_MS, deadline);
    return isBlocked && !isForbidden ? 'sdk_blocked' : 'sdk_load_failed';
  }
  if (response.status >= 500) return 'sdk_server_error';
  if (response.status === 404) return 'sdk_not_found';
  return integrity && response.ok ? 'sdk_integrity' : 'sdk_load_failed';
}

/** Accepts any address: they come from the server. */
const rules = { __proto__: null, createScriptURL: (url: string): string => url };
/** Missing in older browsers, which is caught. */
declare const trustedTypes: {
  createPolicy(name: string, given: typeof rules): typeof rules;
};
let policy: typeof rules | undefined;

/**
 * The address of a script, as a page that enforces Trusted Types requires it: from the policy
 * `pay-checkout-sdk`. On a page that forbids that policy it stays a plain string, which the page's
 * `default` policy may accept.
 */
function trustedUrl(url: string): string {
  try {
    policy ??= trustedTypes.createPolicy('pay-checkout-sdk', rules);
  } catch {
    policy = rules;
  }
  return policy.createScriptURL(url);
}

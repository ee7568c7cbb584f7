import { pause } from '../flow/pause.js';
import { trustScript } from './trust-script.js';

/** What to load, and what the page's policies ask of it: all that tells one load from another. */
export interface ScriptOptions {
  readonly url: string;
  /** Dotted path from `window` to what the script leaves. */
  readonly global: string;
  /** Subresource Integrity. */
  readonly integrity?: string | undefined;
  /** The page's Content Security Policy nonce. */
  readonly nonce?: string | undefined;
}

/** An SDK may attach its methods after its script has run. */
const LOOKS = 40;
const LOOK_EVERY_MS = 50;
/** A network that is not very near refuses no sooner: most likely it was not asked. */
const AT_ONCE_MS = 50;

/**
 * Puts one script tag on the page. Resolves with the code of what went wrong, if anything did; throws
 * only what a page's Trusted Types throw at the address.
 */
export async function insertScript(
  url: string,
  { integrity = '', nonce = '' }: ScriptOptions,
  isThere: () => boolean,
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
    src: trustScript(url),
  });
  const isLoaded = await new Promise<unknown>((resolve) => {
    script.onload = resolve;
    script.onerror = deadline.onabort = () => resolve(false);
    document.head.append(script);
  });
  for (let looks = 0; isLoaded && looks < LOOKS; looks++) {
    if (isThere()) return undefined;
    await pause(LOOK_EVERY_MS, deadline);
  }
  if (isLoaded) return 'sdk_global_missing';
  script.remove();
  if (isForbidden) return 'sdk_blocked_csp';
  if (deadline.aborted) return 'sdk_timeout';
  if (!navigator.onLine) return 'sdk_offline';
  const ask = (mode: RequestMode): Promise<Response | undefined> =>
    fetch(url, { mode, signal: deadline }).catch(() => undefined);
  const askedAt = Date.now();
  const answer = await ask('cors');
  if (!answer) {
    const isRefused = !(await ask('no-cors')) && Date.now() - askedAt < AT_ONCE_MS;
    // The browser may say later that it was the page's own policy.
    await pause(LOOK_EVERY_MS, deadline);
    return isRefused && !isForbidden ? 'sdk_blocked' : 'sdk_load_failed';
  }
  if (answer.status >= 500) return 'sdk_server_error';
  if (answer.status === 404) return 'sdk_not_found';
  return integrity && answer.ok ? 'sdk_integrity' : 'sdk_load_failed';
}

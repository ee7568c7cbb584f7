import { CodedError } from '../coded-error.js';

/** What to load, and what the page's policies ask of it. */
export interface ScriptOptions {
  readonly url: string;
  /** Subresource Integrity. */
  readonly integrity?: string | undefined;
  /** The page's Content Security Policy nonce. */
  readonly nonce?: string | undefined;
  /** Whether the script left what it was loaded for. */
  readonly isThere?: () => boolean;
  /** Default 20 seconds. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 20_000;
const loads = new Map<string, Promise<void>>();
const failed = new Set<string>();

/**
 * Loads a classic script once, however many elements ask. A failure is forgotten, and its tag is
 * removed, so that asking again loads again, under an address that no cache has the failure of.
 */
export function loadScript(options: ScriptOptions): Promise<void> {
  const { url } = options;
  let load = loads.get(url);
  if (!load) {
    load = insertScript(options);
    loads.set(url, load);
    load.catch(() => failed.add(url) && loads.delete(url));
  }
  return load;
}

function insertScript(options: ScriptOptions): Promise<void> {
  const { url, integrity, nonce, isThere, timeoutMs = TIMEOUT_MS } = options;
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    const fail = (code: string) => () => {
      clearTimeout(timer);
      script.remove();
      reject(new CodedError(code));
    };
    const timer = setTimeout(fail('sdk_timeout'), timeoutMs);
    script.onload = () => {
      if (isThere && !isThere()) return fail('sdk_global_missing')();
      clearTimeout(timer);
      resolve();
    };
    script.onerror = fail('sdk_load_failed');
    script.async = true;
    if (integrity) {
      script.integrity = integrity;
      script.crossOrigin = 'anonymous';
    }
    if (nonce) script.nonce = nonce;
    const address = new URL(url, location.href);
    if (failed.has(url)) address.searchParams.set('retry', `${Date.now()}`);
    script.src = address.href;
    document.head.append(script);
  });
}

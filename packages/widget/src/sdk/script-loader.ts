import { CodedError } from '../coded-error.js';
import { backOffMs, pause } from '../flow/pause.js';
import { insertScript, type ScriptOptions } from './insert-script.js';

const TIMEOUT_MS = 20_000;
const TRIES = 3;
/** Trouble that another try would only repeat. */
const LASTING = ['sdk_blocked_csp', 'sdk_integrity', 'sdk_global_missing', 'sdk_timeout'];
/** By description; nothing under one that failed. */
const loads = new Map<string, Promise<void> | undefined>();

/**
 * Loads a classic script once, however many elements ask, until `isThere`. A load that fails in spite
 * of its tries says why in its code and is forgotten, so that asking again loads again: from the
 * second try on under an address that no cache has the failure of.
 */
export function loadScript(
  options: ScriptOptions,
  isThere: () => boolean,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const key = JSON.stringify(options);
  let load = loads.get(key);
  if (!load) {
    load = insist(options, isThere, AbortSignal.timeout(timeoutMs), loads.has(key));
    loads.set(key, load);
    load.catch(() => loads.set(key, undefined));
  }
  return load;
}

async function insist(
  options: ScriptOptions,
  isThere: () => boolean,
  deadline: AbortSignal,
  hasFailed: boolean,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const url = new URL(options.url, location.href);
    if (hasFailed || tries > 1) url.searchParams.set('retry', `${Date.now()}`);
    const code = deadline.aborted
      ? 'sdk_timeout'
      : await insertScript(url.href, options, isThere, deadline).catch(() => 'sdk_blocked_csp');
    if (!code) return;
    if (tries === TRIES || LASTING.includes(code)) throw new CodedError(code);
    await pause(backOffMs(tries), deadline);
  }
}

import { pause } from './pause.js';

/** A window tells nobody that it was closed, so that somebody has to look. */
const LOOK_MS = 500;

/**
 * Opens the server's hosted page in a window of its own, or in the one that `name` has already; null
 * when the browser does not let it, which it does in a click only.
 */
export function openWindow(url: string, name: string): Window | null {
  return open(url, `pay-checkout ${name}`, 'popup,width=520,height=760');
}

/** Resolves when there is no such window any more, or `signal` aborts. */
export async function whenClosed(opened: Window | null, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !opened?.closed) await pause(LOOK_MS, signal);
}

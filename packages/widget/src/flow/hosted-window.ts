import type { FlowController } from './flow-controller.js';
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

/** A closed window tells nothing: the server looks, and what it knows comes as news. */
export async function closeWithWindow(flow: FlowController, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && flow.hasWindow) await pause(LOOK_MS, signal);
  if (signal.aborted) return;
  flow.hint('shown');
  flow.send({ type: 'close' });
}

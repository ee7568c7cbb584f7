import type { CheckoutStatus } from '@pay-checkout/session-server/contract';
import { coded } from '../coded-error.js';
import type { KnownCheckout, Trouble } from './checkout-flow.js';
import { backOffMs, pause } from './pause.js';
import { fetchStatus, isRetryable } from './session-api.js';

/** What following needs to know, and whom it tells. */
export interface FollowOptions {
  readonly server: string;
  /** What is known now; it is read again before each question. */
  readonly known: () => KnownCheckout | undefined;
  /** Whether to ask for an answer at once, instead of for one when something has moved. */
  readonly isHurried: () => boolean;
  /** Whether a status is about what the tag names. */
  readonly isOurs: (status: CheckoutStatus) => boolean;
  readonly onStatus: (status: CheckoutStatus) => void;
  readonly onTrouble: (trouble: Trouble) => void;
}

const SHORTEST_ROUND_MS = 1000;

/**
 * Asks the server about one checkout, over and over, until `signal` aborts. A network that fails
 * only makes the pauses grow: no clock of this page ever decides about a payment. Trouble is told
 * only of a checkout that was never seen here, because its id came from the page's address.
 */
export async function followCheckout(options: FollowOptions, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted;) {
    const known = options.known();
    if (!known) return;
    const { checkout, revision } = known;
    const isUnseen = revision < 0;
    const since = isUnseen || options.isHurried() ? undefined : revision;
    const askedAt = Date.now();
    let waitMs: number;
    try {
      const reply = await fetchStatus(options.server, checkout, since, signal);
      if (signal.aborted) return;
      failures = 0;
      const status = reply.checkouts.find((one) => one.checkout === checkout);
      if (status && (!isUnseen || options.isOurs(status))) options.onStatus(status);
      else if (isUnseen) {
        options.onTrouble({ code: status ? 'checkout_mismatch' : 'checkout_not_found' });
      }
      const hasMoved = status !== undefined && status.revision > revision;
      const isPaced = hasMoved || Date.now() - askedAt > SHORTEST_ROUND_MS;
      waitMs = Math.max((reply.retryAfterSeconds ?? 0) * 1000, isPaced ? 0 : SHORTEST_ROUND_MS);
    } catch (error) {
      if (signal.aborted) return;
      const trouble = coded(error, 'server_unreachable');
      const { code, requestId } = trouble;
      if (isUnseen && !isRetryable(trouble)) {
        options.onTrouble({ code, requestId, remedy: 'follow' });
      }
      waitMs = backOffMs(++failures);
    }
    await pause(waitMs, signal);
  }
}

import { isChecked, isUnseen } from './checkout-flow.js';
import type { FlowController } from './flow-controller.js';
import { pause } from './pause.js';
import type { News } from './status-feed.js';

/** So long a form has the browser for itself: nobody pays in it so soon. */
export const FORM_FIRST_MS = 1000;

/** A card that was sent is found by then, unless something is wrong with it, or with us. */
const FOUND_WITHIN_MS = 60_000;

/** After a card was sent whose form is gone: when the server finds nothing, that is said in words. */
export async function stopWaiting(flow: FlowController, signal: AbortSignal): Promise<void> {
  await pause(FOUND_WITHIN_MS, signal);
  if (!signal.aborted) flow.fail({ code: 'outcome_unknown', remedy: 'open' });
}

/** Tells the flow what the server learns of its checkout, until `signal` aborts. */
export async function follow(flow: FlowController, signal: AbortSignal): Promise<void> {
  if (flow.state.phase === 'opening') await pause(FORM_FIRST_MS, signal);
  if (signal.aborted) return;
  const { checkout = '' } = flow.state.known ?? {};
  const revision = (): number =>
    isChecked(flow.state) ? 0 : Math.max(0, flow.state.known?.revision ?? 0);
  /** Trouble is told only of a checkout never seen here, and to who asked to look again. */
  const hear = ({ checkouts, code, requestId }: News): void => {
    const { merchant, order } = flow.host;
    const status = checkouts.find((one) => one.checkout === checkout);
    const isOurs =
      !status ||
      ((!merchant || status.merchant === merchant) && (!order || status.order === order));
    const isNew = isUnseen(flow.state);
    if (status && (isOurs || !isNew)) flow.send({ type: 'status', status });
    else if (isNew || isChecked(flow.state)) {
      const found = isOurs ? 'checkout_not_found' : 'checkout_mismatch';
      flow.fail({ code: code ?? found, requestId, remedy: isOurs ? 'follow' : undefined });
    }
  };
  flow.feed.follow({ checkout, revision, hear }, signal);
}

import type { OpenCheckoutRequest } from '@pay-checkout/session-server/contract';
import { coded } from '../coded-error.js';
import type { FlowState } from './checkout-flow.js';
import type { FlowController } from './flow-controller.js';
import { isElsewhere } from './modes.js';
import { pause } from './pause.js';
import { isRetryable, openCheckout, serverSession } from './session-api.js';

/** Between two questions whether a window has what it asks its shopper for. */
const WINDOW_ASKS_MS = 4000;

/** Opens the checkout that the tag names, and tells the flow what the server answered. */
export async function askToOpen(flow: FlowController, signal: AbortSignal): Promise<void> {
  const { host, way, hostedUrl, lastHint } = flow;
  const { merchant, order, orderToken, language, createSession, serverUrl } = host;
  const { renew, address } = flow.state as FlowState & { phase: 'opening' };
  if (!merchant || !order || (isElsewhere(way) && !hostedUrl)) {
    flow.fail({ code: 'tag_incomplete' });
    return;
  }
  const request = {
    merchant,
    order,
    orderToken: orderToken ?? undefined,
    locale: language,
    renew,
    avs: address?.given,
  } as OpenCheckoutRequest;
  try {
    flow.askedLanguage = language;
    // Without one it goes at once, before anything is drawn.
    if (lastHint) await lastHint;
    const isLast = !flow.hasWindow;
    const reply = await openCheckout(createSession ?? serverSession(serverUrl), request, signal);
    if (signal.aborted) return;
    if ('needs' in reply) {
      if (isElsewhere(way)) {
        // The other page asks the shopper, who need not type it here as well.
        if (isLast) flow.send({ type: 'close' });
        else await pause(WINDOW_ASKS_MS, signal).then(() => askToOpen(flow, signal));
        return;
      }
      flow.send({ type: 'asked', address: { asked: reply, given: address?.given } });
      return;
    }
    flow.teller.measure('session');
    flow.sdk = reply.sdk;
    // What the shopper pressed a moment ago may still open a window.
    const mayLeave = !isElsewhere(way) && hostedUrl && reply.sessionId;
    if (mayLeave && !flow.staysHere()) return;
    flow.send({
      type: 'opened',
      reply,
      order,
      way: flow.isBack && reply.sdk?.navigates ? 'redirect' : flow.way,
    });
  } catch (error) {
    if (signal.aborted) return;
    const trouble = coded(error, 'session_failed');
    const { code, requestId, fields } = trouble;
    const refused = fields?.filter((field) => field.startsWith('avs.'));
    if (address && refused?.length) {
      flow.send({ type: 'asked', address: { ...address, refused } });
    } else flow.fail({ code, requestId, remedy: isRetryable(trouble) ? 'open' : undefined });
  }
}

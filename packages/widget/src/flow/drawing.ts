import type { HintKind } from '@pay-checkout/session-server/contract';
import { coded } from '../coded-error.js';
import { PayDeclinedEvent } from '../events/pay-declined.js';
import { drawForm } from '../sdk/draw-form.js';
import { hostedFrame } from '../sdk/hosted-frame.js';
import { sessionOf, type OpenSession } from './checkout-flow.js';
import type { FlowController } from './flow-controller.js';
import { FORM_FIRST_MS } from './following.js';
import { pause } from './pause.js';
import { adapterOf } from './preparing.js';
import { inTime, sendHint } from './session-api.js';

/** Has the SDK draw the form of the session, and tells the flow what it tells. */
export async function draw(flow: FlowController, signal: AbortSignal): Promise<void> {
  const { sessionId, sdk } = sessionOf(flow.state) as OpenSession;
  const { host, way, hostedUrl } = flow;
  const report = (kind: HintKind): void => {
    const { known } = flow.state;
    if (!known) return;
    // The shopper first, and once; of a session that the SDK gives up, nobody knows afterwards.
    if (kind !== 'shown') flow.hint(kind);
    if (!flow.send({ type: kind })) return;
    if (kind === 'shown') {
      // After the form's first second; of one that goes before, when it goes. Nothing of it is kept meanwhile.
      const { serverUrl } = host;
      const { checkout } = known;
      void pause(FORM_FIRST_MS, signal).then(() =>
        sendHint(serverUrl, checkout, { kind, sessionId }),
      );
    }
    if (kind === 'declined') {
      host.dispatchEvent(new PayDeclinedEvent(known.checkout, known.order));
    }
  };
  try {
    const isFramed = way === 'overlay' && hostedUrl && sdk && !sdk.container;
    const adapter = isFramed ? hostedFrame(hostedUrl, host.formLabel) : adapterOf(host, sdk);
    await inTime(adapter.load(signal), 'sdk_timeout', signal);
    // The form has a place when the SDK draws it, and is measured there by some.
    flow.show();
    await host.updateComplete;
    if (signal.aborted) return;
    await drawForm(adapter, sessionId, host, report, signal);
  } catch (error) {
    if (signal.aborted) return;
    const { code } = coded(error, 'sdk_load_failed');
    const isRefusal = code === 'sdk_configure_failed';
    if (isRefusal) flow.hint('refused');
    flow.fail({ code, remedy: isRefusal ? 'renew' : 'draw' });
  }
}

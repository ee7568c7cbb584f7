import type { FlowController } from './flow-controller.js';
import { readPageMessage } from './page-messages.js';

/** Hears, until `signal` aborts, what makes the flow look at the server again, or rest. */
export function listen(flow: FlowController, signal: AbortSignal): void {
  const look = (): void => {
    if (!document.hidden) flow.feed.look();
  };
  const hear = (event: MessageEvent<unknown>): void => {
    // Where nothing was opened, there may be no server's address either.
    const { known } = flow.state;
    if (!known) return;
    const { origin } = new URL(flow.host.serverUrl);
    if (readPageMessage(event, origin, known.checkout)) flow.feed.look();
  };
  const leave = (): void => flow.rest(true);
  const comeBack = ({ persisted }: PageTransitionEvent): unknown => persisted && flow.rest(false);
  const on = (type: string, run: (event: never) => unknown): void =>
    addEventListener(type, run as EventListener, { signal });
  on('message', hear);
  on('online', look);
  on('visibilitychange', look);
  on('pagehide', leave);
  on('pageshow', comeBack);
}

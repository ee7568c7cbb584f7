import type {
  ChangedMessage,
  ReturnAcknowledgement,
  ReturnMessage,
} from '@pay-checkout/session-server/contract';

/**
 * Whether a message of the session server's pages is a reason to look again: its window must be one
 * that this page shows or opened, its origin the server's, its shape ours, its checkout the `known`
 * one. A return is acknowledged to exactly the window and origin that it came from. No message is
 * ever proof.
 */
export function readPageMessage(
  event: MessageEvent<unknown>,
  serverOrigin: string,
  known: string,
): boolean {
  const { type, checkout } = Object(event.data) as Partial<ReturnMessage | ChangedMessage>;
  const source = event.source as Window | null;
  if (event.origin !== serverOrigin || checkout !== known || !isShownHere(source)) return false;
  if (type !== 'pay-checkout:return') return type === 'pay-checkout:changed';
  const answer: ReturnAcknowledgement = { type: 'pay-checkout:return-ack', checkout };
  source?.postMessage(answer, serverOrigin);
  return true;
}

/** Whether a window is in a frame of this page, however deep, or of a window that it opened. */
function isShownHere(at: Window | null | undefined): boolean {
  return at === window || at?.opener === window || (at?.parent !== at && isShownHere(at?.parent));
}

import type {
  ChangedMessage,
  ReturnAcknowledgement,
  ReturnMessage,
} from '@pay-checkout/session-server/contract';

/**
 * Whether a message of the session server's pages is a reason to look again: its origin must be
 * the server's, its shape ours, its checkout known. A return is acknowledged to exactly the window
 * and origin that it came from. No message is ever proof.
 */
export function readPageMessage(
  event: MessageEvent<unknown>,
  serverOrigin: string,
  isKnown: (checkout: string) => boolean,
): boolean {
  const { type, checkout } = Object(event.data) as Partial<ReturnMessage | ChangedMessage>;
  if (event.origin !== serverOrigin || !checkout || !isKnown(checkout)) return false;
  if (type !== 'pay-checkout:return') return type === 'pay-checkout:changed';
  const answer: ReturnAcknowledgement = { type: 'pay-checkout:return-ack', checkout };
  event.source?.postMessage(answer, { targetOrigin: serverOrigin });
  return true;
}

import type {
  ChangedMessage,
  HelloMessage,
  HelloReply,
  ReturnAcknowledgement,
  ReturnMessage,
} from '@pay-checkout/session-server/contract';
import { attempt } from '../attempt.js';

type PageMessage = HelloMessage | ReturnMessage | ChangedMessage;

/** The form of a checkout's id: a time, and 128 random bits. A shop's own `?checkout=…` is ignored. */
const CHECKOUT_ID = /^[\da-z]{8}[\w-]{22}$/;

/** The checkout that the page's address names, if any. */
export function checkoutInAddress(parameter: string): string | undefined {
  const id = new URL(location.href).searchParams.get(parameter);
  return id && CHECKOUT_ID.test(id) ? id : undefined;
}

/** Removes the parameter from the address if it names `checkout`, without adding to the history. */
export function removeFromAddress(parameter: string, checkout: string | undefined): void {
  const url = new URL(location.href);
  if (url.searchParams.get(parameter) !== checkout) return;
  // The other parameters stay as they are written: the shop's server may have signed them.
  const isOther = (pair: string): boolean => !new URLSearchParams(`?${pair}`).has(parameter);
  url.search = url.search.slice(1).split('&').filter(isOther).join('&');
  // Safari throws when a page does it often, and some pages replace it.
  attempt(() => history.replaceState(history.state, '', url));
}

/** Whether the shopper came to the page by Back or Forward. */
export function isHistoryNavigation(): boolean | undefined {
  return attempt(() => {
    const [entry] = performance.getEntriesByType('navigation');
    return (entry as PerformanceNavigationTiming).type === 'back_forward';
  });
}

/**
 * Leaves the page for another one, so that Back leads to it again. `location.assign` would put the other
 * one in its place while it still loads (https://html.spec.whatwg.org/#location-object-navigate); a link
 * does not.
 */
export function leaveFor(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  // Not where a `base` of the page may say.
  link.target = '_self';
  link.click();
}

/**
 * Opens the server's hosted page in a window of its own; none when the browser blocks it. A window that
 * `name` has already comes to the front as it is: a card may be being paid in it. Browsers allow it in a
 * click only, and Firefox throws in a frame whose `sandbox` forbids windows
 * (https://bugzilla.mozilla.org/show_bug.cgi?id=1176397).
 *
 * @param isClosed whether the window of that name is known to be closed
 */
export function openWindow(
  url: string,
  name: string,
  isClosed?: boolean,
): Window | null | undefined {
  return attempt(() => {
    const key = `pay-checkout ${name}`;
    // Only where there may be one: WebKit separates an empty window from a page with a policy (COOP) of
    // `same-origin-allow-popups` as soon as it leads to another site.
    const mayExist = !isClosed && attempt(() => sessionStorage.getItem(key));
    const opened = open(mayExist ? '' : url, key, 'popup,width=520,height=760');
    attempt(() => sessionStorage.setItem(key, key));
    // What a page of another site shows cannot be read: then it is no new one.
    const isNew = mayExist && attempt(() => opened?.location.href === 'about:blank');
    if (isNew) opened?.location.replace(url);
    else opened?.focus();
    return opened;
  });
}

/**
 * Whether a message from the session server's pages is a reason to poll: its window must be one that
 * this page frames or opened, its origin the server's, its checkout the `known` one, if any. Replies go to
 * exactly the window and origin that the message came from. A message is never proof.
 */
export function isReasonToPoll(
  event: MessageEvent<unknown>,
  serverOrigin: string,
  known: string | undefined,
): boolean {
  const { type, checkout } = Object(event.data) as Partial<PageMessage & { checkout: string }>;
  const source = event.source as Window | null;
  if (!known || event.origin !== serverOrigin || !isOurs(source)) return false;
  const reply = (message: HelloReply | ReturnAcknowledgement): unknown =>
    source?.postMessage(message, serverOrigin);
  if (type === 'pay-checkout:hello') reply({ type: 'pay-checkout:hello-ack' });
  if (checkout !== known) return false;
  if (type === 'pay-checkout:return') reply({ type: 'pay-checkout:return-ack', checkout });
  return type === 'pay-checkout:return' || type === 'pay-checkout:changed';
}

/** Whether a window is in a frame of this page, at any depth, or of a window that it opened. */
function isOurs(at: Window | null | undefined): boolean {
  return at === window || at?.opener === window || (at?.parent !== at && isOurs(at?.parent));
}

import type { FlowController } from './flow-controller.js';

/** Starts the payment once the element has come into view. */
export function startWhenVisible(flow: FlowController, signal: AbortSignal): void {
  const { host } = flow;
  // Not a frame is lost where it can be seen that nobody need be waited for.
  if (host.mode !== 'redirect' && liesOpen(host)) {
    flow.start(true);
    return;
  }
  const observer = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) flow.start(true);
  });
  observer.observe(host);
  signal.addEventListener('abort', () => observer.disconnect());
}

/**
 * Whether `element` lies open in a page that has been read: nothing of it is covered or cut off, and
 * whoever wants to listen to it, or to set a property, has done so. A page in the background, or one
 * that is only prepared, lies open to nobody. When in doubt it says no.
 */
function liesOpen(element: Element): boolean {
  if (document.hidden || document.readyState === 'loading' || parent !== window) return false;
  const { left, top } = element.getBoundingClientRect();
  return document.elementFromPoint(left + 1, top + 1) === element;
}

/** Calls `then` once `element` has come into view. */
export function whenFirstVisible(element: Element, signal: AbortSignal, then: () => void): void {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    then();
  });
  observer.observe(element);
  signal.addEventListener('abort', () => observer.disconnect());
}

/**
 * Whether `element` lies open in a page that has been read: nothing of it is covered or cut off, and
 * whoever wants to listen to it, or to set a property, has done so. When in doubt it says no.
 */
export function liesOpen(element: Element): boolean {
  if (document.readyState === 'loading' || parent !== window) return false;
  const { left, top } = element.getBoundingClientRect();
  return document.elementFromPoint(left + 1, top + 1) === element;
}

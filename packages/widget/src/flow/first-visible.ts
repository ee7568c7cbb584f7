/** Calls `then` once `element` has come into view; at once where that cannot be watched. */
export function whenFirstVisible(element: Element, signal: AbortSignal, then: () => void): void {
  if (!('IntersectionObserver' in globalThis)) return then();
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    then();
  });
  observer.observe(element);
  signal.addEventListener('abort', () => observer.disconnect());
}

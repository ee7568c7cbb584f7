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

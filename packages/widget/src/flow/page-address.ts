/** What an id of a checkout can look like, so that another `?checkout=1` is left alone. */
const CHECKOUT_ID = /^[\w-]{16,80}$/;

/** The checkout that the page's address names, if it names one. */
export function checkoutInAddress(parameter: string): string | undefined {
  const id = new URL(location.href).searchParams.get(parameter);
  return id && CHECKOUT_ID.test(id) ? id : undefined;
}

/** Takes our own parameter out of the address, if it names `checkout`, without a new entry in the history. */
export function removeFromAddress(parameter: string, checkout: string | undefined): void {
  const url = new URL(location.href);
  if (url.searchParams.get(parameter) !== checkout) return;
  url.searchParams.delete(parameter);
  history.replaceState(history.state, '', url);
}

/** Whether the browser came here by Back or Forward. */
export function cameByHistory(): boolean {
  const [entry] = performance.getEntriesByType('navigation');
  return (entry as PerformanceNavigationTiming | undefined)?.type === 'back_forward';
}

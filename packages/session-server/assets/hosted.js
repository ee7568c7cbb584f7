// @ts-check
// The hosted page: hands an outcome back to the merchant's page, and tells whoever opened this
// window that something moved. The outcome itself is asked for again over there. Runs before the
// element does.
(() => {
  const element = /** @type {HTMLElement} */ (document.querySelector('pay-checkout'));
  const leave = /** @type {HTMLElement} */ (document.getElementById('leave'));
  const link = /** @type {HTMLAnchorElement} */ (leave.querySelector('a'));
  const isFramed = window.parent !== window;
  /** Who shows this page, if anybody does. */
  const shower = /** @type {Window | null} */ (window.opener ?? (isFramed ? window.parent : null));
  const { origins: allowed = '', navigates } = document.documentElement.dataset;
  const origins = allowed.split(' ');

  /** How long a payment received stays on the screen before the page goes on, in milliseconds. */
  const READING_TIME = 2500;
  /** @type {Record<string, string>} */
  const KIND_OF_EVENT = {
    'pay-paid': 'return',
    'pay-unconfirmed': 'return',
    'pay-cancel': 'cancel',
    'pay-back': 'back',
  };

  const [arrival] = performance.getEntriesByType('navigation');
  /** Whether the shopper came Back to this page: nothing but a press leads away from it again. */
  let isBack =
    /** @type {PerformanceNavigationTiming | undefined} */ (arrival)?.type === 'back_forward';
  addEventListener('pageshow', ({ persisted }) => {
    isBack ||= persisted;
  });

  if (isFramed && navigates === 'true') {
    // The SDK would leave for a page that no frame may show: a press opens a window for it.
    element.setAttribute('mode', 'popup');
    element.removeAttribute('autostart');
  }

  for (const [name, kind] of Object.entries(KIND_OF_EVENT)) {
    element.addEventListener(name, (event) => {
      const { checkout } = /** @type {{ checkout?: string }} */ (/** @type {unknown} */ (event));
      if (!checkout) return;
      const token = encodeURIComponent(element.getAttribute('order-token') ?? '');
      const path = `/v1/checkouts/${encodeURIComponent(checkout)}/leave`;
      link.href = `${path}?kind=${kind}&orderToken=${token}`;
      leave.hidden = false;
      for (const origin of origins) {
        shower?.postMessage({ type: 'pay-checkout:changed', checkout }, origin);
      }
      // Who frames the page takes the frame away.
      if (name !== 'pay-paid' || isFramed) return;
      setTimeout(() => {
        if (isBack) return;
        if (shower) window.close();
        else location.assign(link.href);
      }, READING_TIME);
    });
  }
})();

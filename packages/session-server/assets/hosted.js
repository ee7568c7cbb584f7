// @ts-check
// The hosted page: leads back to the merchant's page after an outcome, and reports to the page that opened
// or frames this one that something changed. That page polls for the outcome itself. Runs before the
// element does.
(() => {
  const element = /** @type {HTMLElement} */ (document.querySelector('pay-checkout'));
  const leave = /** @type {HTMLElement} */ (document.getElementById('leave'));
  const link = /** @type {HTMLAnchorElement} */ (leave.querySelector('a'));
  const back = /** @type {HTMLAnchorElement} */ (document.getElementById('back'));
  const isFramed = window.parent !== window;
  /** The window that opened or frames this page, if any. */
  const owner = /** @type {Window | null} */ (window.opener ?? (isFramed ? window.parent : null));
  const { origins: allowed = '', navigates } = document.documentElement.dataset;
  const origins = allowed.split(' ');

  /** How long the success message stays before the page goes on. */
  const READING_MS = 2500;
  /** @type {Record<string, string>} */
  const KIND_OF_EVENT = {
    'pay-paid': 'return',
    'pay-unconfirmed': 'return',
    'pay-cancel': 'cancel',
    'pay-back': 'back',
  };

  const [arrival] = performance.getEntriesByType('navigation');
  /** Whether the shopper came Back to this page: only a press leads away from it again. */
  let isBack =
    /** @type {PerformanceNavigationTiming | undefined} */ (arrival)?.type === 'back_forward';
  addEventListener('pageshow', ({ persisted }) => {
    isBack ||= persisted;
  });

  if (isFramed && navigates === 'true') {
    // The SDK would navigate to a page that refuses to be framed: a press opens a window for it.
    element.setAttribute('mode', 'popup');
    element.removeAttribute('autostart');
  }

  /** The checkout that changed last. */
  let changed = '';

  // Only the shop's own pages may frame this one: the shop is around it, and would open inside it.
  back.hidden = isFramed;
  back.addEventListener('click', (event) => {
    // The page that opened this window is the shop's.
    if (!owner || owner.closed || changed) return;
    event.preventDefault();
    window.close();
  });

  // Shows the page that opened this window that it can see it. Any origin may receive it.
  owner?.postMessage({ type: 'pay-checkout:hello' }, '*');

  addEventListener('message', ({ data, origin, source }) => {
    // The reply shows the owner's origin: only there is the checkout named.
    if (source !== owner || !origins.includes(origin)) return;
    if (data?.type !== 'pay-checkout:hello-ack' || !changed) return;
    owner?.postMessage({ type: 'pay-checkout:changed', checkout: changed }, origin);
  });

  for (const [name, kind] of Object.entries(KIND_OF_EVENT)) {
    element.addEventListener(name, (event) => {
      const { checkout } = /** @type {{ checkout?: string }} */ (/** @type {unknown} */ (event));
      if (!checkout) return;
      const token = encodeURIComponent(element.getAttribute('order-token') ?? '');
      const path = `/v1/checkouts/${encodeURIComponent(checkout)}/leave`;
      back.href = link.href = `${path}?kind=${kind}&orderToken=${token}`;
      leave.hidden = false;
      changed = checkout;
      // Any origin may receive the hello, so it carries nothing.
      owner?.postMessage({ type: 'pay-checkout:hello' }, '*');
      // The page that frames this one removes the frame.
      if (name !== 'pay-paid' || isFramed) return;
      setTimeout(() => {
        if (isBack) return;
        if (owner) window.close();
        else location.assign(link.href);
      }, READING_MS);
    });
  }
})();

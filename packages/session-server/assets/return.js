// @ts-check
// The return page's one job: tell whoever shows this page that the shopper came back, or go on to
// the merchant's page when nobody does. What it says is a hint; the receiver asks the server.
(() => {
  const page = document.documentElement.dataset;
  const origins = (page['origins'] ?? '').split(' ');
  const message = {
    type: 'pay-checkout:return',
    checkout: page['checkout'] ?? '',
    kind: page['kind'] ?? '',
  };
  const link = /** @type {HTMLAnchorElement} */ (document.getElementById('onward'));
  const isFramed = window.parent !== window;
  const opener = /** @type {Window | null} */ (window.opener);

  if (!isFramed && !opener) {
    location.replace(link.href);
    return;
  }

  /** Everybody who might be showing us: the ancestors, and who opened the window. */
  const audience = () => {
    /** @type {Window[]} */
    const windows = opener ? [opener] : [];
    for (let at = window; at !== at.parent; at = /** @type {typeof window} */ (at.parent)) {
      windows.push(at.parent);
    }
    return windows;
  };

  const tell = () => {
    for (const listener of audience()) {
      for (const origin of origins) listener.postMessage(message, origin);
    }
  };

  const asking = setInterval(tell, 250);
  const offering = setTimeout(() => {
    document.body.dataset['state'] = 'waiting';
    link.focus();
  }, 1000);
  addEventListener('message', (event) => {
    const isAcknowledged =
      origins.includes(event.origin) &&
      event.data?.type === 'pay-checkout:return-ack' &&
      event.data.checkout === message.checkout;
    if (!isAcknowledged) return;
    clearInterval(asking);
    clearTimeout(offering);
    document.body.dataset['state'] = 'told';
    if (!isFramed) window.close();
  });
  tell();
})();

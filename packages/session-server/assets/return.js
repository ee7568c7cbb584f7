// @ts-check
// The return page: reports to the page that shows it that the shopper came back, or goes on to the
// merchant's page when there is none. The message is a hint: the receiver polls the server.
(() => {
  const { origins: allowed = '', checkout = '', kind = '' } = document.documentElement.dataset;
  const origins = allowed.split(' ');
  const link = /** @type {HTMLAnchorElement} */ (document.getElementById('onward'));
  const isFramed = window.parent !== window;
  const opener = /** @type {Window | null} */ (window.opener);

  if (!isFramed && !opener) {
    location.replace(link.href);
    return;
  }

  document.documentElement.toggleAttribute('data-framed', isFramed);

  /** The windows that may show this page: its opener and all its ancestors. */
  const windows = opener ? [opener] : [];
  for (let at = window; at !== at.parent; at = /** @type {typeof window} */ (at.parent)) {
    windows.push(at.parent);
  }

  // Any origin may receive the hello, so it carries nothing. The element's reply shows the window's
  // origin: only there, and only if the merchant allows it, is the checkout named.
  const sayHello = () => {
    for (const one of windows) one.postMessage({ type: 'pay-checkout:hello' }, '*');
  };
  const repeating = setInterval(sayHello, 250);
  const offering = setTimeout(() => {
    document.body.dataset['state'] = 'waiting';
    link.focus();
  }, 1000);
  addEventListener('message', ({ data, origin, source }) => {
    const sender = windows.find((one) => one === source);
    if (!sender || !origins.includes(origin)) return;
    if (data?.type === 'pay-checkout:hello-ack') {
      sender.postMessage({ type: 'pay-checkout:return', checkout, kind }, origin);
    }
    if (data?.type !== 'pay-checkout:return-ack' || data.checkout !== checkout) return;
    clearInterval(repeating);
    clearTimeout(offering);
    document.body.dataset['state'] = 'acknowledged';
    if (!isFramed) window.close();
  });
  sayHello();
})();

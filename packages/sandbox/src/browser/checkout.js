/**
 * The client SDK of the sandbox: a classic script that defines `PaySandbox.configure()`.
 *
 * With a container it draws the card form in a frame of the sandbox's origin. Without one it takes the
 * whole page to the hosted form. It accepts messages of the frame only from exactly that origin.
 */
(() => {
  /**
   * @typedef {object} Configuration
   * @property {string} session_id The reply of `POST /create-session`.
   * @property {string | Element} [container] Where to draw. Without it, the page goes to the hosted form.
   * @property {() => void} [onReady] The form is drawn.
   * @property {() => void} [onSubmit] The shopper pressed Pay.
   * @property {(decline: { message: string }) => void} [onDecline] A card was declined.
   * @property {(error: { code: string, message: string }) => void} [onExpire] The session has ended, and
   *   nothing was charged. A new session is needed. Default: `onError` is called.
   * @property {(error: { code: string, message: string }) => void} [onError] The form cannot be used.
   */
  /** @typedef {{ destroy(): void }} Handle */

  const READY_WITHIN_MILLISECONDS = 20_000;
  const LARGEST_HEIGHT = 4000;

  const script = document.currentScript;
  if (!(script instanceof HTMLScriptElement)) {
    throw new Error('Load checkout.js with a plain <script src>, not as a module.');
  }
  const { origin } = new URL(script.src);

  /** @type {Map<Element, Handle>} The form that each container shows. */
  const shown = new Map();

  /**
   * Opens the form of a session.
   * @param {Configuration} configuration
   * @returns {Promise<Handle>}
   */
  async function configure(configuration) {
    const session = configuration?.session_id;
    if (typeof session !== 'string' || session === '') {
      throw new TypeError('configure() needs session_id: the text that /create-session returned.');
    }
    const path = encodeURIComponent(session);
    if (configuration.container === undefined) {
      location.assign(`${origin}/pages/pay/${path}`);
      return { destroy() {} };
    }
    const container = findContainer(configuration.container);
    shown.get(container)?.destroy();
    const page = new URL(`/pages/form/${path}`, origin);
    page.searchParams.set('parent', location.origin);
    const lang = container.closest('[lang]')?.getAttribute('lang') ?? '';
    if (lang !== '') page.searchParams.set('lang', lang);
    return draw(container, page, session, configuration);
  }

  /** @param {string | Element} container */
  function findContainer(container) {
    const element = typeof container === 'string' ? document.querySelector(container) : container;
    if (!(element instanceof Element)) {
      throw new TypeError(
        'configure() found no element for container: give a selector or element.',
      );
    }
    return element;
  }

  /**
   * @param {Element} container
   * @param {URL} page
   * @param {string} session
   * @param {Configuration} configuration
   * @returns {Promise<Handle>}
   */
  function draw(container, page, session, configuration) {
    const frame = makeFrame(page);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => fail('not_loaded', 'The card form did not load.'),
        READY_WITHIN_MILLISECONDS,
      );
      const handle = {
        destroy() {
          clearTimeout(timer);
          removeEventListener('message', listen);
          if (shown.get(container) === handle) shown.delete(container);
          frame.remove();
          resolve(handle);
        },
      };
      let isReady = false;

      /** @param {MessageEvent} event */
      function listen(event) {
        if (event.source !== frame.contentWindow || event.origin !== origin) return;
        const message = event.data;
        if (typeof message !== 'object' || message === null || message.session !== session) return;
        switch (message.type) {
          case 'pay-sandbox:ready':
            return becomeReady();
          case 'pay-sandbox:resized':
            return resize(message.height);
          case 'pay-sandbox:submitted':
            return configuration.onSubmit?.();
          case 'pay-sandbox:declined':
            return configuration.onDecline?.({ message: String(message.message) });
          case 'pay-sandbox:failed':
            return fail(String(message.code), String(message.message));
        }
      }

      function becomeReady() {
        if (isReady) return;
        isReady = true;
        clearTimeout(timer);
        resolve(handle);
        configuration.onReady?.();
      }

      /** @param {unknown} height */
      function resize(height) {
        if (typeof height !== 'number' || !(height > 0)) return;
        frame.style.height = `${Math.min(Math.ceil(height), LARGEST_HEIGHT)}px`;
      }

      /**
       * A form that never loaded rejects and is removed. One in use stays and reports why.
       * @param {string} code
       * @param {string} message
       */
      function fail(code, message) {
        if (!isReady) {
          reject(Object.assign(new Error(message), { name: 'PaySandboxError', code }));
          handle.destroy();
        }
        const { onExpire, onError } = configuration;
        const report = code === 'session_expired' ? (onExpire ?? onError) : onError;
        report?.({ code, message });
      }

      addEventListener('message', listen);
      shown.set(container, handle);
      container.append(frame);
    });
  }

  /** @param {URL} page */
  function makeFrame(page) {
    const frame = document.createElement('iframe');
    frame.title = 'Card payment';
    frame.referrerPolicy = 'no-referrer';
    // Wallets need it; the page around it may forbid it all the same.
    frame.allow = 'payment';
    frame.src = page.href;
    frame.style.cssText = 'display:block;width:100%;height:540px;border:0';
    return frame;
  }

  // Other shapes of this SDK keep their place in the global.
  const others = /** @type {{ PaySandbox?: object }} */ (/** @type {unknown} */ (window))
    .PaySandbox;
  Object.defineProperty(window, 'PaySandbox', {
    value: Object.freeze({ ...others, configure }),
    configurable: true,
  });
})();

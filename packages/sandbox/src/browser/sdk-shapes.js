/**
 * Other shapes of the client SDK, since only `configure()` and `session_id` are shown (spec 2.4).
 * Served after `checkout.js` as `/sdk/shapes/{shape}.js`, which defines `PaySandbox.{shape}`. All draw
 * the same card form.
 */
(() => {
  /** @typedef {{ destroy(): void }} Handle */
  /** @typedef {{ session_id?: string, container?: string | Element | undefined, onError?: (error: object) => void }} Options */
  /** @typedef {{ configure(options: Options): Promise<Handle> }} Sdk */

  const script = document.currentScript;
  if (!(script instanceof HTMLScriptElement)) {
    throw new Error('Load this with a plain <script src>, not as a module.');
  }
  const page = /** @type {{ PaySandbox: Sdk }} */ (/** @type {unknown} */ (window));
  const { origin, pathname } = new URL(script.src);
  const [, shape = ''] = /\/(\w+)\.js$/.exec(pathname) ?? [];
  const { configure } = page.PaySandbox;
  const LATE_MILLISECONDS = 500;
  /** There is no event for a closed window, so it is checked. */
  const WINDOW_CHECK_MILLISECONDS = 200;
  const DEVICE_CHECK_MILLISECONDS = 5000;

  /** @param {Partial<Sdk> | Function | Record<string, Function>} sdk */
  function define(sdk) {
    Object.defineProperty(window, 'PaySandbox', {
      value: Object.freeze({ ...page.PaySandbox, [shape]: sdk }),
      configurable: true,
    });
  }

  /**
   * Draws at the end of the page.
   * @param {Options} options
   * @returns {Promise<Handle>}
   */
  function drawInBody(options) {
    const container = document.createElement('div');
    document.body.append(container);
    return configure({ ...options, container }).then(({ destroy }) => ({
      destroy() {
        destroy();
        container.remove();
      },
    }));
  }

  /** @param {Options} options */
  function openWindow({ session_id = '' }) {
    const path = encodeURIComponent(session_id);
    const popup = window.open(`${origin}/pages/pay/${path}`, '', 'popup,width=480,height=720');
    if (popup === null) throw new Error('The browser opened no window.');
    return popup;
  }

  /**
   * Adds an element to the container.
   * @param {Options} options
   * @param {string} name
   * @param {string} words
   */
  function addTo({ container = '' }, name, words) {
    const place = typeof container === 'string' ? document.querySelector(container) : container;
    const added = Object.assign(document.createElement(name), { textContent: words });
    place?.append(added);
    return added;
  }

  /** @returns {HTMLStyleElement} */
  function addStyle() {
    const style = document.createElement('style');
    style.textContent = '.pay-sandbox-cards { display: block; inline-size: 33px }';
    document.head.append(style);
    return style;
  }

  /**
   * @param {Options} options
   * @returns {Promise<HTMLElement>}
   */
  async function addPicture(options) {
    const picture = document.createElement('img');
    picture.className = 'pay-sandbox-cards';
    picture.alt = '';
    picture.src = `${origin}/pages/assets/icon.svg`;
    addTo(options, 'div', '').append(picture);
    await picture.decode();
    return picture;
  }

  /**
   * Posts a form into a frame, as 3-D Secure does to learn of the device.
   * @param {Options} options
   */
  async function checkDevice(options) {
    const place = addTo(options, 'div', '');
    place.hidden = true;
    const frame = document.createElement('iframe');
    frame.name = 'pay-sandbox-device';
    const form = document.createElement('form');
    Object.assign(form, { method: 'post', action: `${origin}/pages/device`, target: frame.name });
    place.append(frame, form);
    /** @type {Promise<void>} */
    const posted = new Promise((resolve, reject) => {
      const fail = () => reject(new Error('The page let no form be posted.'));
      const timer = setTimeout(fail, DEVICE_CHECK_MILLISECONDS);
      frame.addEventListener('load', () => {
        // Only that of the empty frame can be read.
        if (frame.contentDocument !== null) return;
        clearTimeout(timer);
        resolve();
      });
      form.submit();
    });
    await posted.finally(() => place.remove());
  }

  /** For shapes whose `configure()` returns nothing: `onError` has reported the error. */
  const ignore = () => undefined;

  class Checkout {
    /** @param {Options} options */
    configure(options) {
      return configure(options);
    }
  }

  /** @type {Record<string, () => void>} */
  const SHAPES = {
    handle: () =>
      define({
        /** @param {Options} options */
        configure(options) {
          const drawn = configure(options);
          drawn.catch(ignore);
          return { destroy: () => void drawn.then(({ destroy }) => destroy(), ignore) };
        },
      }),
    nothing: () =>
      define({
        /** @param {Options} options */
        configure: (options) => void configure(options).catch(ignore),
      }),
    string: () =>
      define({
        /** @param {string} session @param {Options} options */
        configure: (session, options) => configure({ ...options, session_id: session }),
      }),
    alone: () =>
      define({
        /** @param {string} session */
        configure: (session) => void drawInBody({ session_id: session }).catch(ignore),
      }),
    constructed: () => define(Checkout),
    element: () =>
      define({
        /** @param {Options} options */
        configure(options) {
          if (options.container instanceof Element) return configure(options);
          throw new TypeError('configure() needs an element for container.');
        },
      }),
    body: () => define({ configure: drawInBody }),
    opened: () =>
      define({
        /** @param {Options} options */
        configure: (options) => ({
          /** @param {Options['container']} container */
          open: (container) => configure({ ...options, container }),
        }),
      }),
    popup: () =>
      define({
        /** @param {Options} options */
        configure(options) {
          const popup = openWindow(options);
          return { close: () => popup.close() };
        },
      }),
    window: () =>
      define({
        /** @param {Options} options */
        configure(options) {
          const popup = openWindow(options);
          const line = addTo(options, 'p', 'Pay in the window that has opened.');
          const timer = setInterval(() => popup.closed && destroy(), WINDOW_CHECK_MILLISECONDS);
          function destroy() {
            clearInterval(timer);
            popup.close();
            line.remove();
          }
          return { destroy };
        },
      }),
    cancels: () =>
      define({
        /** @param {Options} options */
        async configure(options) {
          const { destroy } = await configure(options);
          const cancel = addTo(options, 'button', 'Cancel the payment');
          await new Promise((resolve) => cancel.addEventListener('click', resolve));
          destroy();
          cancel.remove();
          return { status: 'cancelled' };
        },
      }),
    inpage: () =>
      define({
        /** @param {Options} options */
        async configure(options) {
          const style = addStyle();
          const picture = await addPicture(options);
          if (getComputedStyle(picture).inlineSize !== '33px') {
            throw new Error('The page did not apply the style.');
          }
          await checkDevice(options);
          const { destroy } = await configure(options);
          return {
            destroy() {
              destroy();
              picture.parentElement?.remove();
              style.remove();
            },
          };
        },
      }),
    navigates: () =>
      define({
        /** @param {Options} options */
        configure: ({ session_id = '' }) => void configure({ session_id }),
      }),
    throws: () =>
      define({
        configure() {
          throw new Error('configure() throws in this shape.');
        },
      }),
    rejects: () =>
      define({ configure: () => Promise.reject(new Error('configure() rejects in this shape.')) }),
    silent: () => define({ configure: () => new Promise(ignore) }),
    late() {
      define({});
      setTimeout(() => define({ configure }), LATE_MILLISECONDS);
    },
    slow: () => define({ configure }),
    bare: ignore,
  };
  SHAPES[shape]?.();
})();

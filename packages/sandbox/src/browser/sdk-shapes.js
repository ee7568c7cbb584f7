/**
 * Other shapes of the client SDK, since only `configure()` and `session_id` are shown (spec 2.4).
 * Served behind `checkout.js` at `/sdk/shapes/{shape}.js`, whose name says which shape is left in
 * `PaySandbox.{shape}`. All draw the same card form.
 */
(() => {
  /** @typedef {{ destroy(): void }} Handle */
  /** @typedef {{ session_id?: string, container?: string | Element, onError?: (error: object) => void }} Options */
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

  /** @param {Partial<Sdk> | Function | Record<string, Function>} left */
  function leave(left) {
    Object.defineProperty(window, 'PaySandbox', {
      value: Object.freeze({ ...page.PaySandbox, [shape]: left }),
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

  /** For shapes whose `configure()` answers nothing: `onError` has told what there is to tell. */
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
      leave({
        /** @param {Options} options */
        configure(options) {
          const drawn = configure(options);
          drawn.catch(ignore);
          return { destroy: () => void drawn.then(({ destroy }) => destroy(), ignore) };
        },
      }),
    nothing: () =>
      leave({
        /** @param {Options} options */
        configure: (options) => void configure(options).catch(ignore),
      }),
    string: () =>
      leave({
        /** @param {string} session @param {Options} options */
        configure: (session, options) => configure({ ...options, session_id: session }),
      }),
    alone: () =>
      leave({
        /** @param {string} session */
        configure: (session) => void drawInBody({ session_id: session }).catch(ignore),
      }),
    constructed: () => leave(Checkout),
    element: () =>
      leave({
        /** @param {Options} options */
        configure(options) {
          if (options.container instanceof Element) return configure(options);
          throw new TypeError('configure() wants an element for container.');
        },
      }),
    body: () => leave({ configure: drawInBody }),
    popup: () =>
      leave({
        /** @param {Options} options */
        configure(options) {
          const path = encodeURIComponent(options.session_id ?? '');
          const popup = window.open(
            `${origin}/pages/pay/${path}`,
            '',
            'popup,width=480,height=720',
          );
          if (popup === null) throw new Error('The browser opened no window.');
          return { close: () => popup.close() };
        },
      }),
    navigates: () =>
      leave({
        /** @param {Options} options */
        configure: ({ session_id = '' }) => void configure({ session_id }),
      }),
    throws: () =>
      leave({
        configure() {
          throw new Error('configure() throws in this shape.');
        },
      }),
    rejects: () =>
      leave({ configure: () => Promise.reject(new Error('configure() rejects in this shape.')) }),
    silent: () => leave({ configure: () => new Promise(ignore) }),
    late() {
      leave({});
      setTimeout(() => leave({ configure }), LATE_MILLISECONDS);
    },
    slow: () => leave({ configure }),
    bare: ignore,
  };
  SHAPES[shape]?.();
})();

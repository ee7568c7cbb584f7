import { startWebKit } from '../../scripts/webkit.mjs';
import { NEEDS_CHROMIUM, skipTests } from './test-server/skip-tests.ts';
import config from './web-test-runner.config.mjs';

const KEYS = { Tab: '\uE004', Enter: '\uE007', Escape: '\uE00C' };

/**
 * WebKit closes the socket of the runner when a navigation starts, even one that leads nowhere. The
 * command for WebDriver holds no key down. Under CSS `zoom` WebKit measures in other pixels.
 */
const NOT_HERE =
  /^redirecting,|of all phases,|the way to the payment page|^Shift and Tab|at a zoom of/;

/** Opens each file of tests in a WebKitGTK of its own, which remembers nothing of the others. */
class WebKitLauncher {
  name = 'WebKitGTK';
  /** Makes the commands of @web/test-runner-commands call `sendKeys` and `sendMouseClick`. */
  type = 'webdriver';
  concurrency = 1;
  #webkit;

  async startSession(_session, url) {
    // As the launcher of Chrome allows it too.
    this.#webkit = await startWebKit(['--javascript-can-open-windows-automatically=true']);
    await this.#webkit.send('POST', 'url', { url });
  }

  isActive() {
    return this.#webkit !== undefined;
  }

  getBrowserUrl() {
    return this.#webkit.send('GET', 'url');
  }

  async stopSession() {
    await this.#webkit.stop();
    this.#webkit = undefined;
    return {};
  }

  async sendKeys(_session, keys) {
    const actions = keys.flatMap((key) =>
      ['keyDown', 'keyUp'].map((type) => ({ type, value: KEYS[key] ?? key })),
    );
    await this.#webkit.send('POST', 'actions', { actions: [{ type: 'key', id: 'keys', actions }] });
  }

  async sendMouseClick(_session, x, y) {
    const actions = [
      { type: 'pointerMove', x, y },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    await this.#webkit.send('POST', 'actions', {
      actions: [{ type: 'pointer', id: 'mouse', actions }],
    });
  }
}

/** The same tests in an installed WebKitGTK. */
export default {
  ...config,
  plugins: [
    ...config.plugins,
    skipTests({ file: /setViewport\(/, body: NEEDS_CHROMIUM, title: NOT_HERE }),
  ],
  files: 'src/**/*.test.ts',
  browsers: [new WebKitLauncher()],
  groups: [],
};

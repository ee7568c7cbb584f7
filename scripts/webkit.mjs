/**
 * A WebKitGTK that is driven over WebDriver (https://www.w3.org/TR/webdriver2/), on a display of its own.
 * Driver, browser and display end with this process.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { findWebKit } from './browsers.mjs';

const START_MS = 30_000;
/** Longer than any command takes, and shorter than a test may take. */
const COMMAND_MS = 20_000;

/** @typedef {import('./webkit.mjs').WebKit} WebKit */

/**
 * @param {readonly string[]} args
 * @returns {Promise<WebKit>}
 */
export async function startWebKit(args) {
  const { driver, miniBrowser, xvfb } = findWebKit();
  const screen = ['-screen', '0', '1280x3072x24', '-nolisten', 'tcp'];
  const { stdout, pid } = spawn(xvfb, ['-displayfd', '1', ...screen], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [display] = await once(stdout, 'data');
  const port = await findFreePort();
  // All of it ends when the pipe to this process does, however this process ends: a browser without its
  // display does too.
  const server = spawn('sh', ['-c', `"$0" --port=${port} & cat; kill $! ${pid}`, driver], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {
      ...process.env,
      DISPLAY: `:${String(display).trim()}`,
      // Root and most containers cannot use the sandbox; only our own pages are opened.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    },
  });
  const origin = `http://127.0.0.1:${port}`;
  await waitFor(`${origin}/status`);
  const { sessionId, capabilities } = await call(`${origin}/session`, 'POST', {
    capabilities: {
      alwaysMatch: {
        browserName: 'MiniBrowser',
        'webkitgtk:browserOptions': { binary: miniBrowser, args: ['--automation', ...args] },
      },
    },
  });
  const session = `${origin}/session/${sessionId}`;
  return {
    version: capabilities.browserVersion,
    send: (method, path, body) => call(`${session}/${path}`, method, body),
    async stop() {
      server.stdin.end();
      await once(server, 'exit');
    },
  };
}

/**
 * @param {string} url
 * @param {string} method
 * @param {object} [body]
 */
async function call(url, method, body) {
  const signal = AbortSignal.timeout(COMMAND_MS);
  const response = await fetch(url, {
    method,
    signal,
    ...(body && { body: JSON.stringify(body) }),
  });
  const { value } = await response.json();
  if (!response.ok) throw new Error(`${method} ${url}: ${value.error}: ${value.message}`);
  return value;
}

/** @returns {Promise<number>} */
function findFreePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/** @param {string} url - Of a server that has just been started. */
async function waitFor(url) {
  for (const deadline = Date.now() + START_MS; ;) {
    try {
      return await fetch(url);
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

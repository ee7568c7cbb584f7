import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { esbuildPlugin } from '@web/dev-server-esbuild';
import { chromeLauncher } from '@web/test-runner-chrome';
import { pageMiddleware } from './test-server/page-middleware.ts';
import { serverMiddleware } from './test-server/server-middleware.ts';

const installed = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path));
const executablePath = process.env.CHROME_PATH ?? installed;

const browserArgs = process.env.PAY_BROWSER_ARGS?.split(' ') ?? [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--no-first-run',
];

/** What a screen reader has to go by: `executeServerCommand('accessibility-tree')`, in Chromium only. */
const accessibilityTree = {
  name: 'accessibility-tree',
  async executeCommand({ command, session }) {
    if (command !== 'accessibility-tree') return undefined;
    const client = await session.browser.getPage(session.id).createCDPSession();
    const { nodes } = await client.send('Accessibility.getFullAXTree');
    await client.detach();
    return nodes;
  },
};

const clients = new WeakMap();

/** Forced colours on or off: `executeServerCommand('force-colors', true)`, in Chromium only. */
const forcedColors = {
  name: 'force-colors',
  async executeCommand({ command, payload, session }) {
    if (command !== 'force-colors') return undefined;
    const page = session.browser.getPage(session.id);
    // What is emulated ends with the session that asked for it.
    const client = clients.get(page) ?? (await page.createCDPSession());
    clients.set(page, client);
    const features = [{ name: 'forced-colors', value: payload ? 'active' : 'none' }];
    await client.send('Emulation.setEmulatedMedia', { features });
    return true;
  },
};

function startChrome() {
  return chromeLauncher({
    launchOptions: {
      ...(executablePath && { executablePath }),
      // Some tests check what garbage collection leaves.
      args: [...browserArgs, '--js-flags=--expose-gc'],
    },
  });
}

/** These tests press keys, and a browser has one focus: they have a browser to themselves. */
const WITH_KEYS = 'src/pay-checkout/**/*.test.ts';

/**
 * Tests in a real browser: `CHROME_PATH` and `PAY_BROWSER_ARGS`, else an installed one. Two browsers run
 * at a time; `--group default --files …` runs only the files that are named.
 */
export default {
  rootDir: fileURLToPath(new URL('../..', import.meta.url)),
  files: ['src/**/*.test.ts', `!${WITH_KEYS}`],
  nodeResolve: { exportConditions: ['browser'] },
  concurrency: 1,
  // These only end tests that hang: a busy machine takes many times as long as an idle one.
  testsFinishTimeout: 600_000,
  testFramework: { config: { timeout: 60_000 } },
  middleware: [serverMiddleware, pageMiddleware],
  plugins: [
    accessibilityTree,
    forcedColors,
    esbuildPlugin({
      ts: true,
      target: 'es2022',
      tsconfig: fileURLToPath(new URL('./tsconfig.json', import.meta.url)),
    }),
  ],
  browsers: [startChrome()],
  groups: [{ name: 'with-keys', files: WITH_KEYS, browsers: [startChrome()] }],
};

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser } from '../../../scripts/browsers.mjs';

const require = createRequire(import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'pay-checkout-react-'));
const ORIGIN = 'https://shop.example';

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/**
 * Bundles a file with one version of React, as for one runtime (a condition of package
 * exports), and returns where it is.
 */
async function bundle(entry: string, suffix: string, runtime: string): Promise<string> {
  const isServer = runtime !== 'browser';
  const outDir = mkdtempSync(join(folder, 'bundle-'));
  const conditions = [runtime, 'module', 'production'];
  const packageFolder = (what: string) => dirname(require.resolve(`${what}${suffix}/package.json`));
  await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    oxc: { jsx: { runtime: 'automatic', development: false } },
    resolve: {
      alias: {
        'react-dom': packageFolder('react-dom'),
        react: packageFolder('react'),
        '@pay-checkout/react': pathOf('../dist/index.js'),
      },
      conditions,
    },
    ...(isServer && { ssr: { noExternal: true as const, resolve: { conditions } } }),
    build: {
      outDir,
      minify: false,
      ssr: isServer,
      rolldownOptions: { input: entry, output: { entryFileNames: 'page.mjs' } },
    },
  });
  return join(outDir, 'page.mjs');
}

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ['React 18, rendered in Node', '-18', 'node'],
  ['React 19, rendered in Node', '', 'node'],
  ['React 19, rendered in a worker', '', 'worker'],
])('the component in %s', (_what, suffix, runtime) => {
  let browser: Browser | undefined;
  let markup: string;
  let script: string;

  beforeAll(async () => {
    const page = pathToFileURL(await bundle(pathOf('testing/server.ts'), suffix, runtime)).href;
    const rendered = (await import(page)) as { markup: string; version: string };
    ({ markup } = rendered);
    expect(rendered.version).toMatch(suffix ? /^18/ : /^19/);
    script = readFileSync(await bundle(pathOf('testing/browser.ts'), suffix, 'browser'), 'utf8');
    const { executablePath, args, env } = await findBrowser();
    browser = await chromium.launch({ executablePath, args, env: { ...process.env, ...env } });
  });
  afterAll(() => browser?.close());

  it('a server renders the tag and its children, and no order token', () => {
    expect(markup).toBe('<pay-checkout id="tag" class="pay"><a href="/pay">Pay</a></pay-checkout>');
  });

  it('after hydration it has its properties, and its listeners are called', async () => {
    const page = await browser!.newPage();
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on('console', (line) => errors.push(line.text()));
    await page.route('**/*', (route) => {
      const { pathname, origin } = new URL(route.request().url());
      if (origin !== ORIGIN) return route.abort();
      return pathname === '/page.mjs'
        ? route.fulfill({ contentType: 'text/javascript', body: script })
        : route.fulfill({
            contentType: 'text/html',
            body: `<!doctype html><title>Shop</title><link rel="icon" href="data:,"><div id="root">${markup}</div>
              <script type="module" src="/page.mjs"></script>`,
          });
    });
    await page.goto(ORIGIN);
    const tag = page.locator('pay-checkout');
    await tag.getByRole('button', { name: 'Place order' }).click();
    await tag.getByRole('alert').getByText('session_failed').waitFor();
    expect(await page.evaluate('calls')).toEqual(['opening', 'problem', 'session_failed']);
    expect(await page.evaluate(() => document.querySelector('pay-checkout')?.orderToken)).toBe(
      'A1001.2000000000.c2lnbmF0dXJl',
    );
    expect(await tag.count()).toBe(1);
    expect(errors).toEqual(['The page has no session.']);
  });
});

it('the component of the README renders on a server', async () => {
  const readme = readFileSync(pathOf('../README.md'), 'utf8');
  const [, snippet = ''] = /```jsx\n([^]*?)```/.exec(readme) ?? [];
  const entry = join(folder, 'readme.jsx');
  writeFileSync(
    entry,
    `${snippet}
    import { renderToString } from 'react-dom/server';
    const props = { order: 'A1001', orderToken: 'secret', payUrl: '/pay', onPaid() {} };
    export const markup = renderToString(<Payment {...props} />);`,
  );
  const { href } = pathToFileURL(await bundle(entry, '', 'node'));
  const { markup } = (await import(href)) as { markup: string };
  expect(markup).toBe(
    '<pay-checkout><a href="/pay">Pay for order <!-- -->A1001</a></pay-checkout>',
  );
});

it('has a typed prop for each event of the element, and no others', () => {
  const { modules } = require('@pay-checkout/widget/custom-elements.json') as {
    modules: [{ declarations: [{ events: { name: string; type: { text: string } }[] }] }];
  };
  const expected = modules[0].declarations[0].events.map(({ name, type }) => {
    const prop = `on-${name}`.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    return `${prop}: '${name}' as EventName<${type.text}>`;
  });
  const source = readFileSync(pathOf('index.ts'), 'utf8');
  expect(source.match(/on\w+: '[\w-]+' as EventName<\w+>/g)?.toSorted()).toEqual(
    expected.toSorted(),
  );
});

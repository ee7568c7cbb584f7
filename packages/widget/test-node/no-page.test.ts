import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

/** Imports the built package by its name, as an application does, and reports the effects. */
async function importAs(conditions: readonly string[]): Promise<unknown> {
  const script = `
    const did = [];
    for (const name of ['fetch', 'setTimeout', 'setInterval', 'queueMicrotask']) {
      globalThis[name] = () => did.push(name);
    }
    const before = Object.keys(globalThis);
    const { PayCheckout, CodedError } = await import('@pay-checkout/widget');
    await import('@pay-checkout/widget/pay-checkout.js');
    const left = Object.keys(globalThis).filter((key) => !before.includes(key));
    console.log(JSON.stringify({ types: [typeof PayCheckout, typeof CodedError], did, left }));`;
  const args = conditions.flatMap((condition) => ['--conditions', condition]);
  const { stdout } = await run(
    process.execPath,
    [...args, '--input-type=module', '--eval', script],
    { cwd: PACKAGE },
  );
  return JSON.parse(stdout);
}

describe('importing the built package where there is no page', () => {
  it('in Node it does nothing; what is left behind is what Lit leaves there', async () => {
    const { types, did, left } = (await importAs([])) as Record<string, string[]>;
    expect(types).toEqual(['function', 'function']);
    expect(did).toEqual([]);
    expect(left?.filter((key) => !/^(lit|reactive)/.test(key))).toEqual(['customElements']);
  });

  it.each([['worker'], ['workerd'], ['edge-light'], ['workerd', 'worker', 'browser']])(
    'under the conditions of an edge runtime (%s) it does nothing, and leaves nothing behind',
    async (...conditions) => {
      const types = ['function', 'function'];
      expect(await importAs(conditions)).toEqual({ types, did: [], left: [] });
    },
  );

  it('under the conditions of Deno it is the package for Node', async () => {
    expect(await importAs(['deno', 'node'])).toMatchObject({ did: [] });
  });

  it('an edge runtime that knows nothing of a browser runs the single file, which does nothing', () => {
    const code = readFileSync(`${PACKAGE}dist/pay-checkout.js`, 'utf8');
    const runtime = createContext({});
    const before = runInContext('Reflect.ownKeys(globalThis)', runtime) as unknown[];
    runInContext(code, runtime);
    expect(runInContext('Reflect.ownKeys(globalThis)', runtime)).toEqual(before);
  });

  it('an edge runtime that knows only what the web platform shares runs the package', async () => {
    const script = `
      import { createContext, SourceTextModule } from 'node:vm';
      import { readFileSync } from 'node:fs';
      const { Event, EventTarget, URL, URLSearchParams, AbortController, AbortSignal } = globalThis;
      const known = { Event, EventTarget, URL, URLSearchParams, AbortController, AbortSignal };
      const context = createContext(known);
      const code = readFileSync('dist/no-page.js', 'utf8');
      const module = new SourceTextModule(code, { context });
      await module.link((name) => Promise.reject(new Error(name)));
      await module.evaluate();
      console.log(JSON.stringify([Object.keys(context), typeof module.namespace.PayCheckout]));`;
    const { stdout } = await run(
      process.execPath,
      ['--experimental-vm-modules', '--no-warnings', '--input-type=module', '--eval', script],
      { cwd: PACKAGE },
    );
    expect(JSON.parse(stdout)).toEqual([
      ['Event', 'EventTarget', 'URL', 'URLSearchParams', 'AbortController', 'AbortSignal'],
      'function',
    ]);
  });
});

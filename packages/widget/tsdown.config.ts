import { fileURLToPath } from 'node:url';
import { defineConfig, type UserConfig } from 'tsdown';

const common: UserConfig = {
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
};

/** What stands in for Lit, and for the browser, where there is no page. */
const noPage = fileURLToPath(new URL('src/no-page/lit.ts', import.meta.url));

export default defineConfig([
  /** The package for bundlers: ES modules, Lit left outside, the contract's types taken in. */
  {
    ...common,
    entry: 'src/index.ts',
    dts: true,
    deps: { neverBundle: [/^lit(\/|$)/] },
  },
  /** The same for workers and edge runtimes, where importing Lit throws. */
  {
    ...common,
    entry: { 'no-page': 'src/index.ts' },
    dts: false,
    clean: false,
    deps: { alwaysBundle: ['lit'] },
    alias: { lit: noPage },
    inputOptions: { transform: { inject: { customElements: [noPage, 'customElements'] } } },
  },
]);

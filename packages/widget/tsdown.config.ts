import { defineConfig } from 'tsdown';

/** The package for bundlers: ES modules, Lit left outside, the contract's types taken in. */
export default defineConfig({
  entry: 'src/index.ts',
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  dts: true,
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  deps: { neverBundle: [/^lit(\/|$)/] },
});

import { defineConfig } from 'tsdown';

/**
 * `@lit/react` is taken in, in its kind for browsers: the one for Node sets no properties, and test
 * environments with a page of their own would load that.
 */
export default defineConfig({
  entry: 'src/index.ts',
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  dts: true,
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
});

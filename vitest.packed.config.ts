import { defineConfig } from 'vitest/config';

/**
 * `npm run check:image` and `npm run release`: what is packed, installed. Apart from the tests, because
 * it installs from the npm registry.
 */
export default defineConfig({
  test: {
    include: ['scripts/*.check.ts'],
    testTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
  },
});

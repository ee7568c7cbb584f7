import { defineConfig } from 'vitest/config';

/** `npm run check:image`: apart from the tests, because it installs from the npm registry. */
export default defineConfig({
  test: {
    include: ['scripts/image.check.ts'],
    testTimeout: 20_000,
    expect: { poll: { timeout: 15_000 } },
  },
});

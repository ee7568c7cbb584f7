import { defineConfig } from 'vitest/config';

/** Units and real HTTP, in Node. The element's own tests run in a browser: `npm test -- element`. */
export default defineConfig({
  test: {
    include: [
      'packages/{partner-api,session-server,sandbox}/src/**/*.test.ts',
      'packages/session-server/drill/*.test.ts',
      'packages/widget/test-node/**/*.test.ts',
      'demo/{shop,console,playground,stack,shared,agreement}/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    pool: 'forks',
    retry: 0,
    testTimeout: 20_000,
    // The default of a second is a clock that a busy machine loses against.
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
  },
});

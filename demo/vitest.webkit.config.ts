import { defineConfig } from 'vitest/config';

/** The journeys of `npm run check:browsers` in WebKitGTK. Its driver starts one browser after the other. */
export default defineConfig({
  test: {
    include: ['journey/webkit.journeys.ts'],
    testTimeout: 90_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});

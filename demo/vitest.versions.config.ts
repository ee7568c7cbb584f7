import { defineConfig } from 'vitest/config';
import { PATIENCE_MS, TEST_TIMEOUT_MS } from './journey/patience.js';

/** `npm run check:versions`: the tag and the server of the previous build with those of this one. Some minutes. */
export default defineConfig({
  test: {
    include: ['versions/*.test.ts'],
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: 60_000,
    expect: { poll: { timeout: PATIENCE_MS } },
  },
});

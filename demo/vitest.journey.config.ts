import { defineConfig } from 'vitest/config';
import { isFirefox, PATIENCE_MS, TEST_TIMEOUT_MS } from './journey/patience.js';

/** The journeys: a real browser over the real processes, each file with a stack of its own. */
export default defineConfig({
  test: {
    // No driver of Firefox is needed to see that the packages install and work.
    include: ['journey/**/*.test.ts', ...(isFirefox ? [] : ['examples/*.test.ts'])],
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: 120_000,
    // The driver of Firefox trips over frames that go while they load; the scenario itself is not in it.
    onUnhandledError: ({ stack = '' }) => !(isFirefox && stack.includes('BidiPage._onNavigation')),
    expect: { poll: { timeout: PATIENCE_MS } },
    // Each file runs three servers and a browser; two at a time leave a fifth of two processors idle.
    maxWorkers: 3,
  },
});

import { defineConfig } from 'vitest/config';
import { TEST_TIMEOUT_MS } from './journey/patience.js';

/** `npm run pictures:docs`: takes the pictures of the documents again. */
export default defineConfig({
  test: {
    include: ['journey/docs-pictures.ts'],
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: 60_000,
  },
});

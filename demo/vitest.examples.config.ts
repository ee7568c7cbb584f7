import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './journey/patience.js';

/** `npm run check:examples`: every example, with our packed packages, paid once. About a minute. */
export default defineConfig({
  test: {
    include: ['examples/*.test.ts'],
    env: { ALL_EXAMPLES: 'yes' },
    expect: { poll: { timeout: PATIENCE_MS } },
  },
});

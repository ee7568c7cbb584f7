import { defineConfig } from 'vitest/config';

/**
 * `npm run shapes`: every shape of the client SDK in every mode, paid once each, and every state of an
 * order in every way to come back to it. Some minutes each.
 */
export default defineConfig({
  test: { include: ['journey/*.table.ts'], testTimeout: 180_000, hookTimeout: 60_000 },
});

import { defineConfig } from 'vitest/config';

/** `npm run shapes`: every shape of the client SDK in every mode, paid once each. Some minutes. */
export default defineConfig({
  test: { include: ['journey/shapes.table.ts'], testTimeout: 45_000, hookTimeout: 60_000 },
});

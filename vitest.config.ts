import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { keepTemporaryFilesInMemory } from './scripts/memory-folder.mjs';

keepTemporaryFilesInMemory();

const include = [
  'packages/{create,merchant,operator,page-kit,partner-api,react,session-server,sandbox}/src/**/*.test.ts',
  'tools/**/*.test.ts',
  'packages/widget/test-node/**/*.test.ts',
  'demo/{shop,console,playground,stack,shared,agreement}/**/*.test.ts',
  'scripts/**/*.test.ts',
];

/** What runs on PostgreSQL, which is started for them. */
const onPostgres = ['{packages/{session-server,operator}/src,tools}/**/*.postgres.test.ts'];

/**
 * A mock of a module needs a process that has not loaded that module yet, and a simulation one of its own:
 * there all timers are virtual.
 */
const isolated = globSync(include, { exclude: configDefaults.exclude }).filter((file) =>
  /vi\.mock\(|\bsimulate\(/.test(readFileSync(file, 'utf8')),
);

/** Units and real HTTP, in Node. The element's own tests run in a browser: `npm test -- element`. */
export default defineConfig({
  // Server and operator load each other: their sources, as the rest of a test does.
  resolve: {
    alias: {
      '@pay-checkout/operator': join(import.meta.dirname, 'packages/operator/src/index.ts'),
      '@pay-checkout/session-server/internals': join(
        import.meta.dirname,
        'packages/session-server/src/internals.ts',
      ),
    },
  },
  test: {
    pool: 'forks',
    // A file waits half of its time, for programs that it started and for time to pass: two workers leave a
    // third of two processors idle.
    maxWorkers: 4,
    retry: 0,
    // These end what hangs, and no more: a busy machine takes many times as long as an idle one.
    testTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 120_000,
    teardownTimeout: 10_000,
    // Files share a process, which saves a third of the time: no file loads what another has loaded.
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include,
          exclude: [...configDefaults.exclude, ...isolated, ...onPostgres],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: onPostgres,
          isolate: false,
          globalSetup: 'packages/session-server/src/testing/start-postgres.ts',
        },
      },
      ...(isolated.length > 0
        ? [{ extends: true as const, test: { name: 'isolated', include: isolated } }]
        : []),
    ],
  },
});

import type { KnipConfig } from 'knip';

/** What counts as used: the entries below, and everything that they reach. */
const config: KnipConfig = {
  ignoreExportsUsedInFile: true,
  workspaces: {
    '.': {
      entry: [
        'scripts/*.mjs',
        'scripts/*.{test,check}.ts',
        'docs/.vitepress/config.ts',
        'docs/reference/*.paths.ts',
      ],
      project: ['scripts/**', 'docs/**', '*.config.{js,ts}'],
      // A program that a test runs; what the session server loads if it is installed; and an example has packages
      // of its own.
      ignoreDependencies: [
        'dclint',
        '@pay-checkout/operator',
        'happy-dom',
        'jsdom',
        '@testing-library/react',
        '@playwright/test',
      ],
    },
    'packages/*': {
      entry: ['src/{index,main,node,contract}.ts', 'src/**/*.test.ts'],
      project: ['src/**/*.ts'],
    },
    'packages/merchant': {
      entry: ['src/index.ts', 'src/cli/bin.ts', 'src/**/*.test.ts'],
      project: ['src/**/*.ts'],
    },
    'packages/partner-api': {
      entry: [
        'src/{index,openapi}.ts',
        'src/cli/bin.ts',
        'src/**/*.test.ts',
        'src/testing/*.mjs',
        'bench/*.mjs',
        'scripts/*.mjs',
      ],
      project: ['{src,bench,scripts}/**/*.{ts,mjs}'],
    },
    'packages/react': {
      entry: ['src/**/*.test.ts', 'src/testing/{server,browser}.ts'],
      project: ['src/**/*.ts'],
      // The test bundles the page with each version.
      ignoreDependencies: ['react-18', 'react-dom-18'],
    },
    'packages/session-server': {
      entry: [
        'src/{index,bin,contract}.ts',
        'src/{internals,tracing/register}.ts',
        'src/**/*.test.ts',
        'src/testing/{*.mjs,start-postgres.ts}',
      ],
      project: ['src/**/*.{ts,mjs}'],
      // Programs of the system; without them a test says that it has not run.
      ignoreBinaries: ['openssl'],
    },
    'packages/operator': {
      entry: ['src/index.ts', 'src/**/*.test.ts', 'page/*/main.ts'],
      project: ['{src,page}/**/*.ts'],
    },
    'packages/page-kit': {
      project: ['src/**/*.ts'],
      // Imported by the style sheet.
      ignoreDependencies: ['@picocss/pico'],
    },
    'packages/sandbox': {
      entry: [
        'src/{index,main}.ts',
        'src/**/*.test.ts',
        'src/browser/*.js',
        'scripts/*.mjs',
        'page/{main,vite.config}.ts',
      ],
      project: ['{src,page}/**/*.{ts,js}', 'scripts/*.mjs'],
    },
    'packages/widget': {
      entry: [
        'src/**/*.test.ts',
        'test-node/**/*.ts',
        'test-server/*.ts',
        'test-frameworks/**/*.{ts,tsx}',
        'frameworks/*.d.ts',
        'bench/{run,peer/bare-checkout}.ts',
        'web-test-runner.config.mjs',
        'web-test-runner.firefox.config.mjs',
        'web-test-runner.pictures.config.mjs',
        'src/testing/pictures.ts',
        'web-test-runner.webkit.config.mjs',
      ],
      project: [
        '{src,test-node,test-server,test-frameworks,frameworks,bench}/**/*.{ts,tsx,vue,svelte}',
      ],
      // `test-frameworks/react-18/tsconfig.json` has it for `react`.
      ignoreDependencies: ['@types/react-18'],
    },
    tools: {
      entry: [
        'bench/{run,server,peer,outbox-peer,provider,webhook-bound}.ts',
        'drill/{main,hostile/server}.ts',
        'simulate/main.ts',
        '**/*.test.ts',
      ],
      project: ['**/*.ts'],
    },
    demo: {
      entry: [
        'stack/{start,stack,shop-main,console-main}.ts',
        'vite.config.ts',
        'vitest.shapes.config.ts',
        'vitest.examples.config.ts',
        'vitest.pictures.config.ts',
        'vitest.versions.config.ts',
        'vitest.webkit.config.ts',
        'journey/{*.table,docs-pictures}.ts',
        'journey/webkit.journeys.ts',
        '**/*.test.ts',
        '{shop,console,playground}/pages/{*-page,basket-link}.ts',
        'playground/pages/drawer.ts',
      ],
      project: ['**/*.ts'],
      // Its configuration needs a mode that says which site to build.
      vite: false,
      ignoreDependencies: [
        // Imported by style sheets.
        /^@fontsource/,
      ],
    },
  },
};

export default config;

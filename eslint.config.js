import js from '@eslint/js';
import { configs as lit } from 'eslint-plugin-lit';
import { configs as wc } from 'eslint-plugin-wc';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  globalIgnores([
    '**/dist/',
    '**/coverage/',
    '**/.cache/',
    'demo/data/',
    // With packages that only their copies have.
    'examples/',
    // No program has both versions of React; `test-frameworks` checks each of them.
    'packages/widget/frameworks/',
  ]),
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // There are none; the rule about their values would take a fifth of the time of all rules.
      'no-restricted-syntax': [
        'error',
        { selector: 'TSEnumDeclaration', message: 'Use a union of literals.' },
      ],
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      // It takes a flag that a signal or another request changes for a constant, and what a page or
      // a provider sends for what its type says.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // `() => doIt()`, and `Promise<Handle | void>` of an adapter, are what is meant.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
    },
  },
  {
    files: ['**/*.test.ts', '**/*.contract.ts', '**/testing/**/*.ts', 'demo/journey/**/*.ts'],
    rules: {
      // A test that is wrong about a value fails there, and spreads secrets to see what shows.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    // The Node side of the widget has a project of its own.
    files: ['packages/widget/{test-node,test-server}/**/*.ts', 'packages/widget/*.config.ts'],
    languageOptions: {
      parserOptions: { projectService: false, project: 'packages/widget/tsconfig.node.json' },
    },
  },
  {
    files: ['packages/widget/src/**/*.ts'],
    extends: [lit['flat/recommended'], wc['flat/recommended'], wc['flat/best-practice']],
  },
  {
    // Scripts for Node; their types are checked by the compiler.
    files: ['**/*.{js,mjs}'],
    languageOptions: {
      globals: {
        Buffer: 'readonly',
        URL: 'readonly',
        clearTimeout: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        process: 'readonly',
        setInterval: 'readonly',
        AbortSignal: 'readonly',
        setTimeout: 'readonly',
      },
    },
  },
  {
    // Scripts of pages: the browser has more names than a list here could.
    files: ['packages/sandbox/src/browser/**/*.js', 'packages/*/assets/**/*.js'],
    rules: { 'no-undef': 'off' },
  },
  { rules: { eqeqeq: 'error' } },
);

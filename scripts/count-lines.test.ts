import { describe, expect, it } from 'vitest';
import { countLines, isProduct, sumByFolder } from './count-lines.mjs';

describe('product lines', () => {
  it('are those of source files, without tests, contract suites, rigs, benches or data', () => {
    const files = [
      'packages/a/src/orders/price.ts',
      'packages/a/src/orders/price.test.ts',
      'packages/a/src/orders/repository.contract.ts',
      'packages/a/src/testing/shop.ts',
      'tools/drill/main.ts',
      'tools/simulate/main.ts',
      'packages/a/src/hostile/markup.ts',
      'packages/a/bench/run.ts',
      'packages/a/vite.config.ts',
      'packages/a/package.json',
      'demo/shop/pages/page.css',
      'demo/journey/pay.journey.ts',
      'scripts/build.mjs',
    ];
    expect(files.filter(isProduct)).toEqual([
      'packages/a/src/orders/price.ts',
      'demo/shop/pages/page.css',
      'scripts/build.mjs',
    ]);
  });

  it('are counted with comments and without blank lines', () => {
    expect(countLines('/** One. */\nconst one = 1;\n\n  \n// Two.\n')).toBe(3);
  });

  it('are summed by folder, and by package over its folders', () => {
    const counted = [
      { file: 'packages/a/src/main.ts', lines: 5 },
      { file: 'packages/a/src/orders/price.ts', lines: 3 },
      { file: 'packages/a/src/orders/put.ts', lines: 4 },
      { file: 'scripts/build.mjs', lines: 7 },
    ];
    expect(sumByFolder(counted)).toEqual([
      { folder: 'packages/a', files: 3, lines: 12 },
      { folder: 'packages/a/src/', files: 1, lines: 5 },
      { folder: 'packages/a/src/orders/', files: 2, lines: 7 },
      { folder: 'scripts', files: 1, lines: 7 },
      { folder: 'scripts/', files: 1, lines: 7 },
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import {
  addCounts,
  countVitest,
  countWebTestRunner,
  formatCounts,
  judgeRun,
} from './test-counts.mjs';

const NOTHING = { passed: 0, failed: 0, skipped: 0 };

describe('test counts', () => {
  it('a file that could not be loaded is a failure, though no test of it failed', () => {
    const counts = countVitest({
      numPassedTests: 4,
      numFailedTests: 1,
      numPendingTests: 2,
      numTodoTests: 1,
      testResults: [
        { status: 'passed', assertionResults: [{}, {}, {}, {}] },
        { status: 'failed', assertionResults: [{}] },
        { status: 'failed', assertionResults: [] },
      ],
    });
    expect(counts).toEqual({ passed: 4, failed: 2, skipped: 3 });
  });

  it('tests of nested suites are counted, in every file and browser', () => {
    const test = (passed: boolean, skipped = false): { passed: boolean; skipped: boolean } => ({
      passed,
      skipped,
    });
    const inner = { tests: [test(true), test(false), test(false, true)], suites: [] };
    const counts = countWebTestRunner([
      { passed: false, testResults: { tests: [test(true)], suites: [inner] } },
      { passed: true, testResults: { tests: [test(true)], suites: [] } },
    ]);
    expect(counts).toEqual({ passed: 3, failed: 1, skipped: 1 });
  });

  it('a page that broke outside of its tests is a failure', () => {
    expect(countWebTestRunner([{ passed: false }])).toEqual({ ...NOTHING, failed: 1 });
  });

  it('a runner that ran nothing is a failure', () => {
    expect(judgeRun(NOTHING, 0)).toEqual({ ...NOTHING, failed: 1 });
    expect(judgeRun({ ...NOTHING, skipped: 3 }, 0).failed).toBe(1);
  });

  it('a runner that ended badly is a failure, also when every test passed', () => {
    expect(judgeRun({ ...NOTHING, passed: 9 }, 1)).toEqual({ passed: 9, failed: 1, skipped: 0 });
    expect(judgeRun({ ...NOTHING, passed: 9, failed: 2 }, 1).failed).toBe(2);
  });

  it('the last line says the sum, and skipped tests only when there are some', () => {
    const sum = addCounts([
      { passed: 10, failed: 0, skipped: 1 },
      { passed: 5, failed: 2, skipped: 0 },
    ]);
    expect(formatCounts(sum)).toBe('15 passed, 2 failed, 1 skipped');
    expect(formatCounts({ ...NOTHING, passed: 3 })).toBe('3 passed, 0 failed');
  });
});

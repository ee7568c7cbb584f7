import { describe, expect, it } from 'vitest';
import {
  addCounts,
  countVitest,
  countWebTestRunner,
  formatCounts,
  checkRun,
} from './test-counts.mjs';

const NOTHING = { passed: 0, failed: 0, skipped: 0, failures: [], notRun: [] };

describe('test counts', () => {
  it('a file that could not be loaded or set up is a failure, though no test of it failed', () => {
    const test = (status: string, fullName = '', ...failureMessages: string[]) => ({
      status,
      fullName,
      failureMessages,
    });
    const file = { message: '', status: 'passed' };
    const counts = countVitest({
      numPassedTests: 3,
      numFailedTests: 1,
      numPendingTests: 2,
      numTodoTests: 1,
      testResults: [
        { ...file, name: '/a.ts', assertionResults: [test('passed'), test('passed')] },
        {
          ...file,
          name: '/b.ts',
          status: 'failed',
          assertionResults: [test('passed'), test('failed', 'a sum is exact', 'Error: no\n at b')],
        },
        { name: '/c.ts', status: 'failed', message: 'Cannot load', assertionResults: [] },
        { ...file, name: '/d.ts', status: 'failed', assertionResults: [test('skipped')] },
        {
          ...file,
          name: '/e.ts',
          assertionResults: [
            { ...test('skipped', ' a page is kept'), meta: { notRun: 'no browser' } },
          ],
        },
      ],
    });
    expect(counts).toEqual({
      passed: 3,
      failed: 3,
      skipped: 3,
      failures: [
        '/c.ts: the file itself\n    Cannot load',
        '/d.ts: the file itself\n    ',
        '/b.ts: a sum is exact\n    Error: no\n     at b',
      ],
      notRun: ['/e.ts: a page is kept (no browser)'],
    });
  });

  it('tests of nested suites are counted, in every file and browser', () => {
    const test = (name: string, passed: boolean, skipped = false) => ({ name, passed, skipped });
    const broken = { ...test('three', false), error: { message: 'no', stack: 'at c' } };
    const inner = {
      name: 'inner',
      tests: [test('two', true), broken, test('four', false, true)],
      suites: [],
    };
    const outer = { name: '', tests: [test('one', true)], suites: [inner] };
    const counts = countWebTestRunner([
      { testFile: '/a.ts', passed: false, testResults: outer, errors: [] },
      { testFile: '/b.ts', passed: true, testResults: { ...outer, suites: [] }, errors: [] },
    ]);
    expect(counts).toEqual({
      passed: 3,
      failed: 1,
      skipped: 1,
      failures: ['/a.ts: inner > three\n    no\n    at c'],
      notRun: [],
    });
  });

  it('a page that broke outside of its tests is a failure', () => {
    const page = { testFile: '/a.ts', passed: false };
    const { failed, failures } = countWebTestRunner([
      { ...page, errors: [{ message: 'no import', stack: 'Error: no import' }] },
      { ...page, errors: [] },
    ]);
    expect(failed).toBe(2);
    expect(failures).toEqual([
      '/a.ts: the page\n    Error: no import',
      '/a.ts: the page\n    It ended outside of its tests.',
    ]);
  });

  it('a runner that ran nothing is a failure', () => {
    const failures = ['The runner ran no test and ended with exit code 0.'];
    expect(checkRun(NOTHING, 0)).toEqual({ ...NOTHING, failed: 1, failures });
    expect(checkRun({ ...NOTHING, skipped: 3 }, 0).failed).toBe(1);
  });

  it('a runner that ended badly is a failure, also when every test passed', () => {
    const failures = ['The runner passed every test and ended with exit code 1.'];
    expect(checkRun({ ...NOTHING, passed: 9 }, 1)).toEqual({
      ...NOTHING,
      passed: 9,
      failed: 1,
      failures,
    });
    expect(checkRun({ ...NOTHING, passed: 9, failed: 2 }, 1).failed).toBe(2);
  });

  it('the last line says the sum, and skipped tests only when there are some', () => {
    const sum = addCounts([
      { passed: 10, failed: 0, skipped: 1, failures: [], notRun: ['three'] },
      { passed: 5, failed: 2, skipped: 0, failures: ['one', 'two'], notRun: [] },
    ]);
    expect(sum.failures).toEqual(['one', 'two']);
    expect(sum.notRun).toEqual(['three']);
    expect(formatCounts(sum)).toBe('15 passed, 2 failed, 1 skipped');
    expect(formatCounts({ ...NOTHING, passed: 3 })).toBe('3 passed, 0 failed');
  });
});

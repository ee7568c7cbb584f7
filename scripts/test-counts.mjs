/** How many tests a runner ran and which failed, from what the runner itself reports. */

/**
 * @typedef {object} TestCounts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {readonly string[]} failures - File, name and message of each test that failed.
 * @property {readonly string[]} notRun - File, name and reason of each test that was skipped with a reason.
 */

/**
 * Counts what vitest wrote with its JSON reporter.
 *
 * @typedef {{ status: string, fullName: string, failureMessages: string[],
 *   meta?: { notRun?: string } }} VitestTest
 * @param {{ numPassedTests: number, numFailedTests: number, numPendingTests: number,
 *   numTodoTests: number, testResults: { name: string, status: string, message: string,
 *   assertionResults: VitestTest[] }[] }} report
 * @returns {TestCounts}
 */
export function countVitest(report) {
  const failedFiles = report.testResults.filter(({ status }) => status === 'failed');
  // A file that could not be loaded, or set up, has failed without a single test to say so.
  const brokenFiles = failedFiles.filter(({ assertionResults }) =>
    assertionResults.every(({ status }) => status !== 'failed'),
  );
  const failedTests = failedFiles.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map((test) => describeFailure(name, test.fullName, test.failureMessages.join('\n'))),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
    failures: [
      ...brokenFiles.map(({ name, message }) => describeFailure(name, 'the file itself', message)),
      ...failedTests,
    ],
    notRun: report.testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ meta }) => meta?.notRun !== undefined)
        .map(({ fullName, meta }) => `${name}: ${fullName.trim()} (${meta?.notRun})`),
    ),
  };
}

/**
 * Counts the sessions of @web/test-runner: one for each file and browser.
 *
 * @typedef {{ message?: string, stack?: string }} TestError
 * @typedef {{ name: string, passed: boolean, skipped: boolean, error?: TestError }} WebTest
 * @typedef {{ name: string, tests: WebTest[], suites: Suite[] }} Suite
 * @param {readonly { testFile: string, passed?: boolean, testResults?: Suite,
 *   errors: readonly TestError[] }[]} sessions
 * @returns {TestCounts}
 */
export function countWebTestRunner(sessions) {
  return addCounts(
    sessions.map(({ testFile, passed: hasPassed, testResults, errors }) => {
      const tests = testResults === undefined ? [] : testsOf(testResults);
      const skipped = tests.filter((test) => test.skipped).length;
      const failed = tests.filter((test) => !test.passed && !test.skipped);
      const passed = tests.length - failed.length - skipped;
      const failures = failed.map(({ name, error }) =>
        describeFailure(testFile, name, wordsOf(error)),
      );
      if (failures.length > 0 || hasPassed === true) {
        return { passed, failed: failures.length, skipped, failures, notRun: [] };
      }
      // A page that broke before, between or after its tests.
      const said = errors.map(wordsOf).join('\n') || 'It ended outside of its tests.';
      return {
        passed,
        failed: 1,
        skipped,
        failures: [describeFailure(testFile, 'the page', said)],
        notRun: [],
      };
    }),
  );
}

/**
 * The tests of a suite and of those in it, each with its whole name.
 *
 * @param {Suite} suite
 * @returns {WebTest[]}
 */
function testsOf({ name, tests, suites }) {
  return [...tests, ...suites.flatMap(testsOf)].map((test) => ({
    ...test,
    name: [name, test.name].filter(Boolean).join(' > '),
  }));
}

/** @param {TestError} [error] */
function wordsOf(error) {
  const { message = '', stack = '' } = error ?? {};
  return stack.includes(message) ? stack : `${message}\n${stack}`;
}

/**
 * @param {string} file
 * @param {string} test
 * @param {string} words
 */
function describeFailure(file, test, words) {
  return [`${file}: ${test}`, ...words.trim().split('\n')].join('\n    ');
}

/**
 * The counts of one run, checked against its exit code: a runner that ran nothing, or that failed
 * without a failing test, counts as one failure.
 *
 * @param {TestCounts} counts
 * @param {number} exitCode
 * @returns {TestCounts}
 */
export function checkRun(counts, exitCode) {
  const ranNothing = counts.passed + counts.failed === 0;
  const isUnexplained = exitCode !== 0 && counts.failed === 0;
  if (!ranNothing && !isUnexplained) return counts;
  const words = ranNothing ? 'ran no test' : 'passed every test';
  return {
    ...counts,
    failed: counts.failed + 1,
    failures: [...counts.failures, `The runner ${words} and ended with exit code ${exitCode}.`],
  };
}

/**
 * @param {readonly TestCounts[]} all
 * @returns {TestCounts}
 */
export function addCounts(all) {
  /** @param {'passed' | 'failed' | 'skipped'} what */
  const sum = (what) => all.reduce((total, counts) => total + counts[what], 0);
  return {
    passed: sum('passed'),
    failed: sum('failed'),
    skipped: sum('skipped'),
    failures: all.flatMap(({ failures }) => failures),
    notRun: all.flatMap(({ notRun }) => notRun),
  };
}

/**
 * "12 passed, 0 failed, 1 skipped": CI reads this line.
 *
 * @param {TestCounts} counts
 */
export function formatCounts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

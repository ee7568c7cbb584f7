/** How many tests a runner ran, from what the runner itself reports, and the line that says it. */

/** @typedef {{ passed: number, failed: number, skipped: number }} TestCounts */

/**
 * Counts what vitest wrote with its JSON reporter.
 *
 * @param {{ numPassedTests: number, numFailedTests: number, numPendingTests: number,
 *   numTodoTests: number, testResults: { status: string, assertionResults: unknown[] }[] }} report
 * @returns {TestCounts}
 */
export function countVitest(report) {
  // A file that could not be loaded has failed without a single test to say so.
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  ).length;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * Counts the sessions of @web/test-runner: one for each file and browser.
 *
 * @typedef {{ tests: { passed: boolean, skipped: boolean }[], suites: Suite[] }} Suite
 * @param {readonly { passed?: boolean, testResults?: Suite }[]} sessions
 * @returns {TestCounts}
 */
export function countWebTestRunner(sessions) {
  return addCounts(
    sessions.map((session) => {
      const tests = session.testResults === undefined ? [] : testsOf(session.testResults);
      const skipped = tests.filter((test) => test.skipped).length;
      const failed = tests.filter((test) => !test.passed && !test.skipped).length;
      const passed = tests.length - failed - skipped;
      // A page that broke before, between or after its tests.
      return { passed, failed: failed || (session.passed === true ? 0 : 1), skipped };
    }),
  );
}

/**
 * @param {Suite} suite
 * @returns {Suite['tests']}
 */
function testsOf(suite) {
  return [...suite.tests, ...suite.suites.flatMap(testsOf)];
}

/**
 * The counts of one run with what its exit code adds: a runner that ran nothing, or that went
 * wrong in a way which is no test's failure, is one failure.
 *
 * @param {TestCounts} counts
 * @param {number} exitCode
 * @returns {TestCounts}
 */
export function judgeRun(counts, exitCode) {
  const ranNothing = counts.passed + counts.failed === 0;
  const isUnexplained = exitCode !== 0 && counts.failed === 0;
  return ranNothing || isUnexplained ? { ...counts, failed: counts.failed + 1 } : counts;
}

/**
 * @param {readonly TestCounts[]} all
 * @returns {TestCounts}
 */
export function addCounts(all) {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const { passed, failed, skipped } of all) {
    sum.passed += passed;
    sum.failed += failed;
    sum.skipped += skipped;
  }
  return sum;
}

/**
 * "12 passed, 0 failed, 1 skipped": CI reads this line.
 *
 * @param {TestCounts} counts
 */
export function formatCounts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

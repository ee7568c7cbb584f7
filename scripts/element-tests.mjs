/**
 * Runs the element's tests in a real browser, as the widget's own configuration says, and writes
 * their counts as JSON to the file named by the first argument. Started in the widget's folder.
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { countWebTestRunner } from './test-counts.mjs';

const [resultFile] = process.argv.slice(2);
if (resultFile === undefined) throw new Error('Name the file for the counts.');

// The runner is a dependency of the widget and not of the root.
const fromWidget = createRequire(join(process.cwd(), 'package.json'));
const { startTestRunner, defaultReporter } = await import(
  pathToFileURL(fromWidget.resolve('@web/test-runner')).href
);

const countingReporter = {
  /** @param {{ sessions: Parameters<typeof countWebTestRunner>[0] }} run */
  onTestRunFinished({ sessions }) {
    writeFileSync(resultFile, JSON.stringify(countWebTestRunner([...sessions])));
  },
};

const runner = await startTestRunner({
  readCliArgs: false,
  config: { reporters: [defaultReporter(), countingReporter] },
});
process.on('SIGTERM', () => runner?.stop());

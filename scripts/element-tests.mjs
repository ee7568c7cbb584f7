/**
 * Runs the element's tests in a real browser, as the configuration named by the second argument says,
 * and writes their counts as JSON to the file named by the first. Started in the widget's folder.
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { countWebTestRunner } from './test-counts.mjs';

const [resultFile, configFile] = process.argv.slice(2);
if (resultFile === undefined || configFile === undefined) {
  throw new Error('Name the file for the counts, and the configuration.');
}

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
  argv: ['--config', configFile],
  config: { reporters: [defaultReporter(), countingReporter] },
});
process.on('SIGTERM', () => runner?.stop());

import type { AxeResults, RunOptions } from 'axe-core';
import 'axe-core/axe.min.js';
import { executeServerCommand } from '@web/test-runner-commands';

declare const axe: { run(context: Document, options: RunOptions): Promise<AxeResults> };

/** WCAG 2.2 A and AA, and what axe recommends beyond them. No rule of theirs is turned off. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds wrong on this page, and what it cannot decide; counts it for `docs/accessibility.md`. */
export async function findViolations(state: string): Promise<readonly string[]> {
  const options: RunOptions = {
    runOnly: TAGS,
    preload: false,
    resultTypes: ['violations', 'incomplete'],
  };
  const { violations, incomplete, passes } = await axe.run(document, options);
  await executeServerCommand('count-axe', {
    page: 'the element',
    state,
    passes: passes.length,
    violations: violations.length,
    incomplete: incomplete.length,
  });
  return [...violations, ...incomplete].flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary, any }) =>
      [id, target.join(' '), failureSummary ?? any.map(({ message }) => message)].join(': '),
    ),
  );
}

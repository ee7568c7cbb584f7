import type { AxeResults, RunOptions } from 'axe-core';
import 'axe-core/axe.min.js';

declare const axe: { run(context: Node, options: RunOptions): Promise<AxeResults> };

/** WCAG 2.2 A and AA, and what axe recommends beyond them. No rule of theirs is turned off. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds wrong on this page, or in one element of it, and what it cannot decide. */
export async function findViolations(context: Node = document): Promise<readonly string[]> {
  const options: RunOptions = {
    runOnly: TAGS,
    preload: false,
    resultTypes: ['violations', 'incomplete'],
  };
  const { violations, incomplete } = await axe.run(context, options);
  return [...violations, ...incomplete].flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary, any }) =>
      [id, target.join(' '), failureSummary ?? any.map(({ message }) => message)].join(': '),
    ),
  );
}

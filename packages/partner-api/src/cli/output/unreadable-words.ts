import type { UnreadableRows } from '../../resources/unreadable-rows.js';
import { formatCount } from '../export/progress-line.js';
import { toPlainText } from './plain-text.js';
import type { Terminal } from './terminal.js';

/** Says on stderr how many rows could not be read, and where the first of them stood. */
export function warnOfUnreadableRows(terminal: Terminal, { count, first }: UnreadableRows): void {
  if (count === 0) return;
  const places = first.map(({ cursor, index, kind }) => {
    const page = cursor === undefined ? 'the first page' : `--cursor '${toPlainText(cursor)}'`;
    return `index ${index} of ${page} (${kind})`;
  });
  if (count > first.length) places.push(`${formatCount(count - first.length)} more`);
  const rows =
    count === 1
      ? '1 row is no object and was'
      : `${formatCount(count)} rows are no objects and were`;
  terminal.warn(
    `Warning: ${rows} left out; nothing is known of what they are about: ${places.join(', ')}.`,
  );
}

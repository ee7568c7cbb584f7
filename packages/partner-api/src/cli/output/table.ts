import { pad, toPlainText, widthOf } from './plain-text.js';

/** A column of a table: its title, and the side that its texts keep to. */
export interface TableColumn {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

const GAP = '  ';

/**
 * Aligned columns under their titles. When that is wider than `maxWidth`, each row becomes a block
 * of `title: text` lines instead: cut texts could not be copied.
 */
export function renderTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  maxWidth = Number.POSITIVE_INFINITY,
): string[] {
  const plain = rows.map((row) => row.map(toPlainText));
  const widths = columns.map(({ title }, at) =>
    Math.max(widthOf(title), ...plain.map((row) => widthOf(row[at] ?? ''))),
  );
  const total = widths.reduce((sum, width) => sum + width, GAP.length * (columns.length - 1));
  if (total > maxWidth) return renderBlocks(columns, plain);
  const line = (texts: readonly string[]): string =>
    columns
      .map(({ align = 'left' }, at) =>
        pad(texts[at] ?? '', widths[at] ?? 0, align === 'right' ? 'left' : 'right'),
      )
      .join(GAP)
      .trimEnd();
  return [line(columns.map(({ title }) => title)), ...plain.map(line)];
}

/** `title  text` lines for one thing; what has no text is left out. */
export function renderFields(fields: readonly (readonly [string, string])[]): string[] {
  const shown = fields.filter(([, text]) => text !== '');
  const width = Math.max(0, ...shown.map(([title]) => widthOf(title)));
  return shown.map(([title, text]) => `${pad(title, width, 'right')}${GAP}${toPlainText(text)}`);
}

function renderBlocks(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
): string[] {
  return rows.flatMap((row, number) => [
    ...(number === 0 ? [] : ['']),
    ...renderFields(columns.map(({ title }, at) => [title, row[at] ?? ''])),
  ]);
}

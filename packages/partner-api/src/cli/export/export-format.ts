import type { Transaction } from '../../resources/transactions.js';
import { UsageError } from '../exit-codes.js';
import { toJsonText } from '../output/json-text.js';
import { CsvText, type CsvOptions } from './csv-text.js';

export type FormatName = 'csv' | 'ndjson';

/** How rows become text. */
export interface ExportFormat {
  readonly header: string;
  readonly line: (row: Transaction) => string;
  readonly inexactNumbers: () => number;
}

export function makeFormat(name: FormatName, options: CsvOptions): ExportFormat {
  if (name === 'csv') {
    const csv = new CsvText(options);
    return {
      header: csv.header(),
      line: (row) => csv.line(row),
      inexactNumbers: () => csv.inexactNumbers,
    };
  }
  return { header: '', line: toJsonLine, inexactNumbers: () => 0 };
}

/** The format that the name of a file tells, unless it is given. */
export function chooseFormat(given: FormatName | undefined, output: string): FormatName {
  if (given !== undefined) return given;
  if (/\.csv$/i.test(output)) return 'csv';
  if (/\.(ndjson|jsonl)$/i.test(output)) return 'ndjson';
  throw new UsageError(`--format is needed: ${output} ends neither in .csv nor in .ndjson.`);
}

function toJsonLine(row: Transaction): string {
  return `${hasLongNumbers(row) ? toJsonText(row) : JSON.stringify(row)}\n`;
}

/** Exact texts are remembered under a symbol; those of nested values are not looked for. */
function hasLongNumbers(row: Transaction): boolean {
  if (Object.getOwnPropertySymbols(row).length > 0) return true;
  for (const field in row) if (typeof row[field] === 'object' && row[field] !== null) return true;
  return false;
}

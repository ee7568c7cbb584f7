import { ByteText } from '../../csv/byte-text.js';
import { TransactionCsv, type TransactionCsvOptions } from '../../csv/transaction-csv.js';
import { hasSources } from '../../decimal.js';
import { toJsonText } from '../../exact-text.js';
import type { Transaction } from '../../resources/transactions.js';
import { UsageError } from '../exit-codes.js';

export type FormatName = 'csv' | 'ndjson';

/** How rows become a file. */
export interface ExportFormat {
  readonly header: string;
  /** The rows of a page as UTF-8, valid until the next call. */
  readonly encode: (rows: readonly Transaction[]) => Uint8Array;
  readonly inexactNumbers: number;
}

export function makeFormat(name: FormatName, options: TransactionCsvOptions): ExportFormat {
  if (name === 'csv') return new TransactionCsv(options);
  const text = new ByteText();
  return {
    header: '',
    encode: (rows) => {
      text.clear();
      for (const row of rows) text.write(toJsonLine(row));
      return text.bytes;
    },
    inexactNumbers: 0,
  };
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
  if (hasSources(row)) return true;
  for (const field in row) if (typeof row[field] === 'object' && row[field] !== null) return true;
  return false;
}

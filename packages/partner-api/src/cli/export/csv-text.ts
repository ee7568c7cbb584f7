import { decimalOf, hasSources } from '../../decimal.js';
import type { Transaction } from '../../resources/transactions.js';
import { toJsonText } from '../output/json-text.js';
import type { ByteText } from './byte-text.js';
import { readCells, TRANSACTION_COLUMNS } from './transaction-columns.js';

/** What a CSV export holds. */
export interface CsvOptions {
  readonly columns: readonly string[];
  /** A last column `extra`: fields without a column of their own, as JSON. */
  readonly extra: boolean;
  /** Whether texts that a spreadsheet would run as a formula get an apostrophe before them. */
  readonly guardFormulas: boolean;
}

/** Writes rows as RFC 4180: commas, CRLF, quotes where they are needed, quotes doubled. */
export class CsvText {
  readonly #columns: readonly string[];
  readonly #readCells: (row: Transaction) => readonly unknown[];
  readonly #known: ReadonlySet<string>;
  readonly #options: CsvOptions;
  /** Numbers whose exact text is not known; their cells are empty. */
  inexactNumbers = 0;

  constructor(options: CsvOptions) {
    this.#options = options;
    const { columns } = options;
    this.#columns = columns;
    this.#readCells =
      columns === TRANSACTION_COLUMNS ? readCells : (row) => columns.map((name) => row[name]);
    this.#known = new Set(options.columns);
  }

  header(): string {
    const titles = this.#options.extra ? [...this.#columns, 'extra'] : this.#columns;
    return `${titles.map(quote).join(',')}\r\n`;
  }

  /** Adds the line of a row. */
  writeLine(row: Transaction, text: ByteText): void {
    const isExact = !hasSources(row);
    let fieldsWritten = 0;
    const cells = this.#readCells(row);
    for (let at = 0; at < cells.length; at += 1) {
      if (at > 0) text.comma();
      const value = cells[at];
      if (value === undefined) continue;
      fieldsWritten += 1;
      if (typeof value === 'string') this.#writeText(value, text);
      else if (typeof value === 'number') this.#writeNumber(row, at, value, isExact, text);
      else if (value !== null) this.#writeText(toJsonText(value), text);
    }
    if (this.#options.extra) {
      text.comma();
      if (Object.keys(row).length > fieldsWritten) text.write(this.#extra(row));
    }
    text.endLine();
  }

  /** A number without a remembered source was short, so JavaScript's own text of it is exact. */
  #writeNumber(
    row: Transaction,
    at: number,
    value: number,
    isExact: boolean,
    text: ByteText,
  ): void {
    if (isExact && text.writeNumber(value)) return;
    const exact = decimalOf(row, this.#columns[at] as string);
    if (exact === undefined) this.inexactNumbers += 1;
    else text.write(exact);
  }

  #writeText(value: string, text: ByteText): void {
    const first = value.charCodeAt(0);
    if (first < 0x80) {
      const isFormula = this.#options.guardFormulas && FORMULA_STARTS[first] === 1;
      if (!isFormula && text.writePlain(value)) return;
    }
    text.write(quote(this.#options.guardFormulas && FORMULA.test(value) ? `'${value}` : value));
  }

  #extra(row: Transaction): string {
    let found: Record<string, unknown> | undefined;
    for (const field in row) {
      if (!this.#known.has(field)) (found ??= {})[field] = row[field];
    }
    return found === undefined ? '' : quote(toJsonText(pick(row, found)));
  }
}

/** What spreadsheets take for the begin of a formula, in both widths of these signs. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** The same for the letters of ASCII: 1 for those that begin a formula. */
const FORMULA_STARTS = Uint8Array.from({ length: 128 }, (_, code) =>
  FORMULA.test(String.fromCharCode(code)) ? 1 : 0,
);

function quote(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The found fields of a row; a copy by spread keeps the exact texts of its numbers. */
function pick(row: Transaction, found: Readonly<Record<string, unknown>>): object {
  const copy: Record<string, unknown> = { ...row };
  for (const field of Object.keys(copy)) {
    if (!Object.hasOwn(found, field)) Reflect.deleteProperty(copy, field);
  }
  return copy;
}

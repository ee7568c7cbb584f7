import { decimalOf, hasSources } from '../decimal.js';
import { toJsonText } from '../exact-text.js';
import type { Transaction } from '../resources/transactions.js';
import { ByteText } from './byte-text.js';
import { readCells, TRANSACTION_COLUMNS } from './transaction-columns.js';

/** What a line of CSV holds of a transaction. */
export interface TransactionCsvOptions {
  /** Names of fields. Default: those of spec 2.1, in its order. */
  readonly columns?: readonly string[];
  /** A last column `extra`: fields without a column of their own, as JSON. Default `true`. */
  readonly extra?: boolean;
  /**
   * Whether texts that a spreadsheet would run as a formula get an apostrophe before them: shoppers
   * choose their own names. Default `true`.
   */
  readonly guardFormulas?: boolean;
}

/**
 * Transactions as CSV (RFC 4180) in UTF-8: commas, CRLF, quotes where they are needed, quotes doubled,
 * amounts with every digit that came.
 *
 * @example
 * const csv = new TransactionCsv();
 * await file.write(csv.header);
 * for await (const page of client.transactions.iterate({ limit: 500 }).pages()) {
 *   await file.write(csv.toText(page.data.transactions));
 * }
 */
export class TransactionCsv {
  /** The line with the names of the columns. */
  readonly header: string;
  readonly #columns: readonly string[];
  readonly #readCells: (row: Transaction) => readonly unknown[];
  readonly #known: ReadonlySet<string>;
  readonly #hasExtra: boolean;
  readonly #guardsFormulas: boolean;
  readonly #text = new ByteText();
  #inexactNumbers = 0;

  constructor({
    columns = TRANSACTION_COLUMNS,
    extra = true,
    guardFormulas = true,
  }: TransactionCsvOptions = {}) {
    this.#columns = columns;
    this.#readCells =
      columns === TRANSACTION_COLUMNS
        ? readCells
        : (row) => columns.map((name) => (Object.hasOwn(row, name) ? row[name] : undefined));
    this.#known = new Set(columns);
    this.#hasExtra = extra;
    this.#guardsFormulas = guardFormulas;
    this.header = `${(extra ? [...columns, 'extra'] : columns).map(quote).join(',')}\r\n`;
  }

  /** How many numbers had no exact text; their cells are empty. */
  get inexactNumbers(): number {
    return this.#inexactNumbers;
  }

  /** The lines of these rows. */
  toText(rows: readonly Transaction[]): string {
    return UTF_8.decode(this.encode(rows));
  }

  /** The same as bytes, for millions of rows. They are overwritten by the next call. */
  encode(rows: readonly Transaction[]): Uint8Array {
    this.#text.clear();
    for (const row of rows) this.#writeLine(row, this.#text);
    return this.#text.bytes;
  }

  #writeLine(row: Transaction, text: ByteText): void {
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
    if (this.#hasExtra) {
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
    if (exact === undefined) this.#inexactNumbers += 1;
    else text.write(exact);
  }

  #writeText(value: string, text: ByteText): void {
    const first = value.charCodeAt(0);
    if (first < 0x80) {
      const isFormula = this.#guardsFormulas && FORMULA_STARTS[first] === 1;
      if (!isFormula && text.writePlain(value)) return;
    }
    text.write(quote(this.#guardsFormulas && FORMULA.test(value) ? `'${value}` : value));
  }

  /** The other fields of a row; a copy by spread keeps the exact texts of its numbers. */
  #extra(row: Transaction): string {
    const others: Record<string, unknown> = { ...row };
    for (const field in row) if (this.#known.has(field)) Reflect.deleteProperty(others, field);
    return Object.keys(others).length === 0 ? '' : quote(toJsonText(others));
  }
}

const UTF_8 = new TextDecoder('utf-8', { ignoreBOM: true });

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

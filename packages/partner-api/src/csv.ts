import { decimalOf, toJsonText } from './decimal.js';
import { Transaction } from './resources/transaction.js';

/** The fields of a transaction in the order of spec 2.1: the columns of an export. */
export const TRANSACTION_COLUMNS: readonly string[] = Object.keys(Transaction.shape);

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
 * What spreadsheets take for the start of a formula, in both widths of these signs. Some split a cell
 * at a semicolon or a tab.
 */
const FORMULA = /(?<=^|[;\t])(?=[=+\-@\t\r\n＝＋－＠])/g;

const FORMULA_IN_JSON = /(?<=;)[=+\-@＝＋－＠]/g;

/** The same JSON, without the sign itself. */
function escapeInJson(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Transactions as CSV (RFC 4180): commas, CRLF, texts in quotes, quotes doubled, amounts with every
 * digit that came.
 *
 * @example
 * const csv = new TransactionCsv();
 * await file.write(csv.header);
 * for await (const page of client.transactions.pages({ limit: 500 })) {
 *   await file.write(csv.toText(page.data.transactions));
 * }
 */
export class TransactionCsv {
  /** The line with the names of the columns. */
  readonly header: string;
  readonly #columns: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #hasExtra: boolean;
  readonly #guardsFormulas: boolean;
  #inexactNumbers = 0;

  constructor({
    columns = TRANSACTION_COLUMNS,
    extra = true,
    guardFormulas = true,
  }: TransactionCsvOptions = {}) {
    this.#columns = columns;
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
    return rows.map((row) => this.#line(row)).join('');
  }

  #line(row: Transaction): string {
    const cells = this.#columns.map((name) =>
      Object.hasOwn(row, name) ? this.#cell(row, name) : '',
    );
    if (this.#hasExtra) cells.push(this.#extra(row));
    return `${cells.join(',')}\r\n`;
  }

  #cell(row: Transaction, name: string): string {
    const value = (row as Record<string, unknown>)[name];
    if (value === undefined || value === null) return '';
    if (typeof value === 'number') {
      const exact = decimalOf(row, name);
      if (exact === undefined) this.#inexactNumbers += 1;
      return exact ?? '';
    }
    const text = typeof value === 'string' ? value : toJsonText(value);
    return quote(this.#guardsFormulas ? text.replace(FORMULA, "'") : text);
  }

  /** The other fields of a row; a copy by spread keeps the exact texts of its numbers. */
  #extra(row: Transaction): string {
    const others: Record<string, unknown> = { ...row };
    for (const field of this.#known) Reflect.deleteProperty(others, field);
    if (Object.keys(others).length === 0) return '';
    const text = toJsonText(others);
    return quote(this.#guardsFormulas ? text.replace(FORMULA_IN_JSON, escapeInJson) : text);
  }
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

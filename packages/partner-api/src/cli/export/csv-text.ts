import { decimalOf } from '../../decimal.js';
import type { Transaction } from '../../resources/transactions.js';
import { toJsonText } from '../output/json-text.js';

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
  readonly #known: ReadonlySet<string>;
  readonly #options: CsvOptions;
  /** Numbers whose exact text is not known; their cells are empty. */
  inexactNumbers = 0;

  constructor(options: CsvOptions) {
    this.#options = options;
    this.#columns = options.columns;
    this.#known = new Set(options.columns);
  }

  header(): string {
    const titles = this.#options.extra ? [...this.#columns, 'extra'] : this.#columns;
    return `${titles.map(quote).join(',')}\r\n`;
  }

  line(row: Transaction): string {
    const hasSources = Object.getOwnPropertySymbols(row).length > 0;
    let line = '';
    let separator = '';
    let fieldsWritten = 0;
    for (const column of this.#columns) {
      const value = row[column];
      line += separator;
      separator = ',';
      if (value === undefined) continue;
      fieldsWritten += 1;
      if (typeof value === 'string') line += this.#text(value);
      else if (typeof value === 'number') line += this.#number(row, column, value, hasSources);
      else if (value !== null) line += this.#text(toJsonText(value));
    }
    if (!this.#options.extra) return `${line}\r\n`;
    const hasMore = Object.keys(row).length > fieldsWritten;
    return `${line},${hasMore ? this.#extra(row) : ''}\r\n`;
  }

  /** A number without a remembered source was short, so JavaScript's own text of it is exact. */
  #number(row: Transaction, column: string, value: number, hasSources: boolean): string {
    if (!hasSources && Number.isFinite(value)) {
      const text = String(value);
      if (!text.includes('e')) return text;
    }
    const exact = decimalOf(row, column);
    if (exact === undefined) this.inexactNumbers += 1;
    return exact ?? '';
  }

  #text(text: string): string {
    return quote(this.#options.guardFormulas && FORMULA.test(text) ? `'${text}` : text);
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

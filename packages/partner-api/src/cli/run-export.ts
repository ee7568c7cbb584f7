import type { PartnerClient } from '../client.js';
import { TransactionCsv, type TransactionCsvOptions } from '../csv.js';
import { toJsonText } from '../decimal.js';
import { isPartnerApiError } from '../errors.js';
import type { Transaction } from '../resources/transaction.js';
import type { ListTransactionsParams } from '../resources/transactions.js';
import {
  addUnreadable,
  NO_UNREADABLE_ROWS,
  type UnreadableRows,
  unreadableRowsOf,
} from '../resources/unreadable-rows.js';
import { UsageError } from './exit-codes.js';
import type { ExportFile, SavedState } from './export-file.js';
import { ExportSeam } from './export-position.js';
import { noteRepeatedRows } from './print-error.js';
import { formatBytes, formatCount } from './render.js';
import { toPlainText, type Terminal } from './terminal.js';

export type FormatName = 'csv' | 'ndjson';

/** How rows become a file. */
export interface ExportFormat {
  readonly header: string;
  readonly toText: (rows: readonly Transaction[]) => string;
  readonly inexactNumbers: number;
}

export function makeFormat(name: FormatName, options: TransactionCsvOptions): ExportFormat {
  if (name === 'csv') return new TransactionCsv(options);
  const toText = (rows: readonly Transaction[]): string =>
    rows.map((row) => `${toJsonText(row)}\n`).join('');
  return { header: '', toText, inexactNumbers: 0 };
}

/** The format that is given, or the one that the name of the file implies. */
export function chooseFormat(given: FormatName | undefined, output: string): FormatName {
  if (given !== undefined) return given;
  if (/\.csv$/i.test(output)) return 'csv';
  if (/\.(ndjson|jsonl)$/i.test(output)) return 'ndjson';
  throw new UsageError(`--format is needed: ${output} ends neither in .csv nor in .ndjson.`);
}

/** What an export works with. */
export interface ExportJob {
  readonly client: PartnerClient;
  readonly params: ListTransactionsParams;
  readonly format: ExportFormat;
  readonly signal: AbortSignal;
  readonly terminal: Terminal;
}

/** The result of an export. */
export interface ExportResult {
  readonly rows: number;
  readonly bytes: number;
  /** `transactionTime` of the last row. */
  readonly reached: string | undefined;
  /** Rows that were left out, those of earlier runs included. */
  readonly unreadable: UnreadableRows;
  readonly summary: string;
}

/** What identifies an export to a file, and how often it is saved. */
export interface SaveOptions {
  readonly request: string;
  readonly checkpointSeconds: number;
}

/**
 * Writes the rows of a list to a file, page by page. If it ends early, everything written is saved
 * first, so that the same command can continue from there.
 */
export async function runExport(
  job: ExportJob,
  file: ExportFile,
  { request, checkpointSeconds }: SaveOptions,
): Promise<ExportResult> {
  const { client, params, format, signal, terminal } = job;
  const { resumed } = file;
  const progress = new Progress(terminal, resumed);
  const seam = new ExportSeam(resumed?.position);
  let unreadable = resumed?.unreadable ?? NO_UNREADABLE_ROWS;
  let repeatedRows = 0;
  const stateOf = (ended: boolean): SavedState => ({
    request,
    ended,
    position: seam.position(),
    rows: progress.rows,
    ...(progress.reached === undefined ? {} : { reached: progress.reached }),
    ...(unreadable.count === 0 ? {} : { unreadable }),
  });
  const pages = client.transactions.pages(
    { ...params, cursor: resumed?.position.cursor },
    { signal },
  );
  try {
    if (file.bytes === 0) await file.append(format.header);
    let savedAt = performance.now();
    for await (const page of resumed?.ended === true ? [] : pages) {
      const rows = seam.take(page);
      await file.append(format.toText(rows));
      progress.add(rows, file.bytes);
      unreadable = addUnreadable(unreadable, unreadableRowsOf(page), page.cursor);
      repeatedRows += page.repeatedRows;
      if (performance.now() - savedAt < checkpointSeconds * 1000) continue;
      await file.save(stateOf(false));
      savedAt = performance.now();
    }
  } catch (error) {
    progress.end();
    // A page that was not written whole is not in the checkpoint: only calls of the API end here.
    if (isPartnerApiError(error)) await file.save(stateOf(false));
    throw error;
  }
  await file.save(stateOf(true));
  await file.finish();
  const { rows, reached } = progress;
  noteRepeatedRows(terminal, repeatedRows);
  return { rows, reached, bytes: file.bytes, unreadable, summary: progress.end() };
}

/** Writes the rows of a list to stdout; it cannot be resumed. */
export async function streamExport({
  client,
  params,
  format,
  signal,
  terminal,
}: ExportJob): Promise<Pick<ExportResult, 'summary' | 'unreadable'>> {
  const progress = new Progress(terminal);
  await terminal.write(format.header);
  let unreadable = NO_UNREADABLE_ROWS;
  let repeatedRows = 0;
  for await (const page of client.transactions.pages(params, { signal })) {
    await terminal.write(format.toText(page.data.transactions));
    progress.add(page.data.transactions);
    unreadable = addUnreadable(unreadable, unreadableRowsOf(page), page.cursor);
    repeatedRows += page.repeatedRows;
  }
  noteRepeatedRows(terminal, repeatedRows);
  return { unreadable, summary: progress.end() };
}

const MIN_PAUSE_MILLISECONDS = 200;

/** How far an export is: on a terminal, a line with rows, rows a second and the date reached. */
class Progress {
  readonly #terminal: Terminal;
  readonly #startedAt = performance.now();
  readonly #rowsBefore: number;
  #shownAt = 0;
  rows: number;
  reached: string | undefined;

  constructor(terminal: Terminal, resumed?: { readonly rows: number; readonly reached?: string }) {
    this.#terminal = terminal;
    this.#rowsBefore = resumed?.rows ?? 0;
    this.rows = this.#rowsBefore;
    this.reached = resumed?.reached;
  }

  add(rows: readonly Transaction[], bytes?: number): void {
    this.rows += rows.length;
    const last = rows.findLast(({ transactionTime }) => typeof transactionTime === 'string');
    this.reached = last?.transactionTime ?? this.reached;
    const now = performance.now();
    if (bytes === undefined || !this.#terminal.showsProgress) return;
    if (now - this.#shownAt < MIN_PAUSE_MILLISECONDS) return;
    this.#shownAt = now;
    const { reached } = this;
    const day = reached === undefined ? '' : ` · back to ${toPlainText(reached.slice(0, 10))}`;
    const count = `${formatCount(this.rows)} rows`;
    this.#terminal.progress(`${count} · ${this.#rate()} · ${formatBytes(bytes)}${day}`);
  }

  /** Removes the line, and says what was done in this run. */
  end(): string {
    this.#terminal.progress('');
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const here =
      this.#rowsBefore === 0 ? '' : `, ${formatCount(this.rows - this.#rowsBefore)} of them`;
    const count = `${formatCount(this.rows)} rows`;
    return `${count}${here} in ${seconds.toFixed(1)} s (${this.#rate()})`;
  }

  #rate(): string {
    const seconds = Math.max(0.001, (performance.now() - this.#startedAt) / 1000);
    return `${formatCount(Math.round((this.rows - this.#rowsBefore) / seconds))} rows/s`;
  }
}

import type { PartnerClient } from '../../client.js';
import { isPartnerApiError } from '../../errors.js';
import type { ListTransactionsParams, Transaction } from '../../resources/transactions.js';
import type { TransactionIterator } from '../../resources/transaction-iterator.js';
import {
  addUnreadable,
  NO_UNREADABLE_ROWS,
  type UnreadableRows,
} from '../../resources/unreadable-rows.js';
import type { Terminal } from '../output/terminal.js';
import type { ExportFile, SavedState } from './export-file.js';
import type { ExportFormat } from './export-format.js';
import { PageWriter } from './page-writer.js';
import { ProgressLine } from './progress-line.js';

/** What an export works with. */
export interface ExportJob {
  readonly client: PartnerClient;
  readonly params: ListTransactionsParams;
  readonly format: ExportFormat;
  readonly request: string;
  readonly checkpointSeconds: number;
  readonly signal: AbortSignal;
  readonly terminal: Terminal;
}

/** What an export came to. */
export interface ExportResult {
  readonly rows: number;
  readonly bytes: number;
  /** `transactionTime` of the last row. */
  readonly reached: string | undefined;
  /** Rows that were left out, those of earlier runs included. */
  readonly unreadable: UnreadableRows;
  readonly words: string;
}

/** Where a running export stands. */
interface Progress {
  rows: number;
  reached: string | undefined;
}

/**
 * Writes the rows of a list to a file, page by page: one page in memory, one on its way. Whatever
 * ends it early, what was written is saved first, so that the same command goes on there.
 */
export async function runExport(job: ExportJob, file: ExportFile): Promise<ExportResult> {
  const { resumed } = file;
  const progress: Progress = { rows: resumed?.rows ?? 0, reached: resumed?.reached };
  const line = new ProgressLine(job.terminal, progress.rows);
  const iterator = startIterator(job, resumed?.position);
  const writer = new PageWriter(file);
  const unreadable = (): UnreadableRows =>
    addUnreadable(resumed?.unreadable ?? NO_UNREADABLE_ROWS, iterator.unreadableRows);
  const stateOf = (ended: boolean): SavedState => ({
    request: job.request,
    ended,
    position: iterator.checkpoint(),
    rows: progress.rows,
    ...(progress.reached === undefined ? {} : { reached: progress.reached }),
    ...(unreadable().count === 0 ? {} : { unreadable: unreadable() }),
  });
  try {
    if (file.bytes === 0 && job.format.header !== '') {
      await file.append(new TextEncoder().encode(job.format.header));
    }
    await writePages(job, iterator, writer, {
      progress,
      show: () => line.show(progress.rows, file.bytes, progress.reached),
      stateOf: () => stateOf(false),
    });
  } catch (error) {
    line.end(progress.rows);
    // A page that was not written whole is not in the checkpoint: only calls of the API end here.
    if (isPartnerApiError(error)) await writer.save(stateOf(false));
    throw error;
  }
  await writer.save(stateOf(true));
  await file.finish();
  const words = line.end(progress.rows);
  return { ...progress, bytes: file.bytes, unreadable: unreadable(), words };
}

function startIterator(job: ExportJob, position: string | undefined): TransactionIterator {
  const { client, params, signal } = job;
  return position === undefined
    ? client.transactions.iterate(params, { signal })
    : client.transactions.resume(position, params, { signal });
}

async function writePages(
  { format, checkpointSeconds }: ExportJob,
  iterator: TransactionIterator,
  writer: PageWriter,
  { progress, show, stateOf }: { progress: Progress; show: () => void; stateOf: () => SavedState },
): Promise<void> {
  let savedAt = performance.now();
  for await (const { data } of iterator.pages()) {
    await writer.whenWritten();
    writer.write(format.encode(data.transactions));
    progress.rows += data.transactions.length;
    progress.reached = lastTimeOf(data.transactions) ?? progress.reached;
    show();
    if (writer.isSaving || performance.now() - savedAt < checkpointSeconds * 1000) continue;
    writer.beginSave(stateOf());
    savedAt = performance.now();
  }
}

function lastTimeOf(rows: readonly Transaction[]): string | undefined {
  return rows.findLast(({ transactionTime }) => typeof transactionTime === 'string')
    ?.transactionTime;
}

/** Writes the rows of a list to stdout; there is nothing to go on from. */
export async function streamExport(
  job: Omit<ExportJob, 'request' | 'checkpointSeconds'>,
): Promise<Omit<ExportResult, 'bytes'>> {
  const { client, params, format, signal, terminal } = job;
  const progress: Progress = { rows: 0, reached: undefined };
  const line = new ProgressLine(terminal, 0);
  if (format.header !== '') await terminal.write(format.header);
  const iterator = client.transactions.iterate(params, { signal });
  for await (const { data } of iterator.pages()) {
    await terminal.write(Buffer.from(format.encode(data.transactions)));
    progress.rows += data.transactions.length;
    progress.reached = lastTimeOf(data.transactions) ?? progress.reached;
  }
  const { unreadableRows: unreadable } = iterator;
  return { ...progress, unreadable, words: line.end(progress.rows) };
}

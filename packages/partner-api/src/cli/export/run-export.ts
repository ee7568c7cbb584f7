import type { PartnerClient } from '../../client.js';
import { isPartnerApiError } from '../../errors.js';
import type { ListTransactionsParams } from '../../resources/transactions.js';
import type { TransactionIterator } from '../../resources/transaction-iterator.js';
import type { Terminal } from '../output/terminal.js';
import type { ExportFile } from './export-file.js';
import type { ExportFormat } from './export-format.js';
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
  const save = (ended: boolean): Promise<void> =>
    file.save({
      request: job.request,
      ended,
      position: iterator.checkpoint(),
      rows: progress.rows,
      ...(progress.reached === undefined ? {} : { reached: progress.reached }),
    });
  try {
    await writePages(job, file, iterator, progress, line, () => save(false));
  } catch (error) {
    line.end(progress.rows);
    // A page that was not written whole is not in the checkpoint: only calls of the API end here.
    if (isPartnerApiError(error)) await save(false);
    throw error;
  }
  await save(true);
  await file.finish();
  return { ...progress, bytes: file.bytes, words: line.end(progress.rows) };
}

function startIterator(job: ExportJob, position: string | undefined): TransactionIterator {
  const { client, params, signal } = job;
  return position === undefined
    ? client.transactions.iterate(params, { signal })
    : client.transactions.resume(position, params, { signal });
}

async function writePages(
  job: ExportJob,
  file: ExportFile,
  iterator: TransactionIterator,
  progress: Progress,
  line: ProgressLine,
  save: () => Promise<void>,
): Promise<void> {
  const { format, checkpointSeconds } = job;
  if (file.bytes === 0 && format.header !== '') await file.append(format.header);
  let savedAt = performance.now();
  for await (const { data } of iterator.pages()) {
    let text = '';
    for (const row of data.transactions) {
      text += format.line(row);
      if (row.transactionTime !== undefined) progress.reached = row.transactionTime;
    }
    await file.append(text);
    progress.rows += data.transactions.length;
    line.show(progress.rows, file.bytes, progress.reached);
    if (performance.now() - savedAt < checkpointSeconds * 1000) continue;
    await save();
    savedAt = performance.now();
  }
}

/** Writes the rows of a list to stdout; there is nothing to go on from. */
export async function streamExport(
  job: Omit<ExportJob, 'request' | 'checkpointSeconds'>,
): Promise<Omit<ExportResult, 'bytes'>> {
  const { client, params, format, signal, terminal } = job;
  const progress: Progress = { rows: 0, reached: undefined };
  const line = new ProgressLine(terminal, 0);
  if (format.header !== '') await terminal.write(format.header);
  for await (const { data } of client.transactions.iterate(params, { signal }).pages()) {
    await terminal.write(data.transactions.map(format.line).join(''));
    progress.rows += data.transactions.length;
    progress.reached = data.transactions.at(-1)?.transactionTime ?? progress.reached;
  }
  return { ...progress, words: line.end(progress.rows) };
}

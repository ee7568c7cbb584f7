import { TransactionCsv } from '@pay-checkout/session-server/internals';
import type { OnRows } from './day-report.js';
import type { ReportSummary } from './report-view.js';

const COLUMNS = [
  ...['kind', 'merchant', 'account', 'transaction', 'transactionTime', 'status', 'amount'],
  ...['currency', 'serviceFee', 'order', 'checkout', 'problem'],
];

/**
 * Writes a report as CSV (RFC 4180), as it is read. The last line is `complete`, or `incomplete` with what
 * was wrong: a file without either was cut off.
 */
export async function writeCsv(
  read: (onRows: OnRows) => Promise<ReportSummary>,
  write: (text: string) => Promise<unknown>,
): Promise<ReportSummary> {
  const csv = new TransactionCsv({ columns: COLUMNS, extra: false });
  const writeRows = async (rows: readonly object[]): Promise<void> => {
    await write(csv.toText(rows));
  };
  await write(csv.header);
  const summary = await read(writeRows);
  const kind = summary.isComplete ? 'complete' : 'incomplete';
  await writeRows([{ kind, problem: summary.problems.join('; ') }]);
  return summary;
}

import { TransactionCsv } from '@pay-checkout/session-server/internals';
import type { ReportRow, ReportSummary } from './report-view.js';

const COLUMNS = [
  ...['kind', 'merchant', 'account', 'transaction', 'transactionTime', 'status', 'amount'],
  ...['currency', 'serviceFee', 'order', 'checkout', 'problem'],
];

/**
 * A report as CSV (RFC 4180), as it is read. The last line is `complete`, or `incomplete` with what was
 * wrong: a file without either was cut off.
 */
export async function* toCsv(
  report: AsyncGenerator<readonly ReportRow[], ReportSummary>,
): AsyncGenerator<string, ReportSummary> {
  const csv = new TransactionCsv({ columns: COLUMNS, extra: false });
  const textOf = (rows: readonly object[]) => csv.toText(rows);
  yield csv.header;
  for (;;) {
    const { value, done } = await report.next();
    if (!done) {
      yield textOf(value);
      continue;
    }
    const { isComplete, problems } = value;
    const kind = isComplete ? 'complete' : 'incomplete';
    yield textOf([{ kind, problem: problems.join('; ') }]);
    return value;
  }
}

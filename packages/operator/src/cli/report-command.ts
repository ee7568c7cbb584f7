import { open } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import {
  AppError,
  type Config,
  ConfigError,
  systemClock,
} from '@pay-checkout/session-server/internals';
import { writeCsv } from '../report/csv.js';
import type { OnRows } from '../report/day-report.js';
import type { ReportRow, ReportSummary, ReportTotal } from '../report/report-view.js';
import { ReportService } from '../report/service.js';
import { withLists } from './list-access.js';

const USAGE = 'expected: report --day <YYYY-MM-DD> [--merchant <id>] [--csv <file>]';
/** Lines of the transactions of a kind that needs a person. */
const MAX_LINES = 100;

/**
 * `pay-session-server report --day 2026-03-01 [--merchant <id>] [--csv <file>]`, with or without a running
 * server. The exit code is 1 when the day could not be read to its end.
 *
 * @throws {AppError} when the words after `report` are not these
 */
export async function runReport(
  config: Config,
  words: readonly string[],
  isJson = false,
): Promise<string[]> {
  const { day, merchant, csv } = parseWords(words);
  return withLists(config, async (access) => {
    const service = new ReportService({ ...access, reconciliation: access, clock: systemClock });
    const rows = { missing: [] as ReportRow[], unknown: [] as ReportRow[] };
    let hasMore = false;
    const collect: OnRows = (found) => {
      for (const row of found) {
        if (row.kind === 'matched') continue;
        if (rows[row.kind].length < MAX_LINES) rows[row.kind].push(row);
        else hasMore = true;
      }
    };
    const read = await service.open({ day, merchant });
    const summary = csv === undefined ? await read(collect) : await writeFile(csv, read, collect);
    if (!summary.isComplete) process.exitCode = 1;
    if (isJson) return [JSON.stringify({ ...summary, ...rows, more: hasMore })];
    return [
      ...describe(summary),
      ...rows.missing.map(describeRow),
      ...rows.unknown.map(describeRow),
      ...(hasMore ? ['and more: --csv writes all of them'] : []),
      ...(csv === undefined ? [] : [`written to ${csv}`]),
    ];
  });
}

function parseWords(words: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        day: { type: 'string' },
        merchant: { type: 'string' },
        csv: { type: 'string' },
      },
    });
    const { day, ...others } = values;
    if (day !== undefined) return { day, ...others };
  } catch {
    // Reported below.
  }
  throw new AppError(400, 'invalid_request', USAGE);
}

/** A file that is there already is left alone. */
async function writeFile(
  path: string,
  read: (onRows: OnRows) => Promise<ReportSummary>,
  collect: OnRows,
): Promise<ReportSummary> {
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    throw new ConfigError(`--csv ${path}`, [`it cannot be written (${code})`]);
  });
  const readBoth = (onRows: OnRows) =>
    read(async (rows) => {
      await collect(rows);
      await onRows(rows);
    });
  try {
    return await writeCsv(readBoth, (text) => file.write(text));
  } finally {
    await file.close();
  }
}

function describe({ day, isComplete, problems, pages, totals }: ReportSummary): string[] {
  const state = isComplete ? 'complete' : 'INCOMPLETE';
  return [
    `${day}: ${state}, ${String(pages)} pages read`,
    ...problems.map((problem) => `  ${problem}`),
    ...totals.flatMap(describeTotal),
  ];
}

function describeTotal(total: ReportTotal): string[] {
  const { merchant, currency, matched, unknown, missing, refunded, fees, splits } = total;
  const counted = Object.entries({ matched, unknown, missing }).map(
    ([kind, { count, amount }]) =>
      `  ${kind.padEnd(8)} ${String(count).padStart(7)}  ${amount} ${currency}`,
  );
  return [
    `${merchant || 'of several merchants'}, ${currency || 'without a currency'}`,
    ...counted,
    `  refunded ${refunded}, fees ${fees}`,
    ...splits.map(
      ({ partnerMerchantId, typeId, amount }) =>
        `  split to ${String(partnerMerchantId)}, type ${String(typeId)}: ${amount}`,
    ),
  ];
}

function describeRow(row: ReportRow): string {
  const { kind, transaction, transactionTime, merchant, order, status, amount, currency } = row;
  const words = [kind, transaction, transactionTime, merchant, order, status, amount, currency];
  return words.filter((word) => word !== '').join('  ');
}

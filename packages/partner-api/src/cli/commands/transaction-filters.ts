import type { Command } from 'commander';

import type { ListTransactionsParams } from '../../resources/transactions.js';
import { collectNames, parseInteger } from '../settings/parse-option.js';

/** Filters that list and export share (spec 4.1). */
export interface FilterOptions {
  readonly fromDate?: string;
  readonly toDate?: string;
  readonly status?: readonly string[];
  readonly merchantId?: number;
  readonly resellerId?: number;
  readonly timezone?: string;
}

export function addFilterOptions(command: Command): Command {
  return command
    .option('--from-date <day>', 'first day, YYYY-MM-DD')
    .option('--to-date <day>', 'last day, YYYY-MM-DD')
    .option('--status <names>', 'SUCCESS or REFUND (rows then say REFUNDED)', collectNames)
    .option('--merchant-id <id>', 'only this merchant', parseInteger)
    .option('--reseller-id <id>', 'only this reseller', parseInteger)
    .option('--timezone <name>', 'zone that the days are in, such as Europe/London');
}

export function filtersOf(options: FilterOptions): ListTransactionsParams {
  const { fromDate, toDate, status, merchantId, resellerId, timezone } = options;
  return { fromDate, toDate, status, merchantId, resellerId, timezone };
}

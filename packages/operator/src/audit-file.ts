import { TransactionCsv } from '@pay-checkout/session-server/internals';
import type { AuditFilter } from './audit.js';
import type { PageService } from './page-service.js';
import { describeTarget } from './timeline-words.js';

/** Actions that are read at a time. */
const FILE_ITEMS = 500;

/** What was done, newest first, as CSV with its head first. */
export async function* auditFile(
  page: Pick<PageService, 'audit'>,
  filter: AuditFilter,
): AsyncGenerator<string, void> {
  const columns = ['at', 'actor', 'action', 'merchant', 'order', 'target', 'note'];
  const csv = new TransactionCsv({ columns, extra: false });
  yield csv.header;
  let behind: readonly number[] | undefined = [];
  while (behind) {
    const { items, nextPlace } = await page.audit(filter, behind, FILE_ITEMS);
    const rows: readonly object[] = items.map((done) => {
      return { ...done, at: new Date(done.at).toISOString(), target: describeTarget(done) };
    });
    yield csv.toText(rows);
    behind = nextPlace?.map(Number);
  }
}

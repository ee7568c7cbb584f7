// The other side of the bench: pages of rows from memory, in a process of its own.
import { createServer } from 'node:http';

import { rowOf } from './rows.mjs';

const PAGE_ROWS = 1_000;
/** Different pages; a longer list repeats them under new cursors. */
const DISTINCT_PAGES = 50;

const pages = Array.from({ length: DISTINCT_PAGES }, (_, page) =>
  Buffer.from(
    JSON.stringify(Array.from({ length: PAGE_ROWS }, (__, row) => rowOf(page * PAGE_ROWS + row))),
  ),
);
const BEGIN = Buffer.from('{"data":{"transactions":');

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { cursor = '0', resellerId: total } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const page = Number(cursor);
    const hasMore = (page + 1) * PAGE_ROWS < total;
    const pagination = hasMore ? { hasMore, nextCursor: String(page + 1) } : { hasMore };
    const rows = pages[page % DISTINCT_PAGES];
    const end = Buffer.from(`,"timezone":"UTC"},"pagination":${JSON.stringify(pagination)}}`);
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': BEGIN.length + rows.length + end.length,
    });
    // In one go: what is measured is the reading of it.
    response.cork();
    response.write(BEGIN);
    response.write(rows);
    response.end(end);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address().port));
process.on('disconnect', () => process.exit());

import { once } from 'node:events';
import { Router } from 'express';
import { z } from 'zod';
import { abortedByClose, parse, word } from '@pay-checkout/session-server/internals';
import { writeCsv } from './csv.js';
import type { ReportQuery, ReportService } from './service.js';

const query = z.strictObject({
  day: z.string('expected a day, such as 2026-03-01'),
  merchant: word.optional(),
});

/** `GET /report?day=&merchant=` as JSON, and `GET /report.csv` with every transaction. */
export function reportRoutes(service: ReportService): Router {
  const router = Router();

  router.get('/report', async (request, response) => {
    const wanted: ReportQuery = parse(query, request.query);
    response.json(await service.view(wanted, abortedByClose(response)));
  });

  router.get('/report.csv', async (request, response) => {
    const wanted: ReportQuery = parse(query, request.query);
    const read = await service.open(wanted, abortedByClose(response));
    response.attachment(`report-${wanted.day}.csv`).type('text/csv; charset=utf-8');
    await writeCsv(read, async (text) => {
      if (!response.write(text) && !response.closed) {
        await Promise.race([once(response, 'drain'), once(response, 'close')]);
      }
    });
    response.end();
  });

  return router;
}

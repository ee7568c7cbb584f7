/** The operator's page, `/metrics` and the routes of programs: a sub-export, loaded where it is wanted. */
import type { RequestListener } from 'node:http';
import { reportRoutes } from '../report/routes.js';
import { ReportService } from '../report/service.js';
import type { OperatorParts } from '../server.js';
import { pageDataRoutes } from './page-data-routes.js';
import { PageService } from './page-service.js';
import { createOperatorApp } from './routes.js';
import { OperatorService } from './service.js';

/** For the option `operator` of `createSessionServer()`. */
export function createOperator(parts: OperatorParts): RequestListener {
  const { config, access } = parts;
  const { maxOrderId, settleWindowSeconds, environment, trustProxy } = config;
  const { keepDays } = config.webhooks;
  const service = new OperatorService({ ...parts, maxOrderId, settleWindowSeconds });
  return createOperatorApp({
    ...{ ...parts, access, environment, service, trustProxy },
    pageRoutes: [pageDataRoutes(service, new PageService({ ...parts, keepDays }))],
    report: reportRoutes(new ReportService(parts)),
  });
}

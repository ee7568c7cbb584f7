/** The page of the platform team, the routes of its programs, and the commands of `pay-session-server` that use them. */
import type { OperatorParts, OperatorRoutes } from '@pay-checkout/session-server/internals';
import { Router } from 'express';
import { pageDataRoutes } from './page-data-routes.js';
import { pageRoutes } from './page-routes.js';
import { PageService } from './page-service.js';
import { reportRoutes } from './report/routes.js';
import { ReportService } from './report/service.js';
import { operatorRoutes } from './routes.js';
import { OperatorService } from './service.js';

export { runEvents } from './cli/events-command.js';
export { runExplain } from './cli/explain-command.js';
export { runReport } from './cli/report-command.js';
export { runWebhooks } from './cli/webhooks-command.js';

/** For the option `operator` of `createSessionServer()`. */
export function createOperator(parts: OperatorParts): OperatorRoutes {
  const service = new OperatorService(parts);
  const { keepDays } = parts.config.webhooks;
  const data = pageDataRoutes(service, new PageService({ ...parts, keepDays }));
  const report = reportRoutes(new ReportService(parts));
  return {
    page: pageRoutes({ ...parts, routes: [data, report] }),
    programs: Router().use('/operator', operatorRoutes(service), report),
  };
}

/** The pages of a platform team and of its merchants, the routes of its programs, and the commands of `pay-session-server` that use them. */
import type { OperatorParts, OperatorRoutes } from '@pay-checkout/session-server/internals';
import { Router } from 'express';
import { pageDataRoutes } from './page-data-routes.js';
import { operatorPage } from './operator-page.js';
import { PageService } from './page-service.js';
import { reportRoutes } from './report/routes.js';
import { ReportService } from './report/service.js';
import { operatorRoutes } from './routes.js';
import { OperatorService } from './service.js';

export { createDashboard } from './dashboard/dashboard.js';
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
    page: operatorPage({ ...parts, routes: [data, report] }),
    programs: Router().use('/operator', operatorRoutes(service), report),
  };
}

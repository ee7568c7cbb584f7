import { auditPage } from './audit-page.js';
import { healthPage } from './health-page.js';
import { orderPage } from './order-page.js';
import type { Page } from './page.js';
import { queuePage } from './queue-page.js';
import { reportPage } from './report-page.js';
import { searchPage } from './search-page.js';

/** Every page, in the order of the navigation. The first is where one begins. */
export const PAGES: readonly Page[] = [
  queuePage,
  healthPage,
  reportPage,
  auditPage,
  searchPage,
  orderPage,
];

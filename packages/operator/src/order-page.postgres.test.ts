import { describeOrderPage } from './order-page.contract.js';
import { startOnPostgres } from './testing/page-under-test.js';

describeOrderPage('PostgreSQL', startOnPostgres);

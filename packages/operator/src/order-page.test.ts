import { describeOrderPage } from './order-page.contract.js';
import { startOnSqlite } from './testing/page-under-test.js';

describeOrderPage('SQLite', startOnSqlite);

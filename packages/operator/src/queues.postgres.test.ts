import { describeQueues } from './queues.contract.js';
import { startOnPostgres } from './testing/page-under-test.js';

describeQueues('PostgreSQL', startOnPostgres);

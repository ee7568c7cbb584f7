import { startQuietReconciliation } from '../testing/quiet-reconciliation.js';
import { describeConvergence } from './convergence.contract.js';
import { describeRefunds } from './refunds.contract.js';
import { describeAttempts } from './two-attempts.contract.js';

for (const describe of [describeConvergence, describeRefunds, describeAttempts]) {
  describe(startQuietReconciliation);
}

import { resetContext, type SandboxContext } from '../context.js';
import type { ReportSchedule } from '../resources/report-book.js';
import type { ScheduledTransfer } from '../resources/transfer-book.js';
import { describeFaults } from '../faults/fault-table.js';
import { triggersOf } from '../scenario.js';
import { SDK_INTEGRITY } from '../sdk/sdk-routes.js';
import { accountControl } from './account-control.js';
import { faultControl } from './fault-control.js';
import { requestControl } from './request-control.js';
import { sessionControl } from './session-control.js';
import { switchControl } from './switch-control.js';
import { transactionControl } from './transaction-control.js';
import { webhookControl } from './webhook-control.js';

/** Controls a running sandbox from tests and the demo. `/_sandbox/…` does the same over HTTP. */
export type SandboxControl = ReturnType<typeof makeControl>;

export function makeControl(context: SandboxContext) {
  const { accounts, activity, clock, schedules, settings, signupLinks, transfers } = context;
  return {
    ...sessionControl(context),
    ...transactionControl(context),
    ...webhookControl(context),
    ...requestControl(context),
    ...faultControl(context),
    ...switchControl(context),
    ...accountControl(context),

    /** The clock of the whole sandbox. */
    clock,

    /** What happens, as it happens. */
    activity,

    publicUrl: settings.publicUrl,

    /** What a page needs to know about this sandbox. */
    describe() {
      const { scenarios } = settings;
      const [merchants, partners] = [accounts.merchants(), accounts.partners()];
      const sdk = { path: '/sdk/checkout.js', integrity: SDK_INTEGRITY };
      const cards = scenarios.map((scenario) => ({ ...scenario, triggers: triggersOf(scenario) }));
      return { scenarios: cards, merchants, partners, sdk, ...describeFaults() };
    },

    schedules(): ReportSchedule[] {
      return schedules.list();
    },

    signupLinks(): { merchantId: number; validUntil: string }[] {
      return signupLinks.list();
    },

    transfers(): ScheduledTransfer[] {
      return transfers.list();
    },

    /** Back to the start: sessions, transactions, logs, faults, switches and the clock. */
    reset(seed?: string): void {
      resetContext(context, seed);
    },
  };
}

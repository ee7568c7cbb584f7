import type { StoreRules } from '../checkouts/repository.js';
import type { Observer } from '../observer.js';
import { AttemptTable } from './attempt-table.js';
import { CheckoutTable } from './checkout-table.js';
import { CounterTable } from './counter-table.js';
import { WebhookTable } from './webhook-table.js';
import { OutboxTable } from './outbox-table.js';
import { LossTable } from './loss-table.js';
import { OpeningSteps } from './opening-steps.js';
import { PaymentSteps } from './payment-steps.js';
import { ReportQueries } from './report-queries.js';
import { ReturnSteps } from './return-steps.js';
import type { SqliteConnection } from './sqlite-connection.js';
import { TokenTable } from './token-table.js';
import { TransactionTable } from './transaction-table.js';

/** The tables of one data file, and the steps that write to several of them. */
export type SqliteTables = ReturnType<typeof openTables>;

export function openTables(
  connection: SqliteConnection,
  rules: StoreRules,
  observer: Pick<Observer, 'checkoutChanged'>,
  hashReference: (reference: string) => string,
) {
  const tokens = new TokenTable(connection);
  const attempts = new AttemptTable(connection, rules, tokens);
  const counters = new CounterTable(connection);
  const tables = {
    checkouts: new CheckoutTable(connection, rules, observer),
    attempts,
    counters,
    loss: new LossTable(connection, { attempts, counters }, rules),
    tokens,
    transactions: new TransactionTable(connection),
    events: new OutboxTable(connection),
    deliveries: new WebhookTable(connection, hashReference),
    reports: new ReportQueries(connection, rules),
  };
  return {
    ...tables,
    openings: new OpeningSteps({ ...tables, rules }),
    payments: new PaymentSteps(tables),
    returns: new ReturnSteps({ ...tables, rules }),
  };
}
